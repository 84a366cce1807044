"""`lastword why`: the story of one turn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

__all__ = ["command"]


@click.command("why")
@click.argument("reference")
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(reference: str, file: Path | None, output: str) -> None:
    """Tell how the turn REFERENCE (a Ref that a person quotes, or a turn id) ended, and why."""
    asyncio.run(_tell(reference, file, output))


async def _tell(reference: str, file: Path | None, output: str) -> None:
    import orjson

    from gateway.admin.stories import as_dict, story
    from gateway.cli.loading import load_file, open_for

    store = open_for(load_file(file), read_only=True)
    await store.open()
    try:
        key = reference.strip().removeprefix("Ref").strip()
        turn = await store.turn(key) or await store.turn(key.upper())
    finally:
        await store.close()
    if turn is None:
        raise click.ClickException(
            f"No turn has the reference {reference!r}; `lastword turns` lists the last ones."
        )
    click.echo(orjson.dumps(as_dict(turn)).decode() if output == "json" else story(turn))
