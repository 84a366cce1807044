"""Anthropic's Messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.emulators.providers.answers import Answer, Asked, Refused, expect, pieces
from tests.emulators.providers.anthropic_answers import ANTHROPIC_ANSWERS
from tests.emulators.providers.server import Request, frame

__all__ = ["ANTHROPIC", "Anthropic"]


class Anthropic:
    """The protocol."""

    model = "anthropic:claude-small"
    root = ""
    answers: Mapping[str, Answer] = ANTHROPIC_ANSWERS
    streams = "text/event-stream"

    def read(self, request: Request, *, key: str) -> Asked:
        if (request.method, request.path) != ("POST", "/v1/messages"):
            raise Refused(404, f"nothing at {request.method} {request.path}")
        if key not in (request.headers.get("x-api-key"), _token(request)):
            raise Refused(401, "wrong key")
        expect("anthropic-version" in request.headers, "anthropic-version: header is required")
        body = request.json()
        expect(isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
        expect(bool(body.get("messages")), "messages: at least one message is required")
        messages = [_normal(message) for message in body["messages"]]
        _check(messages)
        return _asked(body, messages)

    def fault(self, status: int, error: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002  # a dialect's shape
        return {"type": "error", "error": dict(error), "request_id": "req_1"}

    def refusal(self, refused: Refused) -> Mapping[str, Any]:
        kinds = {401: "authentication_error", 404: "not_found_error"}
        return {"type": kinds.get(refused.status, "invalid_request_error"), "message": str(refused)}

    def whole(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        content = _content(asked, answer)
        for block in content:
            if block["type"] == "tool_use":
                block["input"] = _object(block["input"])
        return _message(asked, content) | {"stop_reason": answer.token, **answer.extra}

    def frames(self, asked: Asked, answer: Answer) -> Iterator[bytes]:
        for event in _events(asked, answer):
            yield frame(event, event=str(event["type"]))


def _token(request: Request) -> str:
    """The key where a token would be: newer clients send it there."""
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def _normal(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    return {"role": message["role"], "content": blocks}


def _check(messages: Sequence[Mapping[str, Any]]) -> None:
    """Roles are known, no text is blank, and every call is answered in the very next message."""
    expect(messages[0]["role"] == "user", "messages: first message must use the user role")
    waiting: set[str] = set()
    for message in messages:
        role, blocks = str(message["role"]), list[dict[str, Any]](message["content"])
        expect(role in {"user", "assistant"}, f"messages: Unexpected role {role!r}")
        expect(bool(blocks), "messages: all messages must have non-empty content")
        for block in blocks:
            blank = block["type"] == "text" and not str(block["text"]).strip()
            expect(not blank, "messages: text content blocks must contain non-whitespace text")
        results = {str(block["tool_use_id"]) for block in blocks if block["type"] == "tool_result"}
        expect(results <= waiting, "unexpected `tool_use_id` found in `tool_result` blocks")
        expect(waiting <= results, "`tool_use` ids were found without `tool_result` blocks immediately after")
        waiting = {str(block["id"]) for block in blocks if block["type"] == "tool_use"}
        unreadable = any(
            block["type"] == "tool_use" and not isinstance(block["input"], dict) for block in blocks
        )
        expect(not unreadable, "tool_use.input: Input should be a valid dictionary")
    expect(not waiting, "`tool_use` ids were found without `tool_result` blocks")
    last = messages[-1]
    if last["role"] == "assistant":
        text = str(last["content"][-1].get("text", ""))
        expect(text == text.rstrip(), "final assistant content cannot end with trailing whitespace")


def _asked(body: dict[str, Any], messages: Sequence[Mapping[str, Any]]) -> Asked:
    said = [place for place, message in enumerate(messages) if message["role"] == "user" and _text(message)]
    since = messages[said[-1] + 1 :]
    results = [block for message in since for block in message["content"] if block["type"] == "tool_result"]
    paused = list[object](since[-1]["content"] if since and since[-1]["role"] == "assistant" else [])
    return Asked(
        body=body,
        model=str(body["model"]),
        streamed=bool(body.get("stream")),
        said=_text(messages[said[-1]]),
        before=[_text(message) for message in messages[: said[-1]]],
        rounds=len(results) + len(paused),
        latest=_result(results[-1]) if results else "",
        tools=frozenset(str(tool["name"]) for tool in body.get("tools") or ()),
        may_call=dict[str, Any](body.get("tool_choice") or {}).get("type") != "none",
    )


def _text(message: Mapping[str, Any]) -> str:
    return "".join(str(block["text"]) for block in message["content"] if block["type"] == "text")


def _result(block: Mapping[str, Any]) -> str:
    content = block.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)


def _content(asked: Asked, answer: Answer) -> list[dict[str, Any]]:
    text = answer.text if answer.text is not None else asked.said
    content: list[dict[str, Any]] = []
    if answer.thoughts:
        content.append({"type": "thinking", "thinking": answer.thoughts, "signature": "c2ln"})
    if text:
        content.append({"type": "text", "text": text, "citations": None})
    if answer.call is not None:
        name, arguments = asked.call(answer)
        content.append({"type": "tool_use", "id": f"toolu_{asked.rounds}", "name": name, "input": arguments})
    return content


def _object(arguments: str) -> dict[str, Any]:
    """What is whole of arguments that may be cut."""
    try:
        return dict(json.loads(arguments))
    except ValueError:
        return {}


def _message(asked: Asked, content: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"msg_{asked.rounds}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": list(content),
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


_DELTAS = {
    "text": ("text", "text_delta", "text"),
    "thinking": ("thinking", "thinking_delta", "thinking"),
    "tool_use": ("input", "input_json_delta", "partial_json"),
}


def _events(asked: Asked, answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": _message(asked, [])}
    yield {"type": "ping"}
    for place, block in enumerate(_content(asked, answer)):
        field, kind, grows = _DELTAS[block["type"]]
        empty: object = {} if field == "input" else ""
        shell = block | {field: empty}
        yield {"type": "content_block_start", "index": place, "content_block": shell}
        for piece in pieces(block[field]):
            delta = {"type": kind, grows: piece}
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        if not (answer.cut or answer.hang or answer.error):
            yield {"type": "content_block_stop", "index": place}
    if answer.error is not None:
        yield {"type": "error", "error": dict(answer.error)}
    elif answer.token is not None and not (answer.cut or answer.hang):
        ended: dict[str, Any] = {"stop_reason": answer.token, "stop_sequence": None, **answer.extra}
        yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 7}}
        yield {"type": "message_stop"}


ANTHROPIC = Anthropic()
