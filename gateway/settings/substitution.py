"""Fill `${VAR}`, `${VAR:-default}`, `${file:/path}` and `$$` into scalars, after parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path as File

from gateway.settings.problems import Problems
from gateway.settings.tree import Items, Leaf, Mark, Path, Table, Tree

__all__ = ["Substitution", "read_dotenv"]

_REFERENCE = re.compile(r"\$\$|\$\{([^{}]*)\}|\$\{")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_MOST_BYTES = 64 * 1024


class Substitution:
    """Fills the texts of a tree.

    Args:
        env: Variables by name.
        folder: Where the paths of `${file:…}` start from.
        problems: Takes what cannot be filled, and hides what was.
    """

    def __init__(self, env: Mapping[str, str], folder: File, problems: Problems) -> None:
        self._env = env
        self._folder = folder
        self._problems = problems

    def table(self, tree: Table, path: Path = ()) -> Table:
        """The table with every text in it filled."""
        entries = {key: self._filled(one, (*path, key)) for key, one in tree.entries.items()}
        return Table(tree.mark, entries, tree.keys)

    def _filled(self, tree: Tree, path: Path) -> Tree:
        match tree:
            case Table():
                return self.table(tree, path)
            case Items():
                return Items(
                    tree.mark, tuple(self._filled(one, (*path, at)) for at, one in enumerate(tree.items))
                )
            case Leaf(value=str(text)) if "$" in text:
                return self._text(text, tree.mark, path)
            case Leaf():
                return tree

    def _text(self, text: str, mark: Mark, path: Path) -> Leaf:
        unfilled: list[str] = []
        filled = _REFERENCE.sub(lambda found: self._value(found, unfilled), text)
        for told in unfilled:
            self._problems.add(mark, path, told)
        if unfilled:
            self._problems.settle(mark)
        return Leaf(mark, filled)

    def _value(self, found: re.Match[str], unfilled: list[str]) -> str:
        if found.group() == "$$":
            return "$"
        try:
            value = self._looked_up(found.group(1))
        except _Unfillable as exc:
            unfilled.append(str(exc))
            return ""
        self._problems.hide(value)
        return value

    def _looked_up(self, inside: str | None) -> str:
        if inside is None:
            raise _Unfillable("this ${ has no }: close it, or write $${ for the text itself")
        if inside.startswith("file:"):
            return _content(self._folder, inside.removeprefix("file:"))
        name, has_default, default = inside.partition(":-")
        if not _NAME.fullmatch(name):
            raise _Unfillable("what stands in ${…} is no name: write ${NAME}, or $${ for the text itself")
        if name not in self._env and not has_default:
            raise _Unfillable(
                f"the variable {name} is not set: write {name}=... into .env beside the file, or set it in"
                f" the environment; where it may be empty, write ${{{name}:-}}"
            )
        return self._env.get(name, "") or default


class _Unfillable(Exception):
    """A reference that cannot be filled; its text says what to do."""


def _content(folder: File, name: str) -> str:
    """A file's text without the line end that editors add."""
    try:
        with (folder / name).open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as exc:
        reason = (isinstance(exc, OSError) and exc.strerror) or "it is no path"
        raise _Unfillable(f"the file {name!r} cannot be read: {reason}") from exc
    if len(raw) > _MOST_BYTES:
        raise _Unfillable(f"the file {name!r} is larger than {_MOST_BYTES} bytes: name another")
    try:
        return raw.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as exc:
        raise _Unfillable(f"the file {name!r} is not UTF-8 text: name another") from exc


def read_dotenv(file: File, *, shown: str, problems: Problems) -> dict[str, str]:
    """The `KEY=VALUE` lines of a .env file; empty when there is none."""
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        problems.add(Mark(shown), (), "cannot be read as UTF-8 text: save it as such, or remove it")
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if match is None:
            problems.add(Mark(shown, number, 1), (), "this line is not KEY=VALUE: correct or remove it")
        else:
            found[match[1]] = _unquoted(match[2])
    return found


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].rstrip()
