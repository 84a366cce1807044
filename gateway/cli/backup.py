"""`lastword backup`: a copy of the store, made while the gateway runs."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import click

from gateway.errors import ConfigError

__all__ = ["command"]


@click.command("backup")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
def command(target: Path, *, file: Path | None) -> None:
    """Copy the store to TARGET, one file; the gateway need not stop.

    A store in a file is copied as it is at one instant; of one on a server, each conversation is. What was
    answered after that instant is answered once more after a restore.
    """
    from gateway.admin.moving import export_server
    from gateway.cli.loading import load_file, store_file
    from gateway.stores.sqlite.file import copy

    if target == Path("-"):
        raise click.UsageError("A store is copied to a file: name one.")
    if not target.absolute().parent.is_dir():
        raise click.ClickException(f"{target} cannot be written: there is no folder {target.parent}.")
    settings = load_file(file)
    again = shlex.join(["lastword", "restore", str(target), *(["--config", str(file)] if file else [])])
    path = store_file(settings)
    if settings.store == "memory:":
        raise ConfigError(["store: memory keeps nothing, so there is nothing to copy"])
    if path is None:
        made = export_server(settings.store, base=settings.folder, target=target.absolute())
        click.echo(f"{target} holds {asyncio.run(made)} rows of the store; `{again}` puts it back.")
        return
    asyncio.run(asyncio.to_thread(copy, path, target.absolute()))
    click.echo(f"{target} holds the store as it was now; `{again}` puts it back.")
