"""OpenAI's Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.emulators.providers.answers import Answer, Asked, Refused, expect, pieces
from tests.emulators.providers.chat_rules import bearer, text_of
from tests.emulators.providers.responses_answers import RESPONSES_ANSWERS
from tests.emulators.providers.server import Request, frame

__all__ = ["RESPONSES", "Responses"]


class Responses:
    """The protocol; an answer's token is a status, or the reason why it is incomplete."""

    model = "openai:small"
    root = "/v1"
    answers: Mapping[str, Answer] = RESPONSES_ANSWERS
    streams = "text/event-stream"

    def read(self, request: Request, *, key: str) -> Asked:
        bearer(request, path="/v1/responses", key=key)
        body = request.json()
        expect(isinstance(body.get("model"), str) and bool(body["model"]), "no model")
        expect(isinstance(body.get("input"), list) and bool(body["input"]), "no input")
        items = list[dict[str, Any]](body["input"])
        _pairs(items)
        said = [place for place, item in enumerate(items) if item.get("role") == "user"]
        results = [item for item in items[said[-1] :] if item.get("type") == "function_call_output"]
        return Asked(
            body=body,
            model=str(body["model"]),
            streamed=bool(body.get("stream")),
            said=text_of(items[said[-1]]),
            before=[text_of(item) for item in items[: said[-1]]],
            rounds=len(results),
            latest=str(results[-1]["output"]) if results else "",
            tools=frozenset(str(tool["name"]) for tool in body.get("tools") or ()),
            may_call=body.get("tool_choice") != "none",
        )

    def fault(self, status: int, error: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002  # a dialect's shape
        return {"error": dict(error)}

    def refusal(self, refused: Refused) -> Mapping[str, Any]:
        return {"message": str(refused), "type": "invalid_request_error", "param": None, "code": None}

    def whole(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        return _response(asked, answer, _output(asked, answer))

    def frames(self, asked: Asked, answer: Answer) -> Iterator[bytes]:
        events = _numbered(_events(asked, answer))
        for event in events:
            yield frame(event, event=str(event["type"]))


def _pairs(items: Sequence[Mapping[str, Any]]) -> None:
    """Every item is of a known kind, and every call has its output and every output its call."""
    calls = {str(item["call_id"]) for item in items if item.get("type") == "function_call"}
    outputs = [str(item["call_id"]) for item in items if item.get("type") == "function_call_output"]
    for item in items:
        kind = item.get("type", "message")
        known = {"message", "function_call", "function_call_output", "reasoning"}
        expect(kind in known, f"unknown item {kind!r}")
        if kind == "message":
            expect(bool(item.get("content")), "an empty message")
        if kind == "function_call":
            json.loads(str(item["arguments"]))
    expect(sorted(calls) == sorted(outputs), f"calls {sorted(calls)} do not match outputs {sorted(outputs)}")


def _output(asked: Asked, answer: Answer) -> list[dict[str, Any]]:
    text = answer.text if answer.text is not None else asked.said
    output: list[dict[str, Any]] = []
    if answer.thoughts:
        summary = [{"type": "summary_text", "text": answer.thoughts}]
        output.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    if text or answer.refusal:
        part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        content: list[dict[str, Any]] = [part] if text else [{"type": "refusal", "refusal": answer.refusal}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        output.append(item | {"content": content})
    if answer.call is not None:
        name, arguments = asked.call(answer)
        number = f"{asked.rounds}"
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
        output.append(item | {"arguments": arguments, "status": "completed"})
    return output


_INCOMPLETE = frozenset({"max_output_tokens", "content_filter", "cosmic_rays"})


def _response(asked: Asked, answer: Answer, output: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    status = "incomplete" if answer.token in _INCOMPLETE else answer.token
    why = {"reason": answer.token} if answer.token in _INCOMPLETE else None
    usage = {
        "input_tokens": 11,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 18,
    }
    return {
        "id": f"resp_{asked.rounds}",
        "object": "response",
        "created_at": 1_790_000_000,
        "model": asked.model,
        "status": status,
        "error": answer.extra.get("error"),
        "incomplete_details": why,
        "output": list(output),
        "usage": usage,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _numbered(events: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, event in enumerate(events):
        yield event | {"sequence_number": number}


def _events(asked: Asked, answer: Answer) -> Iterator[dict[str, Any]]:
    output = _output(asked, answer)
    begun = _response(asked, answer, []) | {
        "status": "in_progress",
        "incomplete_details": None,
        "error": None,
    }
    yield {"type": "response.created", "response": begun | {"usage": None}}
    for place, item in enumerate(output):
        empty: dict[str, Any] = {"content": [], "summary": [], "arguments": ""}
        shell = item | {name: value for name, value in empty.items() if name in item}
        yield {"type": "response.output_item.added", "output_index": place, "item": shell}
        yield from _growing(item, place)
        if not (answer.cut or answer.hang or answer.error):
            yield {"type": "response.output_item.done", "output_index": place, "item": item}
    if answer.error is not None:
        yield {"type": "error", "param": None, "code": None, **answer.error}
    elif not (answer.cut or answer.hang) and answer.token is not None:
        response = _response(asked, answer, output)
        kind = response["status"] if response["status"] in {"incomplete", "failed"} else "completed"
        yield {"type": f"response.{kind}", "response": response}


def _growing(item: Mapping[str, Any], place: int) -> Iterator[dict[str, Any]]:
    here = {"item_id": item["id"], "output_index": place}
    if item["type"] == "function_call":
        kind = "response.function_call_arguments"
        yield {"type": f"{kind}.delta", "delta": item["arguments"], **here}
        yield {"type": f"{kind}.done", "arguments": item["arguments"], "name": item["name"], **here}
    elif item["type"] == "reasoning":
        part = item["summary"][0]
        kind = "response.reasoning_summary"
        shell = {"type": "summary_text", "text": ""}
        yield {"type": f"{kind}_part.added", "summary_index": 0, "part": shell, **here}
        yield {"type": f"{kind}_text.delta", "summary_index": 0, "delta": part["text"], **here}
    else:
        part = item["content"][0]
        field = "text" if part["type"] == "output_text" else "refusal"
        kind = "response.output_text" if field == "text" else "response.refusal"
        here["content_index"] = 0
        yield {"type": "response.content_part.added", "part": part | {field: ""}, **here}
        for piece in pieces(part[field]):
            yield {"type": f"{kind}.delta", "delta": piece, "logprobs": [], **here}
        yield {"type": f"{kind}.done", field: part[field], "logprobs": [], **here}


RESPONSES = Responses()
