"""Turn what pydantic found into lines that say what, where and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from gateway.settings.tree import Key, Tree

__all__ = ["Report", "suggestion"]


class Report:
    """Collects the problems of one configuration.

    Args:
        tree: Where positions come from.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.lines: list[str] = list(tree.problems)

    def add(self, path: Sequence[Key], told: str) -> None:
        """Add a problem at a path."""
        place = self.place(tuple(path))
        dotted = ".".join(str(part) for part in path)
        line = f"{place}: {dotted + ': ' if dotted else ''}{told}"
        if line not in self.lines:
            self.lines.append(line)

    def place(self, path: tuple[Key, ...]) -> str:
        """Where a path stands; a bot's value that comes from `defaults:` stands there."""
        if path[:1] == ("bots",) and len(path) > 2 and path not in self._tree.positions:  # bots, name, key
            shared = ("defaults", *path[2:])
            if shared in self._tree.positions:
                return self._tree.where(shared)
        return self._tree.where(path)

    def refused(self, path: Sequence[Key], exc: ValidationError, known: Iterable[str]) -> None:
        """Add everything a model refused."""
        names = list(known)
        for error in exc.errors(include_input=False, include_url=False, include_context=True):
            at = (*path, *(part for part in error["loc"] if not _is_branch(part)))
            self.add(
                at,
                _told(error["type"], str(error["msg"]), str(error["loc"][-1] if error["loc"] else ""), names),
            )


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` where something known is near."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _is_branch(part: Key) -> bool:
    """Whether pydantic put the name of a union's branch into the path."""
    return isinstance(part, str) and ("[" in part or part.startswith("function-"))


def _told(kind: str, message: str, key: str, known: list[str]) -> str:
    if kind == "extra_forbidden":
        near = suggestion(key, known)
        return f"unknown key{near}" if near else f"unknown key; known here: {', '.join(sorted(known))}"
    if kind == "missing":
        return "is missing; add it"
    text = message.removeprefix("Value error, ")
    return f"{text[:1].lower()}{text[1:]}" if not text.startswith(("'", '"')) else text
