"""Read YAML into plain data and a map of positions, with YAML 1.2's core types only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from gateway.errors import ConfigError

__all__ = ["Key", "Position", "Tree", "read"]

Key = str | int
_MOST_BYTES = 256 * 1024
_MOST_NODES = 20_000
_DEEPEST = 40
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file, counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(slots=True)
class Tree:
    """A file's data.

    Attributes:
        positions: Where each value stands, by its path; the root is the empty path.
        quoted: Paths of scalars that were quoted, so that they stay text.
        problems: What is wrong so far, a line each.
    """

    data: object = None
    positions: dict[tuple[Key, ...], Position] = field(default_factory=dict[tuple[Key, ...], Position])
    problems: list[str] = field(default_factory=list[str])

    def where(self, path: tuple[Key, ...]) -> str:
        """The position of a path, or of the nearest thing above it."""
        for length in range(len(path), -1, -1):
            found = self.positions.get(path[:length])
            if found is not None:
                return str(found)
        return "?"


def read(path: Path, *, name: str) -> Tree:
    """Read one file.

    Args:
        path: The file.
        name: How it is called in positions.

    Raises:
        ConfigError: It cannot be read, or is no YAML at all; problems that leave data are in the tree.
    """
    text = _text(path, name)
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        at = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark is not None else name
        raise ConfigError([f"{at}: not YAML: {exc.problem or exc.context}; {_hint(exc)}"]) from exc
    except (yaml.YAMLError, RecursionError, ValueError) as exc:
        raise ConfigError([f"{name}: not YAML that can be read: {type(exc).__name__}"]) from exc
    tree = Tree()
    if node is not None:
        tree.data = _Walk(tree, name).value(node, ())
    return tree


def _text(path: Path, name: str) -> str:
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise ConfigError([f"{name}: cannot be read: {exc.strerror or exc}"]) from exc
    if len(raw) > _MOST_BYTES:
        raise ConfigError(
            [f"{name}: is {len(raw)} bytes long; split it with `include:` (at most {_MOST_BYTES})"]
        )
    try:
        return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as exc:
        raise ConfigError([f"{name}: is not UTF-8 text (byte {exc.start}); save it as UTF-8"]) from exc


def _hint(exc: yaml.MarkedYAMLError) -> str:
    problem = exc.problem or ""
    if "\\t" in problem or "tab" in problem:
        return "indent with spaces, not tabs"
    if "mapping values are not allowed" in problem:
        return "quote a text that holds ': ', and check the indentation above"
    return "check quotes, brackets and indentation just before it"


class _Walk:
    """One walk over the nodes of a file."""

    def __init__(self, tree: Tree, name: str) -> None:
        self._tree = tree
        self._name = name
        self._nodes = 0

    def value(self, node: yaml.Node, path: tuple[Key, ...]) -> object:
        self._nodes += 1
        if self._nodes > _MOST_NODES or len(path) > _DEEPEST:
            at = self._at(node)
            raise ConfigError([f"{at}: nested or repeated too much; write it without anchors"])
        self._tree.positions[path] = self._at(node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            if node.tag != f"{_CORE}seq":
                self._refuse_tag(node, path)
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        raise ConfigError([f"{self._at(node)}: this cannot be read"])

    def _mapping(self, node: yaml.MappingNode, path: tuple[Key, ...]) -> dict[str, object]:
        if node.tag != f"{_CORE}map":
            self._refuse_tag(node, path)
        out: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in self._pairs(node):
            key = self._key(key_node, path)
            if key is None:
                continue
            if key in lines:
                self._problem(
                    key_node, path, f"duplicate key {key!r}; it stands at line {lines[key]} already"
                )
                continue
            lines[key] = key_node.start_mark.line + 1
            out[key] = self.value(value_node, (*path, key))
            if not isinstance(value_node, yaml.ScalarNode):
                self._tree.positions[(*path, key)] = self._at(key_node)
        return out

    def _pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        yield from node.value

    def _key(self, node: yaml.Node, path: tuple[Key, ...]) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self._problem(node, path, "a key must be plain text")
            return None
        if node.value == "<<" and not node.style:
            self._problem(node, path, "merge keys (<<) are not read; use `defaults:` or write the keys out")
            return None
        return str(node.value)

    def _scalar(self, node: yaml.ScalarNode, path: tuple[Key, ...]) -> object:
        text = str(node.value)
        if node.tag.startswith("!") or node.tag.rpartition(":")[2] in ("binary", "set", "omap", "pairs"):
            self._refuse_tag(node, path)
            return text
        return text if node.style else _typed(text)

    def _refuse_tag(self, node: yaml.Node, path: tuple[Key, ...]) -> None:
        self._problem(node, path, f"the tag {node.tag!r} is not read; write the plain value")

    def _problem(self, node: yaml.Node, path: tuple[Key, ...], told: str) -> None:
        dotted = ".".join(str(part) for part in path)
        self._tree.problems.append(f"{self._at(node)}: {dotted + ': ' if dotted else ''}{told}")

    def _at(self, node: yaml.Node) -> Position:
        return Position(self._name, node.start_mark.line + 1, node.start_mark.column + 1)


def _typed(text: str) -> object:
    """A plain scalar by YAML 1.2's core schema."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if _INTEGER.fullmatch(text) and len(text) <= 18:  # longer ones are ids, not numbers
        return int(text)
    if _FLOAT.fullmatch(text) and not text.lstrip("+-").isdigit():
        return float(text)
    return text
