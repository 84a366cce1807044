"""Find a turn's completion in whatever an agent returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from gateway.completion.model import AgentReply, TurnCompletion

__all__ = ["extract_completion"]


def extract_completion(result: object) -> TurnCompletion | None:
    """The completion that `result` carries, or `None` when it says nothing.

    Looked for in this order: an `AgentReply`'s completion, a mapping's `"completion"`, a `.completion`
    attribute, a `.last_stop_reason` string. Never raises.
    """
    try:
        return _extract(result)
    except Exception:  # noqa: BLE001  # a foreign mapping or class may raise anything
        return None


def _extract(result: object) -> TurnCompletion | None:
    if result is None or isinstance(result, str):
        return None
    if isinstance(result, AgentReply):
        return result.completion
    if isinstance(result, Mapping):
        return _read(cast("Mapping[object, object]", result).get("completion"))
    found = _read(_attribute(result, "completion"))
    if found is not None:
        return found
    word = _attribute(result, "last_stop_reason")
    return TurnCompletion(reason=word) if isinstance(word, str) else None


def _read(value: object) -> TurnCompletion | None:
    if isinstance(value, TurnCompletion):
        return value
    if isinstance(value, Mapping):
        return TurnCompletion.from_dict(cast("object", value))
    return None


def _attribute(value: object, name: str) -> object:
    try:
        return cast("object", getattr(value, name, None))
    except Exception:  # noqa: BLE001  # a foreign property may raise anything
        return None
