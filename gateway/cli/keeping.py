"""Keep what `init` writes: secrets beside the configuration, and every file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gateway.errors import ConfigError
from gateway.settings.problems import Problems
from gateway.settings.substitution import read_dotenv

__all__ = ["Page", "Secrets", "write"]

_SECRET, _OPEN = 0o600, 0o644


@dataclass(frozen=True, slots=True)
class Page:
    """A file to write.

    Attributes:
        secret: Whether nobody but its owner may read it.
    """

    path: Path
    text: str
    secret: bool = False


class Secrets:
    """The variables a configuration is filled from: a `.env` beside it, and above that the environment.

    Raises:
        ConfigError: The `.env` cannot be read.
    """

    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self.file = folder / ".env"
        problems = Problems()
        self._env = env
        self._kept = read_dotenv(self.file, shown=str(self.file), problems=problems)
        if problems:
            raise ConfigError(problems.lines())
        self._new: dict[str, str] = {}

    def find(self, name: str) -> str:
        """A variable's value; empty when it has none."""
        return self._env.get(name, self._kept.get(name, ""))

    def home(self, name: str) -> str:
        """Where a variable stands, as operators say it."""
        return "the environment" if name in self._env else str(self.file)

    def keep(self, name: str, value: str) -> str:
        """Keep a value; the name it has, which is another one where that is taken by another value."""
        number, free = 1, name
        while self._taken(free, value):
            number += 1
            free = f"{name}_{number}"
        if self.find(free) != value:
            self._new[free] = value
        return free

    def page(self) -> Page | None:
        """The `.env` with what is new at its end; `None` when nothing is."""
        if not self._new:
            return None
        before = self.file.read_text("utf-8-sig") if self.file.exists() else ""
        if before and not before.endswith("\n"):
            before += "\n"
        lines = "".join(f"{name}={_quoted(value)}\n" for name, value in self._new.items())
        return Page(self.file, before + lines, secret=True)

    def _taken(self, name: str, value: str) -> bool:
        if name in self._env:
            return self._env[name] != value
        return self._kept.get(name, "") not in ("", value)


def _quoted(value: str) -> str:
    return f'"{value}"' if value[:1] in "\"'" or any(mark.isspace() for mark in value) else value


def write(pages: Iterable[Page]) -> None:
    """Write files: each is whole at its place or not there, and none is replaced before all are written.

    Raises:
        OSError: Something cannot be written; nothing was replaced.
    """
    with contextlib.ExitStack() as leftovers:
        staged: list[tuple[Path, Path]] = []
        for page in pages:
            made, place = _staged(page)
            leftovers.callback(made.unlink, missing_ok=True)
            staged.append((made, place))
        for made, place in staged:
            made.replace(place)


def _staged(page: Page) -> tuple[Path, Path]:
    """A file beside its place with the text, and the place: behind a link, what the link names."""
    place = page.path.resolve()
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    made = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(page.text)
        made.chmod(_SECRET if page.secret else _OPEN)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return made, place
