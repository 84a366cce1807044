"""Tell what somebody did who wrote YAML that is none, or whose lines slid out of their place."""

from __future__ import annotations

import re
from collections.abc import Sequence

import yaml

from gateway.settings.problems import Problems
from gateway.settings.tree import Items, Leaf, Table, Tree

__all__ = ["aligned", "diagnosed"]

_GLUED = re.compile(r"\s*(?:- +)?([\w-]+):[^\s/]")
_BARE = re.compile(r"\s*(?:- +)?([\w-]+)\s*")
_AGENT = frozenset({"api_key", "factory", "instructions", "kind", "model", "script", "target"})
_BOT = frozenset({"agent", "bot_token", "platform", "surface_completion_reason", "token"})
_TABLES = frozenset(
    {"access", "agent", "limits", "notes", "session"}
)  # of a bot's keys, those that hold keys
Place = tuple[int, int, str]


def diagnosed(exc: yaml.MarkedYAMLError, lines: Sequence[str]) -> Place:
    """Line and column, both from 0, where the mistake most likely is, and what to do about it."""
    mark, began = exc.problem_mark or exc.context_mark, exc.context_mark or exc.problem_mark
    if mark is None or began is None:
        return 0, 0, "write it anew as plain text"
    problem, context = exc.problem or "", exc.context or ""
    line = lines[mark.line] if mark.line < len(lines) else ""
    at_its_start = not line[: mark.column].strip()
    if "\t" in line[: len(line) - len(line.lstrip())] or "tab" in problem:
        return mark.line, mark.column, "a tab stands here: indent with spaces"
    lacking = _lacking(lines, mark.line if "simple key" not in context else began.line + 1)
    if lacking is not None and ("mapping values" in problem or "expected ':'" in problem):
        return lacking
    if "mapping values" in problem:
        told = "a ':' stands where none can: put the text in quotes, or check the indentation"
        return mark.line, mark.column, told
    if "expected ':'" in problem:
        return began.line, began.column, "a ':' is missing: write it after the key, and a space behind it"
    if "nesting" in problem:
        return mark.line, mark.column, "it is nested too deep: write it flatter"
    if "quoted scalar" in context:
        return began.line, began.column, "this quote is never closed: add one where the text ends"
    if "flow" in context and began.line < mark.line:
        bracket, closing = ("[", "]") if "sequence" in context else ("{", "}")
        return began.line, began.column, f"this {bracket} is never closed: add the {closing}"
    if problem == "did not find expected key" and at_its_start:
        told = "this line begins at a column where none above it does: align it with its neighbours"
        return mark.line, mark.column, told
    told = f"{problem or context or 'it breaks off'}: check quotes, brackets and indentation just before it"
    return mark.line, mark.column, told


def _lacking(lines: Sequence[str], before: int) -> Place | None:
    """What the last line before another lacks: the colon behind its key, or the space behind that."""
    for number in range(min(before, len(lines)) - 1, -1, -1):
        if lines[number].strip():
            glued, bare = _GLUED.match(lines[number]), _BARE.fullmatch(lines[number])
            if glued is not None:
                return number, glued.end(1), f"a space is missing after '{glued[1]}:'"
            if bare is not None:
                return number, bare.start(1), f"a ':' is missing after '{bare[1]}'"
            return None
    return None


def aligned(tree: Table, problems: Problems) -> Table:
    """The tree with keys that slid out of their bot or agent put back into it; each slide is told once."""
    entries = dict(tree.entries)
    for section, example, own in (("agents", "helper", _AGENT), ("bots", "support", _BOT)):
        table = entries.get(section)
        if isinstance(table, Items):
            told = f"is a list: write a name in place of each -, such as `{example}:`"
            problems.add(table.mark, (section,), told)
            named = {f"{example}{at}": one for at, one in enumerate(table.items)}
            entries[section] = Table(table.mark, named, {name: one.mark for name, one in named.items()})
        elif isinstance(table, Table):
            entries[section] = _realigned(table, section, example, own, problems)
    return Table(tree.mark, entries, tree.keys)


def _realigned(table: Table, section: str, example: str, own: frozenset[str], problems: Problems) -> Table:
    names = list(table.entries)
    loose = [name for name in names if _loose(name, table.entries[name], section)]
    known = next((name for name in loose if name in own), None)
    if known is None:
        return table
    home = next((name for name in reversed(names[: names.index(known)]) if _empty(table.entries[name])), None)
    if home is None:
        slid = loose
        told = f"stands where a name belongs: write one above it, such as `{example}:`, and indent it further"
    else:
        slid = [name for name in loose if names.index(name) > names.index(home)]
        told = f"stands beside {home!r}, not in it: indent it further, and the lines that belong to it"
    problems.add(table.keys[slid[0]], (section, slid[0]), told)
    rest = table.leaving(frozenset(slid))
    name = home or example
    entries = {**rest.entries, name: table.only(frozenset(slid))}
    return Table(table.mark, entries, {**rest.keys, name: table.keys[slid[0]]})


def _empty(tree: Tree) -> bool:
    return isinstance(tree, Leaf) and tree.value is None


def _loose(name: str, tree: Tree, section: str) -> bool:
    """Whether this is no bot and no agent, so that it may be a key of one."""
    if not isinstance(tree, Table):
        return True
    return section == "bots" and name in _TABLES and "platform" not in tree.entries
