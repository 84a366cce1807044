"""Amazon Bedrock's Converse and ConverseStream."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from tests.emulators.providers.answers import Answer, Asked, Refused, expect, pieces
from tests.emulators.providers.bedrock_answers import BEDROCK_ANSWERS
from tests.emulators.providers.eventstream import event, exception
from tests.emulators.providers.server import Request

__all__ = ["BEDROCK", "Bedrock"]


class Bedrock:
    """The protocol; an error's `kind` is the name of its shape."""

    model = "bedrock:us.maker.small-v1:0"
    root = ""
    answers: Mapping[str, Answer] = BEDROCK_ANSWERS
    streams = "application/vnd.amazon.eventstream"

    def read(self, request: Request, *, key: str) -> Asked:
        _, place, model, action = request.path.split("/")
        if request.method != "POST" or place != "model" or action not in {"converse", "converse-stream"}:
            raise Refused(404, f"nothing at {request.method} {request.path}")
        signed = request.headers.get("authorization", "")
        if not signed.startswith(f"AWS4-HMAC-SHA256 Credential={key}/"):  # a bearer's key needs https
            raise Refused(403, "wrong key")
        body = request.json()
        messages = list[dict[str, Any]](body["messages"])
        _check(messages)
        return _asked(body, messages, model=unquote(model), streamed=action == "converse-stream")

    def fault(self, status: int, error: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002  # a dialect's shape
        return {"message": error["message"]}

    def refusal(self, refused: Refused) -> Mapping[str, Any]:
        return {"message": str(refused)}

    def whole(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        blocks = _blocks(asked, answer)
        for block in blocks:
            if "toolUse" in block:
                block["toolUse"]["input"] = _object(block["toolUse"]["input"])
        message = {"role": "assistant", "content": blocks}
        return {
            "output": {"message": message},
            "stopReason": answer.token,
            "usage": _USAGE,
            "metrics": _METRICS,
        }

    def frames(self, asked: Asked, answer: Answer) -> Iterator[bytes]:
        yield event("messageStart", {"role": "assistant"})
        for place, block in enumerate(_blocks(asked, answer)):
            for kind, payload in _growing(block):
                yield event(kind, {**payload, "contentBlockIndex": place})
            if not (answer.cut or answer.hang or answer.error):
                yield event("contentBlockStop", {"contentBlockIndex": place})
        if answer.error is not None:
            yield exception(str(answer.error["kind"]), {"message": answer.error["message"]})
        elif answer.token is not None and not (answer.cut or answer.hang):
            yield event("messageStop", {"stopReason": answer.token})
            yield event("metadata", {"usage": _USAGE, "metrics": _METRICS})


_USAGE = {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}
_METRICS = {"latencyMs": 1}


def _check(messages: Sequence[Mapping[str, Any]]) -> None:
    """Roles take turns, no text is blank, and every call is answered in the very next message."""
    expect(bool(messages) and messages[0]["role"] == "user", "A conversation must start with a user message.")
    turns = [message["role"] for message in messages]
    expect(all(one != other for one, other in itertools.pairwise(turns)), "roles must alternate")
    waiting: set[str] = set()
    for message in messages:
        blocks = list[dict[str, Any]](message["content"])
        expect(bool(blocks), "The content field in the Message object is empty.")
        blank = any("text" in block and not str(block["text"]).strip() for block in blocks)
        expect(not blank, "The text field in the ContentBlock object is blank.")
        results = {str(block["toolResult"]["toolUseId"]) for block in blocks if "toolResult" in block}
        expect(
            results == waiting, f"toolResult blocks {sorted(results)} for toolUse blocks {sorted(waiting)}"
        )
        waiting = {str(block["toolUse"]["toolUseId"]) for block in blocks if "toolUse" in block}
    expect(not waiting, "Expected toolResult blocks")


def _asked(
    body: dict[str, Any], messages: Sequence[Mapping[str, Any]], *, model: str, streamed: bool
) -> Asked:
    said = [place for place, one in enumerate(messages) if one["role"] == "user" and _text(one)]
    since = [block for message in messages[said[-1] :] for block in message["content"]]
    results = [block["toolResult"]["content"] for block in since if "toolResult" in block]
    tools = list[dict[str, Any]](dict[str, Any](body.get("toolConfig") or {}).get("tools") or [])
    return Asked(
        body=body,
        model=model,
        streamed=streamed,
        said=_text(messages[said[-1]]),
        before=[_text(message) for message in messages[: said[-1]]],
        rounds=len(results),
        latest="".join(str(part.get("text") or part.get("json")) for part in results[-1]) if results else "",
        tools=frozenset(str(tool["toolSpec"]["name"]) for tool in tools if "toolSpec" in tool),
    )


def _text(message: Mapping[str, Any]) -> str:
    return "".join(str(block["text"]) for block in message["content"] if "text" in block)


def _blocks(asked: Asked, answer: Answer) -> list[dict[str, Any]]:
    text = answer.text if answer.text is not None else asked.said
    blocks: list[dict[str, Any]] = []
    if answer.thoughts:
        thought = {"text": answer.thoughts, "signature": "c2ln"}
        blocks.append({"reasoningContent": {"reasoningText": thought}})
    if text:
        blocks.append({"text": text})
    if answer.call is not None:
        name, arguments = asked.call(answer)
        blocks.append({"toolUse": {"toolUseId": f"use_{asked.rounds}", "name": name, "input": arguments}})
    return blocks


def _growing(block: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "toolUse" in block:
        use = block["toolUse"]
        start = {"toolUse": {"toolUseId": use["toolUseId"], "name": use["name"]}}
        yield "contentBlockStart", {"start": start}
        yield "contentBlockDelta", {"delta": {"toolUse": {"input": use["input"]}}}
    elif "reasoningContent" in block:
        thought = block["reasoningContent"]["reasoningText"]["text"]
        yield "contentBlockDelta", {"delta": {"reasoningContent": {"text": thought}}}
    else:
        for piece in pieces(block["text"]):
            yield "contentBlockDelta", {"delta": {"text": piece}}


def _object(arguments: str) -> dict[str, Any]:
    """What is whole of arguments that may be cut."""
    try:
        return dict(json.loads(arguments))
    except ValueError:
        return {}


BEDROCK = Bedrock()
