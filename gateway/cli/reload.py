"""`lastword reload`: let the running gateway take the changed configuration over."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import click

__all__ = ["command"]

_PATIENCE = 120.0  # seconds; new connections are tried before they replace old ones


@click.command("reload")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
def command(file: Path | None) -> None:
    """Read FILE anew (default: as `run` does); bots that did not change are not disturbed."""
    asyncio.run(_reload(file))


async def _reload(file: Path | None) -> None:
    from gateway.admin.control import ask_all
    from gateway.cli.loading import control_socket, load_file

    settings = load_file(file)
    answers = await ask_all(control_socket(settings), {"do": "reload"}, patience=_PATIENCE)
    if not answers:
        raise click.ClickException(
            "No gateway runs on this configuration's store; start one with `lastword run`."
        )
    problems = [line for answer in answers for line in _problems(answer)]
    if problems:
        raise click.ClickException("\n".join(dict.fromkeys(problems)))
    click.echo("The configuration was read anew.")


def _problems(answer: dict[str, object]) -> list[str]:
    """What one gateway did not take over."""
    if not answer.get("ok"):
        return [str(answer.get("problem", "it was refused"))]
    return cast("list[str]", answer.get("problems") or [])
