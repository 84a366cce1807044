"""Collect what is wrong, each with its place and what to do about it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from gateway.observability import redact
from gateway.settings.tree import Mark, Path

__all__ = ["Problems", "dotted", "suggestion"]

_SHORTEST = 4  # characters; a filled-in value that is shorter occurs in ordinary words
_MASK = "***"
_MANY = 12  # names from which on a list of them is no help


class Problems:
    """Every problem of one configuration; values that were filled in never show."""

    def __init__(self) -> None:
        self._found: dict[tuple[Mark, str], Path] = {}
        self._filled: set[str] = set()
        self._settled: set[Mark] = set()

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, mark: Mark, path: Path, told: str) -> None:
        """Note a problem; what `defaults:` does to several bots is told once."""
        if mark not in self._settled:
            self._found.setdefault((mark, told), path)

    def settle(self, mark: Mark) -> None:
        """Hear no more of a place: what is wrong with it is known, and the rest follows from that."""
        self._settled.add(mark)

    def hide(self, value: str) -> None:
        """Mask a value wherever a line would show it."""
        if len(value) >= _SHORTEST:
            self._filled.add(value)

    def lines(self) -> list[str]:
        """`file:line:column: path: what, and what to do`, in the order of each file."""
        files = list(dict.fromkeys(mark.file for mark, _ in self._found))
        ordered = sorted(
            self._found.items(),
            key=lambda one: (files.index(one[0][0].file), one[0][0].line, one[0][0].column),
        )
        return [self._line(mark, path, told) for (mark, told), path in ordered]

    def _line(self, mark: Mark, path: Path, told: str) -> str:
        where = f"{dotted(path)}: " if path else ""
        return redact(f"{mark}: {where}{self._masked(told)}")

    def _masked(self, text: str) -> str:
        if not self._filled:
            return text
        longest_first = sorted(self._filled, key=len, reverse=True)
        return re.sub("|".join(map(re.escape, longest_first)), _MASK, text)


def dotted(path: Path) -> str:
    """A path as people write it."""
    return ".".join(str(part) for part in path)


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where something known is near, else what is known."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    if len(names) > _MANY:
        return "; `lastword schema` has them all"
    return f"; known here: {', '.join(names)}" if names else ""
