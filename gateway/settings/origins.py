"""Where every effective value of a configuration stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gateway.settings.tree import Items, Mark, Path, Table, Tree, marks_in

__all__ = ["Origins", "origins_of"]


@dataclass(frozen=True, slots=True)
class Origins:
    """Places by path, after `include:` and `defaults:` were merged.

    Attributes:
        shared: Places that belong to `defaults:`.
    """

    marks: Mapping[Path, Mark] = field(default_factory=dict[Path, Mark])
    shared: frozenset[Mark] = frozenset()

    def nearest(self, path: Path) -> Mark:
        """The place of a path, or of the nearest thing above it."""
        for length in range(len(path), -1, -1):
            found = self.marks.get(path[:length])
            if found is not None:
                return found
        return Mark("settings")

    def told(self, path: Path) -> str:
        """Where an effective value comes from: its place, with `defaults:` before it, or `default`."""
        mark = self.marks.get(path)
        if mark is None:
            return "default"
        return f"defaults: {mark}" if mark in self.shared else str(mark)


def origins_of(tree: Table) -> Origins:
    """The places of a merged tree."""
    marks: dict[Path, Mark] = {}
    _gather(tree, (), marks)
    defaults = tree.entries.get("defaults")
    return Origins(marks, frozenset(marks_in(defaults)) if defaults is not None else frozenset())


def _gather(tree: Tree, path: Path, marks: dict[Path, Mark]) -> None:
    marks[path] = tree.mark
    if isinstance(tree, Items):
        for at, one in enumerate(tree.items):
            _gather(one, (*path, at), marks)
    elif isinstance(tree, Table):
        for key, one in tree.entries.items():
            _gather(one, (*path, key), marks)
