"""`lastword restore`: put a copy of the store back."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("restore")
@click.argument("source", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(source: Path, *, file: Path | None, yes: bool) -> None:
    """Put SOURCE, which `lastword backup` made, in the place of the store; the gateway must not run.

    What is replaced is kept beside it. SOURCE stays as it is.
    """
    from gateway.cli.loading import load_file, store_file
    from gateway.stores.sqlite.file import examine, replace

    settings = load_file(file)
    path = store_file(settings)
    if path is None:
        raise click.ClickException(
            "Only a store in a file (store: sqlite:PATH) can be restored; see `backup`."
        )
    version = examine(source.absolute())
    if path.exists() and not yes:
        click.confirm(f"Put {source} (schema {version}) in the place of {path}?", abort=True)
    aside = replace(path, source.absolute())
    click.echo(f"{path} is now what {source} holds.")
    if aside is not None:
        click.echo(f"What it was before is in {aside}; remove it when you miss nothing.")
