"""Find adapters and agent runtimes by name; only what is named is imported."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Literal, cast

from pydantic import BaseModel

from gateway.abc.adapter import Adapter
from gateway.abc.agent import Agent
from gateway.errors import PluginError

__all__ = ["Side", "create_adapter", "create_agent", "kinds", "options_of", "wrap_agent"]

Side = Literal["adapter", "agent"]
_HOMES: dict[Side, str] = {"adapter": "gateway_adapters", "agent": "gateway_agents"}
_GROUPS: dict[Side, str] = {"adapter": "gateway.adapters", "agent": "gateway.agents"}
_SLUG = re.compile(r"[a-z][a-z0-9_]{0,31}")


def kinds(side: Side, *, shipped_only: bool = False) -> tuple[str, ...]:
    """The kinds that can be named: those that ship, and third parties' by entry point."""
    shipped = _shipped(side)
    return tuple(sorted(shipped if shipped_only else {*shipped, *_third_parties(side)}))


def options_of(side: Side, kind: str) -> type[BaseModel]:
    """The model that a kind's options must satisfy; imports no SDK.

    Raises:
        PluginError: There is no such kind, or it is broken.
    """
    options = _part(side, kind, "options", "Options")
    if not (isinstance(options, type) and issubclass(options, BaseModel)):
        raise PluginError(f"{side} {kind!r} is broken: its Options are no pydantic model")
    if side == "adapter":
        _refuse_taken(kind, options)
    return options


def _refuse_taken(kind: str, options: type[BaseModel]) -> None:
    """A key that every bot has, or will have, is the gateway's: under it an adapter would be told nothing."""
    from gateway.settings.vocabulary import BOT, BOT_LATER
    from gateway.settings.wording import keys_of

    taken = sorted(keys_of(options) & (BOT | BOT_LATER))
    if taken:
        raise PluginError(
            f"adapter {kind!r} is broken: its Options name {', '.join(map(repr, taken))}, which every bot's"
            " own settings keep; the adapter has to call that something else"
        )


def create_adapter(kind: str, options: object, *, bot: str, base: Path | None = None) -> Adapter:
    """An adapter for one bot.

    Args:
        kind: Its platform.
        options: What `options_of` validated.
        bot: The bot's name in the configuration.
        base: The configuration's folder, where paths start from; for a factory that asks for it.

    Raises:
        PluginError: There is no such kind, it is broken, or its libraries are not installed.
    """
    create = _part("adapter", kind, "adapter", "create")
    more = {"base": base or Path.cwd()} if "base" in inspect.signature(create).parameters else {}
    return cast("Adapter", create(options, bot=bot, **more))


def create_agent(kind: str, options: object, *, name: str, base: Path) -> Agent:
    """An agent runtime.

    Args:
        kind: What runs it.
        options: What `options_of` validated.
        name: The agent's name in the configuration.
        base: The configuration's folder, where imports and paths start from.

    Raises:
        PluginError: There is no such kind, it is broken, or its libraries are not installed.
        AgentError: The options name something that cannot be built.
    """
    return cast("Agent", _part("agent", kind, "agent", "create")(options, name=name, base=base))


def wrap_agent(target: object) -> Agent:
    """An agent around a Python object: one with `chat(text)`, a function, a generator, a framework's agent.

    Raises:
        AgentError: Nobody knows how to ask it.
    """
    return cast("Agent", _part("agent", "python", "agent", "wrap")(target))


def _part(side: Side, kind: str, module: str, name: str) -> Any:  # noqa: ANN401  # known by convention only
    """One name of one module of a kind's package."""
    package, extra = _package(side, kind)
    try:
        found = importlib.import_module(f"{package}.{module}")
    except ModuleNotFoundError as exc:
        missing = exc.name or ""
        if missing == package or missing.startswith(f"{package}."):
            raise PluginError(f"{side} {kind!r} is broken: {missing!r} does not exist") from exc
        raise PluginError(f"{side} {kind!r} needs {missing!r}, which is not installed: {extra}") from exc
    except ImportError as exc:
        raise PluginError(f"{side} {kind!r} does not fit what is installed beside it: {extra}") from exc
    if not hasattr(found, name):
        raise PluginError(f"{side} {kind!r} is broken: {found.__name__!r} has no {name!r}")
    return getattr(found, name)


def _package(side: Side, kind: str) -> tuple[str, str]:
    """The kind's package, and what installs everything it needs."""
    if _SLUG.fullmatch(kind) and kind in _shipped(side):
        return f"{_HOMES[side]}.{kind}", f'pip install "lastword[{kind}]"'
    point = _third_parties(side).get(kind)
    if point is not None:
        return point.value, f"pip install --upgrade {point.dist.name if point.dist else point.value}"
    known = kinds(side)
    near = difflib.get_close_matches(kind, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"available in this version: {', '.join(known)}"
    raise PluginError(f"there is no {side} {kind!r}; {hint}")


def _shipped(side: Side) -> frozenset[str]:
    home = importlib.import_module(_HOMES[side])
    names = (found.name for found in iter_modules(home.__path__) if found.ispkg)
    return frozenset(name for name in names if _SLUG.fullmatch(name))


def _third_parties(side: Side) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_GROUPS[side]) if _SLUG.fullmatch(point.name)}
