"""Fill `${VAR}`, `${VAR:-default}`, `${file:/path}` and `$$` into scalar values, after parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gateway.settings.tree import Key, Tree

__all__ = ["read_dotenv", "substitute"]

_PATTERN = re.compile(r"\$(?:\$|\{([^{}]*)\})")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_MOST_BYTES = 64 * 1024


def read_dotenv(path: Path) -> dict[str, str]:
    """The `KEY=VALUE` lines of a .env file; empty when there is none."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match and not line.lstrip().startswith("#"):
            value = match.group(2)
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            found[match.group(1)] = value
    return found


def substitute(tree: Tree, *, env: Mapping[str, str], base: Path) -> None:
    """Fill the tree's texts in place; what cannot be filled becomes a problem of the tree."""
    tree.data = _filled(tree, tree.data, (), env, base)


def _filled(tree: Tree, value: object, path: tuple[Key, ...], env: Mapping[str, str], base: Path) -> object:
    if isinstance(value, dict):
        items: dict[str, object] = value
        return {key: _filled(tree, one, (*path, key), env, base) for key, one in items.items()}
    if isinstance(value, list):
        entries: list[object] = value
        return [_filled(tree, one, (*path, index), env, base) for index, one in enumerate(entries)]
    if isinstance(value, str) and "$" in value:
        return _text(tree, value, path, env, base)
    return value


def _text(tree: Tree, text: str, path: tuple[Key, ...], env: Mapping[str, str], base: Path) -> str:
    def one(match: re.Match[str]) -> str:
        inside = match.group(1)
        if inside is None:
            return "$"
        try:
            return _value(inside, env, base)
        except _Unset as exc:
            dotted = ".".join(str(part) for part in path)
            tree.problems.append(f"{tree.where(path)}: {dotted}: {exc}")
            return ""

    return _PATTERN.sub(one, text)


class _Unset(Exception):
    """A reference that cannot be filled; its text says what to do."""


def _value(inside: str, env: Mapping[str, str], base: Path) -> str:
    if inside.startswith("file:"):
        return _file(base / inside.removeprefix("file:"))
    name, has_default, default = inside.partition(":-")
    if not _NAME.fullmatch(name):
        raise _Unset(f"${{{inside}}} is no variable; write ${{NAME}}, or $$ for a dollar sign")
    value = env.get(name, "")
    if value or name in env or has_default:
        return value or default
    raise _Unset(f"the environment variable {name} is not set; set it, or write ${{{name}:-default}}")


def _file(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise _Unset(f"the file {str(path)!r} cannot be read: {exc.strerror or exc}") from exc
    if len(raw) > _MOST_BYTES:
        raise _Unset(f"the file {str(path)!r} is too large for a secret ({len(raw)} bytes)")
    return raw.decode("utf-8", "replace").strip()
