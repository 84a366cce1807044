"""What a server of OpenAI's chat completions refuses: a wrong request is a bug in whoever sent it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.emulators.providers.answers import Asked, Refused, expect
from tests.emulators.providers.server import Request

__all__ = ["bearer", "read_chat", "text_of"]

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


def bearer(request: Request, *, path: str, key: str) -> None:
    """Refuse another place or another key."""
    if (request.method, request.path) != ("POST", path):
        raise Refused(404, f"nothing at {request.method} {request.path}")
    if key and request.headers.get("authorization") != f"Bearer {key}":
        raise Refused(401, "wrong key")


def read_chat(body: dict[str, Any], *, mistral: bool) -> Asked:
    """The request, when everything about it is right."""
    expect(isinstance(body.get("model"), str) and bool(body["model"]), "no model")
    expect(isinstance(body.get("messages"), list) and bool(body["messages"]), "no messages")
    messages = list[dict[str, Any]](body["messages"])
    _messages(messages)
    if mistral:
        _mistral(messages)
    latest = max(place for place, message in enumerate(messages) if message["role"] == "user")
    return Asked(
        body=body,
        model=str(body["model"]),
        streamed=bool(body.get("stream")),
        said=text_of(messages[latest]),
        before=[text_of(message) for message in messages[:latest]],
        rounds=sum(message["role"] == "tool" for message in messages[latest:]),
        latest=text_of(messages[-1]),
        tools=frozenset(tool["function"]["name"] for tool in body.get("tools") or ()),
        may_call=body.get("tool_choice") != "none",
    )


def text_of(message: Mapping[str, Any]) -> str:
    """What a message says, in one piece or in parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content)


def _messages(messages: Sequence[Mapping[str, Any]]) -> None:
    """Roles are known, and every tool call is answered, once, right after it was made."""
    waiting: set[str] = set()
    for message in messages:
        role = message.get("role")
        expect(role in _ROLES, f"unknown role {role!r}")
        if role == "tool":
            expect(message.get("tool_call_id") in waiting, "a tool result without its call")
            waiting.discard(str(message["tool_call_id"]))
            continue
        expect(not waiting, f"tool calls without a result: {sorted(waiting)}")
        calls = list[dict[str, Any]](message.get("tool_calls") or [])
        waiting = {str(call["id"]) for call in calls}
        for call in calls:
            expect(call.get("type") in {None, "function"}, "a tool call of no known type")
            arguments = call["function"]["arguments"]
            if isinstance(arguments, str):  # Mistral's client sends the object itself
                json.loads(arguments)
        expect(bool(message.get("content") or calls or message.get("refusal")), f"an empty {role} message")
    expect(not waiting, f"tool calls without a result: {sorted(waiting)}")


def _mistral(messages: Sequence[Mapping[str, Any]]) -> None:
    """What Mistral asks for besides: its form of an id, and no person who speaks after a tool."""
    for message in messages:
        for call in message.get("tool_calls") or ():
            expect(_MISTRAL_ID.fullmatch(str(call["id"])) is not None, "an id that is not nine letters")
    pairs = itertools.pairwise(messages)
    follows = any((one["role"], other["role"]) == ("tool", "user") for one, other in pairs)
    expect(not follows, "Unexpected role 'user' after role 'tool'")
    expect(messages[-1]["role"] in {"user", "tool"}, "Expected last role User or Tool")
