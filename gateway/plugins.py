"""Find adapters and agent runtimes by name; only what is named is imported."""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Literal, cast

from pydantic import BaseModel

from gateway.abc.adapter import Adapter
from gateway.abc.agent import Agent
from gateway.errors import PluginError

__all__ = ["create_adapter", "create_agent", "kinds", "options_of", "wrap_agent"]

Side = Literal["adapter", "agent"]
_HOMES = {"adapter": "gateway_adapters", "agent": "gateway_agents"}
_GROUPS = {"adapter": "gateway.adapters", "agent": "gateway.agents"}
_EXTRAS = {"telegram": "telegram", "builtin": "builtin", "discord": "discord", "slack": "slack"}
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,31}")


def kinds(side: Side) -> tuple[str, ...]:
    """The kinds that can be named: those that ship, and third parties' by entry point."""
    home = importlib.import_module(_HOMES[side])
    shipped = (
        found.name for found in iter_modules(home.__path__) if found.ispkg and _SLUG.fullmatch(found.name)
    )
    return tuple(sorted({*shipped, *(point.name for point in entry_points(group=_GROUPS[side]))}))


def options_of(side: Side, kind: str) -> type[BaseModel]:
    """The model that a kind's options must satisfy; imports no SDK.

    Raises:
        PluginError: There is no such kind, or it is broken.
    """
    return cast("type[BaseModel]", _load(side, kind, "options").Options)


def create_adapter(kind: str, options: object, *, bot: str) -> Adapter:
    """An adapter for one bot.

    Raises:
        PluginError: Its libraries are not installed.
    """
    return cast("Adapter", _load("adapter", kind, "adapter").create(options, bot=bot))


def create_agent(kind: str, options: object, *, name: str, base: Path) -> Agent:
    """An agent runtime.

    Args:
        base: The configuration's folder, where imports and paths start from.

    Raises:
        PluginError: Its libraries are not installed.
        AgentError: The options name something that cannot be built.
    """
    return cast("Agent", _load("agent", kind, "agent").create(options, name=name, base=base))


def wrap_agent(target: object) -> Agent:
    """An agent around a Python object: one with `chat(text)`, a function, a generator, a framework's agent.

    Raises:
        AgentError: Nobody knows how to ask it.
    """
    return cast("Agent", _load("agent", "python", "agent").wrap(target))


def _load(side: Side, kind: str, part: str) -> Any:  # noqa: ANN401  # a plugin's module, known by convention only
    package = _package(side, kind)
    try:
        return _module(f"{package}.{part}")
    except ModuleNotFoundError as exc:
        if exc.name is not None and exc.name.startswith(package):
            raise PluginError(
                f"{side} {kind!r} has no {part} module; its package {package!r} is broken"
            ) from exc
        extra = _EXTRAS.get(kind, kind)
        raise PluginError(
            f'{side} {kind!r} needs {exc.name!r}, which is not installed: pip install "lastword[{extra}]"'
        ) from exc


def _module(name: str) -> ModuleType:
    return importlib.import_module(name)


def _package(side: Side, kind: str) -> str:
    if _SLUG.fullmatch(kind) and kind in _shipped(side):
        return f"{_HOMES[side]}.{kind}"
    for point in entry_points(group=_GROUPS[side]):
        if point.name == kind:
            return point.value
    known = kinds(side)
    near = difflib.get_close_matches(kind, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"available in this version: {', '.join(known)}"
    raise PluginError(f"there is no {side} {kind!r}; {hint}")


def _shipped(side: Side) -> Iterator[str]:
    home = importlib.import_module(_HOMES[side])
    return (found.name for found in iter_modules(home.__path__) if found.ispkg)
