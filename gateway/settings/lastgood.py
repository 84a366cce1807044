"""The last configuration that worked, kept beside the file, for a start after a broken edit."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path as File

from gateway.errors import ConfigError
from gateway.settings.loading import OptionsOf, load
from gateway.settings.models import Settings

__all__ = ["keep_good", "kept_good"]

_FOLDER = ".lastword"
_NAME = "last-good"


def keep_good(settings: Settings, *, options: OptionsOf) -> bool:
    """Keep copies of the files that a configuration was read from, for this user only.

    Variables stay unfilled and `.env` is not copied, so no more secrets lie around than before. The copies
    are read once more: somebody may have written to a file since it was read.

    Returns:
        Whether they are kept; not where the folder cannot be written, where a file lies outside of it, or
        where the files say something else by now.
    """
    if not settings.files:
        return False
    home = settings.files[0].parent
    kept, fresh, old = (home / _FOLDER / f"{_NAME}{end}" for end in ("", ".new", ".old"))
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        _copy(settings.files, fresh)
        if not _says_the_same(fresh / settings.files[0].name, settings, options):
            raise OSError("changed meanwhile")
        shutil.rmtree(old, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            kept.rename(old)
        fresh.rename(kept)
    except OSError:
        shutil.rmtree(fresh, ignore_errors=True)
        return False
    shutil.rmtree(old, ignore_errors=True)
    return True


def kept_good(file: File) -> File | None:
    """The kept copy of a main file; `None` when there is none."""
    copies = (file.parent / _FOLDER / f"{_NAME}{end}" / file.name for end in ("", ".old"))
    return next((copy for copy in copies if copy.is_file()), None)


def _copy(files: Sequence[File], fresh: File) -> None:
    """Copy files to a folder of their own, as they lie to each other.

    Raises:
        OSError: One cannot be read or written, or lies outside of the main file's folder.
    """
    fresh.mkdir(parents=True, mode=0o700)
    for file in files:
        copy = fresh / os.path.relpath(file, files[0].parent)
        if not copy.resolve().is_relative_to(fresh.resolve()):
            raise OSError("outside of the folder")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
        copy.chmod(0o600)


def _says_the_same(copy: File, settings: Settings, options: OptionsOf) -> bool:
    try:
        read = load(copy, options=options, home=settings.files[0].parent)
    except ConfigError:
        return False
    return _said(read) == _said(settings)


def _said(settings: Settings) -> dict[str, object]:
    """What a configuration says, wherever it stands."""
    return {name: value for name, value in settings if name not in ("files", "origins")}
