"""Read one YAML file into a tree: bounded, with positions, refusing what operators would be surprised by."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path as File

import yaml

from gateway.errors import ConfigError
from gateway.settings.diagnosis import aligned, diagnosed
from gateway.settings.problems import Problems
from gateway.settings.scalars import resolve
from gateway.settings.tree import Items, Leaf, Mark, Path, Table, Tree

__all__ = ["read"]

_MOST_BYTES = 256 * 1024
_MOST_NODES = 20_000
_DEEPEST = 40
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS = frozenset(f"{_CORE}{name}" for name in ("str", "int", "float", "bool", "null"))
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(file: File, *, shown: str, problems: Problems) -> Table:
    """Read one file.

    Args:
        file: The file.
        shown: How it is called in positions.
        problems: Takes what is wrong and still leaves something to read.

    Raises:
        ConfigError: Nothing can be made of it.
    """
    text = _decoded(_bytes(file, shown), shown)
    try:
        tree = _Composer(text, shown, problems).document()
    except yaml.MarkedYAMLError as exc:
        line, column, told = diagnosed(exc, text.splitlines())
        raise ConfigError([f"{Mark(shown, line + 1, column + 1)}: this is not YAML: {told}"]) from exc
    except (yaml.YAMLError, UnicodeError) as exc:
        raise ConfigError([f"{shown}:1:1: this is not YAML: write it anew as plain text"]) from exc
    if tree is None:
        raise ConfigError([f"{shown}:1:1: the file is empty: add `bots:`"])
    if not isinstance(tree, Table):
        raise ConfigError([f"{tree.mark}: the file must hold keys such as `agents:` and `bots:`"])
    return aligned(tree, problems)


def _bytes(file: File, shown: str) -> bytes:
    try:
        if not file.is_file():
            told = "is not a file" if file.exists() else "there is no such file"
            raise ConfigError([f"{shown}: {told}: name another"])
        with file.open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
    except OSError as exc:
        raise ConfigError([f"{shown}: cannot be read: {exc.strerror or 'check it'}"]) from exc
    if len(raw) > _MOST_BYTES:
        raise ConfigError([f"{shown}: is larger than {_MOST_BYTES} bytes: split it with `include:`"])
    return raw


def _decoded(raw: bytes, shown: str) -> str:
    encoding = next((name for mark, name in _ENCODINGS if raw.startswith(mark)), "utf-8")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as exc:
        mark = _place(raw[: exc.start].decode(encoding, "replace"), shown)
        raise ConfigError([f"{mark}: this is not UTF-8: save the file as UTF-8"]) from exc
    odd = _UNPRINTABLE.search(text)
    if odd is not None:
        mark = _place(text[: odd.start()], shown)
        code = f"U+{ord(odd.group()):04X}"
        raise ConfigError([f"{mark}: the invisible character {code} stands here: remove it"])
    return text


def _place(before: str, shown: str) -> Mark:
    return Mark(shown, before.count("\n") + 1, len(before) - before.rfind("\n"))


class _Composer:
    """Builds the tree from the parser's events, which come one by one: bombs are met before they burst."""

    def __init__(self, text: str, shown: str, problems: Problems) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)
        self._shown = shown
        self._problems = problems
        self._anchors: dict[str, tuple[Tree, int]] = {}  # with how many nodes each holds
        self._nodes = 0

    def document(self) -> Tree | None:
        """The only document; `None` for none."""
        tree: Tree | None = None
        for event in self._events:
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            if tree is not None:
                raise ConfigError([f"{self._mark(event)}: a second document begins here: remove the ---"])
            tree = self._tree(next(self._events), ())
        return tree

    def _tree(self, event: yaml.Event, path: Path) -> Tree:
        before = self._nodes
        self._count(1, event, path)
        match event:
            case yaml.AliasEvent():
                return self._alias(event, path)
            case yaml.ScalarEvent():
                tree: Tree = self._leaf(event, path)
            case yaml.SequenceStartEvent():
                tree = self._items(event, path)
            case yaml.MappingStartEvent():
                tree = self._table(event, path)
            case _:
                raise ConfigError([f"{self._mark(event)}: this cannot be read: write it anew"])
        if event.anchor:
            self._anchors[event.anchor] = tree, self._nodes - before
        return tree

    def _count(self, more: int, event: yaml.Event, path: Path) -> None:
        self._nodes += more
        if self._nodes > _MOST_NODES:
            told = f"more than {_MOST_NODES} values, an alias counted as all it stands for: write less"
            raise ConfigError([f"{self._mark(event)}: {told}"])
        if len(path) > _DEEPEST:
            raise ConfigError([f"{self._mark(event)}: it is nested too deep: write it flatter"])

    def _alias(self, event: yaml.AliasEvent, path: Path) -> Tree:
        name = event.anchor or ""
        tree, size = self._anchors.get(name, (None, 0))
        if tree is None:
            self._problem(event, path, f"nothing before this is called &{name}: check the name")
            return Leaf(self._mark(event), None)
        self._count(size, event, path)
        return tree

    def _leaf(self, event: yaml.ScalarEvent, path: Path) -> Leaf:
        text = event.value
        if _SURROGATE.search(text):
            self._problem(event, path, "half a character stands here: write the character itself")
            text = ""
        if not self._allowed(event.tag, _SCALAR_TAGS, event, path):
            return Leaf(self._mark(event), None)
        as_written = not event.implicit[0] or (event.tag or "") in ("!", f"{_CORE}str")
        typed = event.tag in _SCALAR_TAGS and event.tag != f"{_CORE}str"
        return Leaf(self._mark(event), text if as_written and not typed else resolve(text))

    def _items(self, event: yaml.SequenceStartEvent, path: Path) -> Items:
        self._allowed(event.tag, frozenset({f"{_CORE}seq"}), event, path)
        items: list[Tree] = []
        while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
            items.append(self._tree(inner, (*path, len(items))))
        return Items(self._mark(event), tuple(items))

    def _table(self, event: yaml.MappingStartEvent, path: Path) -> Table:
        self._allowed(event.tag, frozenset({f"{_CORE}map"}), event, path)
        entries: dict[str, Tree] = {}
        keys: dict[str, Mark] = {}
        while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
            key = self._key(inner, path)
            tree = self._tree(next(self._events), (*path, "" if key is None else key))
            if key is None:
                continue
            if key in keys:
                self._problem(
                    inner, (*path, key), f"this key stands at line {keys[key].line} already: keep one of them"
                )
                continue
            entries[key], keys[key] = tree, self._mark(inner)
        return Table(self._mark(event), entries, keys)

    def _key(self, event: yaml.Event, path: Path) -> str | None:
        """The key; `None` for one that was refused."""
        if not isinstance(event, yaml.ScalarEvent):
            self._tree(event, (*path, ""))  # takes its events
            self._problem(event, path, "a key must be plain text: write a word before the ':'")
            return None
        if event.value == "<<" and event.implicit[0]:
            self._problem(
                event,
                path,
                "merge keys (<<) are not read: use `defaults:`, or write it out",
            )
            return None
        if _SURROGATE.search(event.value) or not self._allowed(event.tag, _SCALAR_TAGS, event, path):
            return None
        return event.value

    def _allowed(self, tag: str | None, known: frozenset[str], event: yaml.Event, path: Path) -> bool:
        if tag is None or tag == "!" or tag in known:
            return True
        shown = f"!!{tag.removeprefix(_CORE)}" if tag.startswith(_CORE) else tag
        self._problem(event, path, f"the tag {shown} is not read: write the plain value")
        return False

    def _problem(self, event: yaml.Event, path: Path, told: str) -> None:
        self._problems.add(self._mark(event), path, told)

    def _mark(self, event: yaml.Event) -> Mark:
        at = event.start_mark
        return Mark(self._shown) if at is None else Mark(self._shown, at.line + 1, at.column + 1)
