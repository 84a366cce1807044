"""Find and load the configuration a command works on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.errors import ConfigError, LastwordError, StoreError

if TYPE_CHECKING:
    from gateway.abc.store import Store
    from gateway.settings import Settings

__all__ = [
    "confirm",
    "control_socket",
    "find_file",
    "load_file",
    "load_kept",
    "load_last_good",
    "load_or_environment",
    "no_such_bot",
    "open_for",
    "store_file",
]

_NO_FILE = (
    "bots.yaml: no such file here, nor config/bots.yaml: `lastword init` writes one; or name yours"
    " (`--config FILE`, or just FILE for run and check)"
)
_DEFAULTS = (Path("bots.yaml"), Path("config/bots.yaml"))


def find_file(given: Path | None) -> Path | None:
    """The file that is given, or the first default one that exists."""
    if given is not None:
        return given
    return next((path for path in _DEFAULTS if path.is_file()), None)


def load_file(given: Path | None) -> Settings:
    """The settings of a file.

    Raises:
        ConfigError: There is none, or it does not validate.
    """
    from gateway import plugins
    from gateway.settings import load

    path = find_file(given)
    if path is None:
        raise ConfigError([_NO_FILE])
    return load(path, options=plugins.options_of)


def load_or_environment(given: Path | None) -> Settings:
    """The settings of a file, or one paired bot from environment variables.

    Raises:
        ConfigError: There is neither, or it does not validate.
    """
    from gateway import plugins
    from gateway.settings import from_environment

    if find_file(given) is None:
        found = from_environment(os.environ, options=plugins.options_of)
        if found is not None:
            return found
    return load_file(given)


def load_last_good(given: Path | None) -> tuple[Settings, bool]:
    """The settings to run, and whether they are the file's own.

    When the file is broken they are those of its last copy that worked.

    Raises:
        ConfigError: The file does not validate, and no copy of it does.
    """
    try:
        return load_or_environment(given), True
    except ConfigError as broken:
        settings = load_kept(given, broken)
        if settings is None:
            raise
        return settings, False


def load_kept(given: Path | None, broken: LastwordError) -> Settings | None:
    """The settings of a file's last copy that worked, said so; `None` when there is none.

    Args:
        given: The file, or the default one.
        broken: What is wrong with the file itself.
    """
    from gateway import plugins
    from gateway.settings import kept_good, load

    path = find_file(given)
    kept = kept_good(path) if path is not None else None
    if path is None or kept is None:
        return None
    try:
        settings = load(kept, options=plugins.options_of, home=path.parent)
    except ConfigError:
        return None
    click.echo(f"{broken}\n\nThe file is not right; running on its last copy that was.", err=True)
    return settings.model_copy(update={"files": (path,)})


def store_file(settings: Settings) -> Path | None:
    """The file of a SQLite store; `None` for other stores."""
    scheme, _, rest = settings.store.partition(":")
    return (settings.folder / rest).resolve() if scheme == "sqlite" else None


def control_socket(settings: Settings) -> Path:
    """Where the gateway that runs some settings on this machine listens to commands."""
    from gateway.admin.control import socket_named, socket_path

    path = store_file(settings)
    return socket_path(path) if path is not None else socket_named(f"{settings.folder}\0{settings.store}")


def open_for(settings: Settings, *, read_only: bool) -> Store:
    """The store of some settings, for a command; beside a running gateway, one file is opened read-only.

    Raises:
        ConfigError: The store lives inside the gateway's process.
        StoreError: It is not there yet.
    """
    from gateway.abc import SystemClock
    from gateway.stores import open_store
    from gateway.stores.sqlite import SqliteStore

    if settings.store == "memory:":
        raise ConfigError(
            ["store: memory lives inside the gateway's process: commands need one that is kept"]
        )
    path = store_file(settings)
    if path is None:
        return open_store(settings.store, base=settings.folder, clock=SystemClock())
    if read_only and not path.exists():
        raise StoreError(f"store {str(path)!r} does not exist yet: run the gateway first")
    return SqliteStore(path, clock=SystemClock(), read_only=read_only)


def no_such_bot(settings: Settings, bot: str) -> click.ClickException:
    """What to say where somebody named a bot that there is not."""
    return click.ClickException(f"There is no bot {bot!r}; there are: {', '.join(settings.bots)}.")


def confirm(question: str) -> None:
    """Ask before something that cannot be taken back.

    Raises:
        click.ClickException: The answer is no, or there is nobody to ask.
    """
    try:
        if click.confirm(question, err=True):
            return
    except click.Abort:
        click.echo(err=True)
        raise click.ClickException(
            "Nothing was done, for nobody could be asked: say --yes to go on without a question."
        ) from None
    raise click.ClickException("Nothing was done.")
