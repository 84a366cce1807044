"""`lastword backup`: a copy of the store, made while the gateway runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

__all__ = ["command"]


@click.command("backup")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
def command(target: Path, *, file: Path | None) -> None:
    """Copy the store to TARGET, one file, as it is at one instant; the gateway need not stop.

    What was answered after that instant is answered once more after a restore.
    """
    from gateway.cli.loading import load_file, store_file
    from gateway.stores.sqlite.file import copy

    settings = load_file(file)
    path = store_file(settings)
    if path is None:
        raise click.ClickException(_elsewhere(settings.store))
    asyncio.run(asyncio.to_thread(copy, path, target.absolute()))
    click.echo(f"{target} holds the store as it was now; `lastword restore {target}` puts it back.")


def _elsewhere(store: str) -> str:
    if store == "memory:":
        return "store: memory: keeps nothing, so there is nothing to copy."
    return (
        "The store is on a server of its own, which copies it by itself and at one instant:"
        " `valkey-cli --rdb FILE` (or redis-cli). To restore, stop the gateways and the server, put FILE in"
        " the place of its dump.rdb, and start the server once with `appendonly no`, then turn it on again."
    )
