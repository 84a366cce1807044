"""Show a bot's effective values with their origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import BaseModel, SecretStr

from gateway.settings.models import Settings
from gateway.settings.tree import Tree

__all__ = ["describe"]


def describe(settings: Settings, bot: str) -> list[tuple[str, str, str]]:
    """Every value of a bot and its agent: path, value, origin (`file:line:column`, or `default`).

    Raises:
        KeyError: There is no such bot.
    """
    chosen = settings.bots[bot]
    agent = settings.agents[chosen.agent]
    return [
        *_rows(settings, ("bots", bot), chosen),
        *_rows(settings, ("bots", bot), chosen.options),
        *_rows(settings, ("agents", agent.name), agent),
        *_rows(settings, ("agents", agent.name), agent.options),
    ]


def _rows(
    settings: Settings, path: tuple[str, ...], model: BaseModel | None
) -> Iterator[tuple[str, str, str]]:
    if model is None:
        return
    for name in type(model).model_fields:
        if name in ("options", "name"):
            continue
        value = cast("object", getattr(model, name))
        if isinstance(value, BaseModel):
            yield from _rows(settings, (*path, name), value)
        else:
            yield ".".join((*path, name)), _shown(value), _origin(settings.origin, (*path, name))


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return "(secret)" if value.get_secret_value() else "(empty)"
    if isinstance(value, Mapping):
        return f"{len(value)} entries" if value else "{}"
    return repr(value)


def _origin(tree: Tree | None, path: tuple[str, ...]) -> str:
    if tree is None:
        return "default"
    if path in tree.positions:
        return str(tree.positions[path])
    shared = ("defaults", *path[2:])
    return f"{tree.positions[shared]} (defaults)" if shared in tree.positions else "default"
