"""`lastword service`: let systemd keep a gateway running."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gateway.settings import Settings

__all__ = ["command"]

_SYSTEM = Path("/etc/systemd/system")
_BOOTED = Path("/run/systemd/system")  # there exactly when systemd is the init system, says sd_booted(3)
_NAME = "lastword"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@click.group("service")
def command() -> None:
    """Let systemd start the gateway with the machine, watch it, and start it again."""


def _named(_: click.Context, __: click.Parameter, value: str) -> str:  # click's own signature
    if not _PLAIN_NAME.fullmatch(value):
        raise click.BadParameter("use letters, digits, dots, dashes and underscores")
    return value


_name = click.option("--name", default=_NAME, show_default=True, callback=_named, help="The unit's name.")
_user = click.option("--user", "mine", is_flag=True, help="A unit of yours instead of the system's.")


@command.command("install")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@_name
@_user
@click.option("--run-as", default="", help="The user a system's unit runs as; by default the owner of FILE.")
@click.option("--print", "only_print", is_flag=True, help="Print the unit; install nothing.")
@click.option("--start/--no-start", default=True, help="Whether to start it now.")
def install(file: Path | None, *, name: str, mine: bool, run_as: str, only_print: bool, start: bool) -> None:
    """Write the unit of FILE's gateway (default: as `run` does), enable it and start it."""
    from gateway.admin.unit import Service, unit
    from gateway.cli.loading import find_file, load_file

    settings = load_file(file)
    config = find_file(file)
    if config is None:  # `load_file` has said so already
        raise click.ClickException("There is no configuration to run.")
    if mine and run_as:
        raise click.UsageError("A unit of yours runs as you: leave --run-as out, or --user.")
    owner = "" if mine else run_as or _owner(config)
    writes, temporary = _writes(settings)
    text = unit(Service(_program(), config.resolve(), writes, owner, private_tmp=not temporary))
    if only_print:
        click.echo(text, nl=False)
        return
    if owner == "root":
        raise click.ClickException(
            f"{config} belongs to root, and a gateway needs no such rights: name a user with --run-as"
            f" (`useradd --system lastword` makes one), and let the files belong to it."
        )
    _require_user(owner)
    _require_systemd()
    _make(writes, owner)
    place = _folder(mine=mine) / f"{name}.service"
    _write(place, text)
    _systemctl(["daemon-reload"], mine=mine)
    _systemctl(["enable", *(["--now"] if start else []), place.name], mine=mine)
    status = ["lastword", "service", "status", *(["--user"] if mine else [])]
    status += ["--name", name] if name != _NAME else []
    click.echo(
        f"{place} is installed{' and started' if start else ''}; `{' '.join(status)}` tells how it stands."
    )
    if mine:
        click.echo("It ends when you log out, unless `loginctl enable-linger` was said once.")


@command.command("status")
@_name
@_user
def status(*, name: str, mine: bool) -> None:
    """Tell how the unit stands; the exit code is systemd's, 0 when it runs."""
    _require_systemd()
    ended = subprocess.run([*_manager(mine=mine), "status", "--no-pager", f"{name}.service"], check=False)  # noqa: S603  # our own words
    raise SystemExit(ended.returncode)


@command.command("uninstall")
@_name
@_user
def uninstall(*, name: str, mine: bool) -> None:
    """Stop the unit and remove it; the configuration and the store stay."""
    _require_systemd()
    place = _folder(mine=mine) / f"{name}.service"
    if not place.exists():
        raise click.ClickException(f"{place} does not exist: nothing is installed under that name.")
    _systemctl(["disable", "--now", place.name], mine=mine)
    place.unlink()
    _systemctl(["daemon-reload"], mine=mine)
    click.echo(f"{place} is removed.")


def _program() -> tuple[str, ...]:
    """How this very `lastword` is started."""
    beside = Path(sys.executable).with_name("lastword")
    return (str(beside),) if beside.is_file() else (sys.executable, "-m", "gateway")


def _writes(settings: Settings) -> tuple[tuple[Path, ...], bool]:
    """The folders a gateway writes to, and whether that for temporary files is one that commands look in.

    They are its store's, the configuration's for the last good copy, and the control socket's.
    """
    from gateway.cli.loading import control_socket, store_file

    store = store_file(settings)
    control = control_socket(settings).parent
    folders = [settings.folder.resolve(), *([store.parent] if store is not None else []), control]
    return tuple(dict.fromkeys(folders)), control == Path(tempfile.gettempdir())


def _make(folders: Sequence[Path], owner: str) -> None:
    """Make the folders that are not there; the unit would not start without them."""
    for folder in folders:
        if folder.exists():
            continue
        folder.mkdir(parents=True, mode=0o700)
        if owner:
            shutil.chown(folder, owner)


def _owner(config: Path) -> str:
    try:
        return config.owner()
    except (KeyError, NotImplementedError) as exc:
        raise click.ClickException(
            f"{config} belongs to nobody known here: name a user with --run-as."
        ) from exc


def _require_user(name: str) -> None:
    if not name:
        return
    try:
        pwd.getpwnam(name)
    except KeyError:
        raise click.ClickException(
            f"There is no user {name!r} on this machine: `useradd --system {shlex.quote(name)}` makes one."
        ) from None


def _folder(*, mine: bool) -> Path:
    if not mine:
        return _SYSTEM
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd/user"


def _require_systemd() -> None:
    if not _BOOTED.is_dir():
        raise click.ClickException(
            "systemd does not run this machine. `lastword service install --print` shows the unit;"
            " in a container, docker-compose.yml does the same work."
        )


def _write(place: Path, text: str) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    except PermissionError as exc:
        raise click.ClickException(
            f"{place} cannot be written: run this with sudo, or install a unit of yours with --user."
        ) from exc


def _manager(*, mine: bool) -> list[str]:
    return ["systemctl", *(["--user"] if mine else [])]


def _systemctl(words: Sequence[str], *, mine: bool) -> None:
    ended = subprocess.run([*_manager(mine=mine), *words], check=False, capture_output=True, text=True)  # noqa: S603  # our own words
    if ended.returncode:
        raise click.ClickException(f"systemctl {' '.join(words)} failed: {ended.stderr.strip()}")
