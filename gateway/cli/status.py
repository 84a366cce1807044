"""`lastword status`: how the bots of a running gateway stand."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import click

__all__ = ["command"]


@click.command("status")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(file: Path | None, *, output: str) -> None:
    """Tell how each bot of FILE stands; the exit code is 0 when all are up."""
    found = asyncio.run(_asked(file))
    bots = cast("dict[str, dict[str, object]]", found.get("bots", {}))
    if output == "json":
        import orjson

        click.echo(orjson.dumps(found).decode())
    else:
        click.echo("\n".join(_lines(bots, cast("dict[str, int]", found.get("counts", {})))))
    if any(bot.get("state") != "up" for bot in bots.values()):
        raise SystemExit(1)


async def _asked(file: Path | None) -> dict[str, object]:
    from gateway.admin.control import ask
    from gateway.cli.loading import control_socket, load_file

    answer = await ask(control_socket(load_file(file)), {"do": "status"})
    if answer is None:
        raise click.ClickException(
            "No gateway runs on this configuration's store; start one with `lastword run`."
        )
    if not answer.get("ok"):
        raise click.ClickException(str(answer.get("problem", "it was refused")))
    return {key: value for key, value in answer.items() if key != "ok"}


def _lines(bots: dict[str, dict[str, object]], counts: dict[str, int]) -> list[str]:
    width = max(map(len, bots), default=0)
    lines = [
        f"{name.ljust(width)}  {bot['platform']!s:<9} {bot['state']!s:<14} {bot['running']} running"
        + (f"  {bot['detail']}" if bot.get("detail") else "")
        for name, bot in sorted(bots.items())
    ]
    told = ", ".join(f"{counts.get(key, 0)} {word}" for key, word in _COUNTS.items())
    return [*lines, told]


_COUNTS = {"inbox": "messages wait", "outbox": "answers to deliver", "dead": "not delivered"}
