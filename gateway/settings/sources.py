"""Gather a configuration from its file, the files it includes, and the environment."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from pathlib import Path as File

from gateway.errors import ConfigError
from gateway.settings.document import read
from gateway.settings.problems import Problems
from gateway.settings.substitution import Substitution, read_dotenv
from gateway.settings.tree import Items, Leaf, Mark, Table, Tree

__all__ = ["gathered"]

_MOST_FILES = 200
_SECTIONS = ("agents", "bots")


def gathered(
    file: File, *, env: Mapping[str, str], problems: Problems, home: File | None = None
) -> tuple[Table, tuple[File, ...]]:
    """The whole configuration as one tree, with every `${…}` filled, and the files it was read from.

    Args:
        file: The main file.
        env: Variables; they win over those of a `.env` beside the file.
        problems: Takes what is wrong and still leaves something to read.
        home: Where `.env` and other files are looked for; the file's folder by default.

    Raises:
        ConfigError: A file is missing, or is not YAML.
    """
    folder, home = file.parent, home or file.parent
    known = {**read_dotenv(home / ".env", shown=str(home / ".env"), problems=problems), **env}
    substitution = Substitution(known, home, problems)
    files = [file]
    tree = substitution.table(read(file, shown=str(file), problems=problems))
    for name, mark in _included(tree, folder, problems):
        if os.path.realpath(name) == os.path.realpath(file):
            problems.add(mark, ("include",), "this names the file itself: narrow the pattern")
            continue
        other = substitution.table(read(File(name), shown=name, problems=problems))
        tree = _joined(tree, other, problems)
        files.append(File(name))
    return tree, tuple(files)


def _included(tree: Table, folder: File, problems: Problems) -> Iterator[tuple[str, Mark]]:
    """The files that `include:` names, in the order of their names, each once."""
    found: dict[str, Mark] = {}
    for pattern in _patterns(tree.entries.get("include")):
        text = pattern.value if isinstance(pattern, Leaf) else None
        if not isinstance(text, str) or not text or "\0" in text:
            problems.add(pattern.mark, ("include",), "should be a path or a pattern such as bots.d/*.yaml")
            continue
        names = sorted(glob.glob(f"{File(glob.escape(str(folder))) / text}"))  # noqa: PTH207  # absolute patterns too
        if not names and not glob.has_magic(text):
            problems.add(pattern.mark, ("include",), "there is no such file: correct the path")
        if len(names) > _MOST_FILES:
            raise ConfigError([f"{pattern.mark}: include: this names {len(names)} files: narrow the pattern"])
        for name in names:
            found.setdefault(str(File(name)), pattern.mark)
    yield from found.items()


def _patterns(tree: Tree | None) -> tuple[Tree, ...]:
    if isinstance(tree, Items):
        return tree.items
    return () if tree is None or (isinstance(tree, Leaf) and tree.value is None) else (tree,)


def _joined(tree: Table, other: Table, problems: Problems) -> Table:
    """The tree with an included file's agents and bots."""
    entries, keys = dict(tree.entries), dict(tree.keys)
    for section, more in other.entries.items():
        if section not in _SECTIONS:
            told = "belongs in the main file: an included one holds `agents:` and `bots:` only"
            problems.add(other.keys[section], (section,), told)
            continue
        keys.setdefault(section, other.keys[section])
        entries[section] = _together(entries.get(section), more, section, problems)
    return Table(tree.mark, entries, keys)


def _together(have: Tree | None, more: Tree, section: str, problems: Problems) -> Tree:
    if not isinstance(have, Table):
        return more
    if not isinstance(more, Table):
        problems.add(more.mark, (section,), "should hold keys: write them indented below it")
        return have
    for name in more.entries.keys() & have.entries.keys():
        told = f"this name is taken at {have.keys[name]}: choose another"
        problems.add(more.keys[name], (section, name), told)
    return Table(have.mark, {**more.entries, **have.entries}, {**more.keys, **have.keys})
