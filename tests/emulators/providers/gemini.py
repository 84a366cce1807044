"""Google's Gemini."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.emulators.providers.answers import Answer, Asked, Refused, expect, pieces
from tests.emulators.providers.gemini_answers import GEMINI_ANSWERS
from tests.emulators.providers.server import Request, frame

__all__ = ["GEMINI", "Gemini"]

_ROOT = "/v1beta/models/"
_WHOLE, _STREAM = ":generateContent", ":streamGenerateContent"


class Gemini:
    """The protocol."""

    model = "google:gemini-small"
    root = ""
    answers: Mapping[str, Answer] = GEMINI_ANSWERS
    streams = "text/event-stream"

    def read(self, request: Request, *, key: str) -> Asked:
        model, _, action = request.path.removeprefix(_ROOT).partition(":")
        known = {_WHOLE.removeprefix(":"): False, _STREAM.removeprefix(":"): True}
        if request.method != "POST" or not request.path.startswith(_ROOT) or action not in known:
            raise Refused(404, f"nothing at {request.method} {request.path}")
        expect(
            not known[action] or "alt=sse" in request.query, "a stream in one piece of JSON is not emulated"
        )
        if request.headers.get("x-goog-api-key") != key:
            raise Refused(400, "API key not valid. Please pass a valid API key.")
        body = request.json()
        expect(bool(body.get("contents")), "contents are required")
        contents = list[dict[str, Any]](body["contents"])
        _check(contents)
        return _asked(body, contents, model=model, streamed=known[action])

    def fault(self, status: int, error: Mapping[str, Any]) -> dict[str, Any]:
        return {"error": {"code": status, **error}}

    def refusal(self, refused: Refused) -> Mapping[str, Any]:
        return {"message": str(refused), "status": "INVALID_ARGUMENT"}

    def whole(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        return _chunk(asked, answer, _parts(asked, answer), token=answer.token)

    def frames(self, asked: Asked, answer: Answer) -> Iterator[bytes]:
        for part in _parts(asked, answer):
            yield from (frame(_chunk(asked, answer, [piece])) for piece in _pieces(part))
        if answer.error is not None:
            yield frame(self.fault(200, answer.error))
        elif not (answer.cut or answer.hang) and (
            answer.token is not None or "promptFeedback" in answer.extra
        ):
            yield frame(_chunk(asked, answer, [], token=answer.token))


def _check(contents: Sequence[Mapping[str, Any]]) -> None:
    """Roles are known, no content is empty, and every call is answered in the very next content."""
    waiting: list[str] = []
    for content in contents:
        role, parts = content.get("role"), list[dict[str, Any]](content.get("parts") or [])
        expect(role in {"user", "model"}, "Please use a valid role: user, model.")
        expect(bool(parts), "contents.parts must not be empty.")
        empty = any(not set(part) - {"thought", "thoughtSignature"} for part in parts)
        expect(not empty, "parts.data: required oneof field 'data' must have one initialized field")
        results = [str(part["functionResponse"]["name"]) for part in parts if "functionResponse" in part]
        expect(
            sorted(results) == sorted(waiting),
            "the number of function response parts must be equal to the number of function call parts",
        )
        waiting = [str(part["functionCall"]["name"]) for part in parts if "functionCall" in part]
    expect(not waiting, "a function call turn comes immediately before a function response turn")


def _asked(
    body: dict[str, Any], contents: Sequence[Mapping[str, Any]], *, model: str, streamed: bool
) -> Asked:
    said = [place for place, one in enumerate(contents) if one["role"] == "user" and _text(one)]
    since = [part for content in contents[said[-1] :] for part in content["parts"]]
    results = [part["functionResponse"]["response"] for part in since if "functionResponse" in part]
    tools = [one for tool in body.get("tools") or () for one in tool.get("functionDeclarations") or ()]
    given = dict[str, Any](body.get("toolConfig") or {})
    config = dict[str, Any](given.get("functionCallingConfig") or {})
    return Asked(
        body=body,
        model=model,
        streamed=streamed,
        said=_text(contents[said[-1]]),
        before=[_text(content) for content in contents[: said[-1]]],
        rounds=len(results),
        latest=str(next(iter(results[-1].values()))) if results else "",
        tools=frozenset(str(tool["name"]) for tool in tools),
        may_call=config.get("mode") != "NONE",
    )


def _text(content: Mapping[str, Any]) -> str:
    return "".join(str(part["text"]) for part in content["parts"] if "text" in part)


def _parts(asked: Asked, answer: Answer) -> list[dict[str, Any]]:
    text = answer.text if answer.text is not None else asked.said
    parts: list[dict[str, Any]] = []
    if answer.thoughts:
        parts.append({"text": answer.thoughts, "thought": True})
    if text:
        parts.append({"text": text})
    if answer.call is not None:
        name, arguments = asked.call(answer)
        parts.append({"functionCall": {"name": name, "args": json.loads(arguments)}})
    return parts


def _pieces(part: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "text" not in part:
        return [dict(part)]
    return [{**part, "text": piece} for piece in pieces(part["text"])]


def _chunk(
    asked: Asked, answer: Answer, parts: Sequence[Mapping[str, Any]], *, token: str | None = None
) -> dict[str, Any]:
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    extra = {key: value for key, value in answer.extra.items() if key != "promptFeedback"}
    candidate = {"index": 0, **content, **({"finishReason": token, **extra} if token else {})}
    feedback = {key: value for key, value in answer.extra.items() if key == "promptFeedback"}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    return {
        **({} if feedback else {"candidates": [candidate]}),
        **feedback,
        "usageMetadata": usage,
        "modelVersion": asked.model,
        "responseId": f"r{asked.rounds}",
    }


GEMINI = Gemini()
