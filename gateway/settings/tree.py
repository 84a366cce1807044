"""YAML as a tree in which every value knows where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Items",
    "Key",
    "Leaf",
    "Mark",
    "Path",
    "Scalar",
    "Table",
    "Tree",
    "marks_in",
    "merged",
    "plain",
    "tree_of",
]

Key = str | int
Path = tuple[Key, ...]
Scalar = str | int | float | bool | None
Data: TypeAlias = "Scalar | Mapping[str, Data]"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file, counted from 1; line 0 for something that stands in no file."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar."""

    mark: Mark
    value: Scalar


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    mark: Mark
    items: tuple[Tree, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A map of keys.

    Attributes:
        keys: Where each key stands.
    """

    mark: Mark
    entries: Mapping[str, Tree] = field(default_factory=dict[str, "Tree"])
    keys: Mapping[str, Mark] = field(default_factory=dict[str, Mark])

    def only(self, names: frozenset[str]) -> Table:
        """The table with no keys but these."""
        return self.leaving(frozenset(self.entries) - names)

    def leaving(self, names: frozenset[str]) -> Table:
        """The table without these keys."""
        return Table(
            self.mark,
            {key: tree for key, tree in self.entries.items() if key not in names},
            {key: mark for key, mark in self.keys.items() if key not in names},
        )


Tree: TypeAlias = Leaf | Items | Table


def plain(tree: Tree) -> object:
    """The tree's data without its marks."""
    match tree:
        case Leaf():
            return tree.value
        case Items():
            return [plain(one) for one in tree.items]
        case Table():
            return {key: plain(one) for key, one in tree.entries.items()}


def merged(below: Tree | None, above: Tree) -> Tree:
    """`above` over `below`: tables merge, anything else replaces."""
    if not isinstance(below, Table) or not isinstance(above, Table):
        return above
    entries = dict(below.entries)
    for key, tree in above.entries.items():
        entries[key] = merged(entries.get(key), tree)
    return Table(above.mark, entries, {**below.keys, **above.keys})


def marks_in(tree: Tree) -> Iterator[Mark]:
    """Every place a tree's values and keys stand at."""
    yield tree.mark
    if isinstance(tree, Items):
        for one in tree.items:
            yield from marks_in(one)
    elif isinstance(tree, Table):
        yield from tree.keys.values()
        for one in tree.entries.values():
            yield from marks_in(one)


def tree_of(data: Mapping[str, Data], mark: Mark) -> Table:
    """A tree of data that stands in no file."""
    entries = {
        key: tree_of(value, mark) if isinstance(value, Mapping) else Leaf(mark, value)
        for key, value in data.items()
    }
    return Table(mark, entries, dict.fromkeys(entries, mark))
