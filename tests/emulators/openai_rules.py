"""What the provider refuses, as the real one does: a wrong request is a bug in whoever sent it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["RefusedError", "check"]

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})


class RefusedError(Exception):
    """A request that the provider does not take.

    Attributes:
        status: Of the answer.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def check(*, method: str, path: str, headers: Mapping[str, str], body: bytes, key: str) -> dict[str, Any]:
    """The request's body, when everything about it is right.

    Raises:
        RefusedError: Something is not.
    """
    if (method, path) != ("POST", "/v1/chat/completions"):
        raise RefusedError(404, f"nothing at {method} {path}")
    if headers.get("authorization") != f"Bearer {key}":
        raise RefusedError(401, "wrong key")
    if not headers.get("content-type", "").startswith("application/json"):
        raise RefusedError(415, "not JSON")
    try:
        asked = json.loads(body)
    except ValueError as exc:
        raise RefusedError(400, "unreadable JSON") from exc
    _expect(isinstance(asked, dict), "the body is no object")
    _expect(isinstance(asked.get("model"), str) and asked["model"], "no model")
    _expect(isinstance(asked.get("messages"), list) and asked["messages"], "no messages")
    _messages(asked["messages"])
    return dict(asked)


def _messages(messages: Sequence[Mapping[str, Any]]) -> None:
    """Roles are known, and every tool call is answered, once, right after it was made."""
    waiting: set[str] = set()
    for message in messages:
        role = message.get("role")
        _expect(role in _ROLES, f"unknown role {role!r}")
        if role == "tool":
            _expect(message.get("tool_call_id") in waiting, "a tool result without its call")
            waiting.discard(str(message["tool_call_id"]))
            continue
        _expect(not waiting, f"tool calls without a result: {sorted(waiting)}")
        calls = list[dict[str, Any]](message.get("tool_calls") or [])
        waiting = {str(call["id"]) for call in calls}
        for call in calls:
            _expect(call.get("type") == "function", "a tool call of no known type")
            json.loads(call["function"]["arguments"])
        _expect(bool(message.get("content") or calls or message.get("refusal")), f"an empty {role} message")
    _expect(not waiting, f"tool calls without a result: {sorted(waiting)}")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RefusedError(400, otherwise)
