"""The last configuration that worked, kept beside the file, for a start after a broken edit."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path as File

__all__ = ["keep_good", "kept_good"]

_FOLDER = ".lastword"
_NAME = "last-good"


def keep_good(files: Sequence[File]) -> bool:
    """Keep copies of the files that a configuration was read from, for this user only.

    Variables stay unfilled and `.env` is not copied, so no more secrets lie around than before.

    Returns:
        Whether they are kept; not where the folder cannot be written, or where a file lies outside of it.
    """
    if not files:
        return False
    home = files[0].parent
    kept = home / _FOLDER / _NAME
    fresh = home / _FOLDER / f"{_NAME}.new"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True, mode=0o700)
        for file in files:
            copy = fresh / os.path.relpath(file, home)
            if not copy.resolve().is_relative_to(fresh.resolve()):
                raise OSError("outside of the folder")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
            copy.chmod(0o600)
        shutil.rmtree(kept, ignore_errors=True)
        fresh.rename(kept)
    except OSError:
        with contextlib.suppress(OSError):
            shutil.rmtree(fresh, ignore_errors=True)
        return False
    return True


def kept_good(file: File) -> File | None:
    """The kept copy of a main file; `None` when there is none."""
    kept = file.parent / _FOLDER / _NAME / file.name
    return kept if kept.is_file() else None
