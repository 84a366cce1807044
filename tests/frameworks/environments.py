"""An environment for each framework, made once from pinned requirements and kept between runs."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["CACHE", "ROOT", "NoEnvironmentError", "lock", "python_of"]

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "frameworks"
_REQUIREMENTS = Path(__file__).parent / "requirements"
_MINUTES = 10


class NoEnvironmentError(Exception):
    """An environment could not be made; the message says why."""


def python_of(name: str) -> Path:
    """The Python of an environment, which is made where there is none yet.

    Raises:
        NoEnvironmentError: It could not be made.
    """
    pinned = _REQUIREMENTS / f"{name}.txt"
    known = hashlib.sha256(pinned.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = CACHE / f"{name}-{known}"
    python = folder / "bin" / "python"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # test workers share it
        if not (folder / "complete").exists():
            for older in CACHE.glob(f"{name}-{'?' * len(known)}"):
                shutil.rmtree(older)
            _run("-m", "venv", "--without-pip", str(folder))
            _run(*_PIP, "--python", str(python), "install", *_QUIETLY, *_PINNED, str(pinned))
            (folder / "complete").touch()
    return python


_PIP = ("-m", "pip")
_QUIETLY = ("--quiet", "--disable-pip-version-check", "--no-input")
_PINNED = ("--no-deps", "--require-hashes", "--requirement")


def _run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=_MINUTES * 60, check=False
    )
    if done.returncode:
        raise NoEnvironmentError(done.stderr.strip()[-500:])


def lock() -> None:
    """Pin the newest release of each framework, beside what Lastword itself is pinned to where that fits."""
    for wanted in sorted(_REQUIREMENTS.glob("*.in")):
        pinned = wanted.with_suffix(".txt")
        shutil.copy(ROOT / "requirements.lock", pinned)  # what it finds there, it prefers
        subprocess.run(
            [
                str(Path(sys.executable).with_name("uv")),
                *("pip", "compile", "--quiet", "--universal", "--python-version", "3.11"),
                *("--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url"),
                *("--output-file", str(pinned), str(wanted), str(ROOT / "pyproject.toml")),
            ],
            check=True,
        )
