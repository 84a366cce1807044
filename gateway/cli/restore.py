"""`lastword restore`: put a copy of the store back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.errors import ConfigError

if TYPE_CHECKING:
    from gateway.settings import Settings

__all__ = ["command"]


@click.command("restore")
@click.argument("source", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--replace", is_flag=True, help="Remove what a store on a server holds.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(source: Path, *, file: Path | None, replace: bool, yes: bool) -> None:
    """Put SOURCE, which `lastword backup` made of any store, in the place of this one; no gateway may run.

    A file that is replaced is kept beside it; what a server holds goes only with --replace. SOURCE stays as
    it is. A restore that did not end may be begun again; until one does, no gateway takes the store.
    """
    from gateway.admin.moving import examine_backup, restore_file
    from gateway.cli.loading import confirm, load_file, store_file

    settings = load_file(file)
    path = store_file(settings)
    if settings.store == "memory:":
        raise ConfigError(["store: memory keeps nothing, so nothing can be restored to it"])
    what = examine_backup(source.absolute())
    if path is None:
        _to_server(settings, source, what, anew=replace, asks=replace and not yes)
        return
    if path.exists() and not yes:
        confirm(f"Put {source} ({what}) in the place of {path}?")
    aside = restore_file(path, source.absolute())
    click.echo(f"{path} is now what {source} holds.")
    if aside is not None:
        click.echo(f"What it was before is in {aside}; remove it when you miss nothing.")


def _to_server(settings: Settings, source: Path, what: str, *, anew: bool, asks: bool) -> None:
    from gateway.admin.moving import restore_server
    from gateway.cli.loading import confirm

    if asks:
        confirm(f"Remove all that the store holds, and put {source} ({what}) in its place?")
    asyncio.run(restore_server(settings.store, base=settings.folder, source=source.absolute(), anew=anew))
    click.echo(f"The store is now what {source} holds ({what}).")
