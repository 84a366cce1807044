"""`lastword turns`: the last turns, a line each."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

__all__ = ["command"]


@click.command("turns")
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--bot", default="", help="Only this bot's.")
@click.option("--reason", default="", help="Only those that ended so.")
@click.option("--state", default="", help="Only those in this state.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(*, file: Path | None, bot: str, reason: str, state: str, limit: int, output: str) -> None:
    """List the last turns, newest first: how each ended and whether it was delivered."""
    asyncio.run(_list(file, bot=bot, reason=reason, state=state, limit=limit, output=output))


async def _list(file: Path | None, *, bot: str, reason: str, state: str, limit: int, output: str) -> None:
    import orjson

    from gateway.admin.stories import as_dict, line_of
    from gateway.cli.loading import load_file, no_such_bot, open_for

    settings = load_file(file)
    store = open_for(settings, read_only=True)
    await store.open()
    try:
        turns = await store.turns(bot=bot, reason=reason, state=state, limit=limit)
    finally:
        await store.close()
    if bot and not turns and bot not in settings.bots:  # turns outlive their bot
        raise no_such_bot(settings, bot)
    for turn in turns:
        click.echo(orjson.dumps(as_dict(turn)).decode() if output == "json" else line_of(turn))
    if not turns and output == "text":
        click.echo("No turns match.", err=True)
