"""Show a bot's effective values with their origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, SecretStr

from gateway.observability import redact
from gateway.settings.models import Settings
from gateway.settings.problems import dotted
from gateway.settings.tree import Path

__all__ = ["Effective", "describe"]

_LONGEST = 100  # characters of a value that are shown
_MANY = 10  # entries of a list from which on only their number is shown


@dataclass(frozen=True, slots=True)
class Effective:
    """One value a bot runs with.

    Attributes:
        value: As text; secrets are never shown.
        origin: `file:line:column`, with `defaults: ` before it where it is shared, or `default`.
    """

    path: str
    value: str
    origin: str


def describe(settings: Settings, bot: str) -> list[Effective]:
    """Every value of a bot and of its agent.

    Raises:
        KeyError: There is no such bot.
    """
    chosen = settings.bots[bot]
    agent = settings.agents[chosen.agent]
    path: Path = ("bots", bot)
    inline = agent.name not in settings.agents or agent.name == f"{bot}.agent"
    of_agent: Path = (*path, "agent") if inline else ("agents", agent.name)
    return [
        *_rows(settings, path, chosen),
        *_rows(settings, path, chosen.options),
        *_rows(settings, of_agent, agent),
        *_rows(settings, of_agent, agent.options),
    ]


def _rows(settings: Settings, path: Path, model: object) -> Iterator[Effective]:
    if not isinstance(model, BaseModel):
        return
    for name in type(model).model_fields:
        if name in ("options", "name"):
            continue
        value: object = getattr(model, name)
        if isinstance(value, BaseModel):
            yield from _rows(settings, (*path, name), value)
        else:
            yield Effective(dotted((*path, name)), _shown(value), settings.origins.told((*path, name)))


def _shown(value: object) -> str:
    match value:
        case SecretStr():
            return "***" if value.get_secret_value() else "(empty)"
        case None | "":
            return "(empty)"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return _listed(cast("Sequence[object]", value))
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return f"{{{', '.join(f'{key}: {_shown(one)}' for key, one in pairs)}}}"
        case BaseModel():
            return _shown({name: getattr(value, name) for name in type(value).model_fields})
        case _:
            text = redact(str(value))
            return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _listed(values: Sequence[object]) -> str:
    if len(values) >= _MANY:
        return f"{len(values)} entries"
    return f"[{', '.join(_shown(one) for one in values)}]"
