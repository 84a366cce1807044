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
    """Tell how each bot of FILE stands; the exit code is 0 when all are up, or another replica has them.

    Every gateway of this machine that shares FILE's store is asked.
    """
    found = asyncio.run(_asked(file))
    if output == "json":
        import orjson

        told: object = found[0] if len(found) == 1 else {"replicas": found}
        click.echo(orjson.dumps(told).decode())
    else:
        click.echo("\n\n".join(_told(one, named=len(found) > 1) for one in found))
    if any(bot.get("state") not in _WELL for one in found for bot in _bots(one).values()):
        raise SystemExit(1)


async def _asked(file: Path | None) -> list[dict[str, object]]:
    from gateway.admin.control import ask_all
    from gateway.cli.loading import control_socket, load_file

    answers = await ask_all(control_socket(load_file(file)), {"do": "status"})
    if not answers:
        raise click.ClickException(
            "No gateway runs on this configuration's store; start one with `lastword run`."
        )
    for answer in answers:
        if not answer.get("ok"):
            raise click.ClickException(str(answer.get("problem", "it was refused")))
    return [{key: value for key, value in answer.items() if key != "ok"} for answer in answers]


def _bots(found: dict[str, object]) -> dict[str, dict[str, object]]:
    return cast("dict[str, dict[str, object]]", found.get("bots", {}))


def _told(found: dict[str, object], *, named: bool) -> str:
    """One gateway's answer, under its name where there are several."""
    lines = _lines(_bots(found), cast("dict[str, int]", found.get("counts", {})))
    return "\n".join([f"replica {found.get('replica', '')}", *lines] if named else lines)


def _lines(bots: dict[str, dict[str, object]], counts: dict[str, int]) -> list[str]:
    width = max(map(len, bots), default=0)
    lines = [
        f"{name.ljust(width)}  {bot['platform']!s:<9} {bot['state']!s:<14} {bot['running']} running"
        + (f"  {bot['detail']}" if bot.get("detail") else "")
        for name, bot in sorted(bots.items())
    ]
    told = ", ".join(f"{counts.get(key, 0)} {word}" for key, word in _COUNTS.items())
    return [*lines, told]


_WELL = ("up", "standby")
_COUNTS = {"inbox": "messages wait", "outbox": "answers to deliver", "dead": "not delivered"}
