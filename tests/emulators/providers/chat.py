"""OpenAI's chat completions, and the servers that speak them with an accent of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.emulators.providers.answers import Answer, Asked, Refused, pieces
from tests.emulators.providers.chat_answers import (
    GROQ_ANSWERS,
    MISTRAL_ANSWERS,
    OLLAMA_ANSWERS,
    OPENAI_ANSWERS,
    OPENROUTER_ANSWERS,
)
from tests.emulators.providers.chat_rules import bearer, read_chat
from tests.emulators.providers.server import Request, frame

__all__ = ["GROQ", "MISTRAL", "OLLAMA", "OPENAI", "OPENROUTER", "Chat"]


@dataclass(frozen=True, slots=True)
class Chat:
    """One accent of the protocol.

    Attributes:
        path: Where it listens.
        thoughts: The field that holds what the model thinks.
        accent: Whose habits it has beside the protocol.
        open: Whether it takes any key.
    """

    model: str
    root: str
    path: str
    answers: Mapping[str, Answer]
    thoughts: str = "reasoning"
    accent: Literal["", "groq", "mistral", "openrouter"] = ""
    open: bool = False
    streams: str = "text/event-stream"

    def read(self, request: Request, *, key: str) -> Asked:
        bearer(request, path=self.path, key="" if self.open else key)
        return read_chat(request.json(), mistral=self.accent == "mistral")

    def fault(self, status: int, error: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002  # a dialect's shape
        return dict(error) if self.accent == "mistral" else {"error": dict(error)}

    def refusal(self, refused: Refused) -> Mapping[str, Any]:
        return {"message": str(refused), "type": "invalid_request_error", "code": None}

    def whole(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        choice = {
            "index": 0,
            "message": self._message(asked, answer),
            "finish_reason": answer.token,
            **self._native(answer),
        }
        return self._envelope(asked, "chat.completion") | {"choices": [choice], "usage": _USAGE}

    def frames(self, asked: Asked, answer: Answer) -> Iterator[bytes]:
        message = self._message(asked, answer)
        yield self._chunk(asked, {"role": "assistant", "content": ""})
        for field in (self.thoughts, "content", "refusal"):
            for piece in _pieces(message.get(field) or ""):
                yield self._chunk(asked, {field: piece})
        for call in message.get("tool_calls") or ():
            yield self._chunk(asked, {"tool_calls": [{"index": 0, **call}]})
        if answer.error is not None:
            yield self._fault_frame(asked, answer.error)
            return
        if answer.token is not None:
            counted = {} if answer.cut or answer.hang else _COUNTED.get(self.accent, {})
            yield self._chunk(asked, {}, token=answer.token, extra=self._native(answer), beside=counted)
        if answer.cut or answer.hang:
            return
        if dict[str, Any](asked.body.get("stream_options") or {}).get("include_usage"):
            last: dict[str, Any] = {"choices": [], "usage": _USAGE}
            yield frame(self._envelope(asked, "chat.completion.chunk") | last)
        yield frame("[DONE]")

    def _fault_frame(self, asked: Asked, error: Mapping[str, Any]) -> bytes:
        if self.accent == "openrouter":
            choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
            chunk = {"choices": [choice], "error": dict(error)}
            return frame(self._envelope(asked, "chat.completion.chunk") | chunk)
        return frame(self.fault(200, error), event="error" if self.accent == "groq" else "")

    def _native(self, answer: Answer) -> dict[str, Any]:
        """What a router says of the model's own word."""
        native = {"native_finish_reason": answer.token} if self.accent == "openrouter" else {}
        return native | dict(answer.extra)

    def _message(self, asked: Asked, answer: Answer) -> dict[str, Any]:
        text = answer.text if answer.text is not None else asked.said
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if answer.refusal:
            message["refusal"] = answer.refusal
        if answer.thoughts and self.accent == "mistral":
            thinking = {"type": "thinking", "thinking": [{"type": "text", "text": answer.thoughts}]}
            message["content"] = [thinking, *([{"type": "text", "text": text}] if text else [])]
        elif answer.thoughts:
            message[self.thoughts] = answer.thoughts
        if answer.call is not None:
            name, arguments = asked.call(answer)
            call = {"name": name, "arguments": arguments}
            message["tool_calls"] = [{"id": f"call{asked.rounds:05}", "type": "function", "function": call}]
        return message

    def _envelope(self, asked: Asked, kind: str) -> dict[str, Any]:
        router = {"provider": "BaseTen"} if self.accent == "openrouter" else {}
        return {
            "id": "chatcmpl-1",
            "object": kind,
            "created": 1_790_000_000,
            "model": asked.model,
            **router,
        }

    def _chunk(
        self,
        asked: Asked,
        delta: dict[str, Any],
        *,
        token: str | None = None,
        extra: Mapping[str, Any] | None = None,
        beside: Mapping[str, Any] | None = None,
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": token, **(extra or {})}
        chunk = self._envelope(asked, "chat.completion.chunk") | {"choices": [choice]}
        return frame(chunk | dict(beside or {}))


def _pieces(content: str | list[dict[str, Any]]) -> list[Any]:
    return pieces(content) if isinstance(content, str) else [[part] for part in content]


_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
_COUNTED: dict[str, dict[str, Any]] = {
    "groq": {"x_groq": {"id": "req_1", "usage": _USAGE}},
    "mistral": {"usage": _USAGE},
}
"""How the last chunk counts, where nobody asks for it."""

OPENAI = Chat("openai-chat:small", "/v1", "/v1/chat/completions", OPENAI_ANSWERS, "reasoning_content")
MISTRAL = Chat("mistral:small", "", "/v1/chat/completions", MISTRAL_ANSWERS, accent="mistral")
GROQ = Chat("groq:small", "", "/openai/v1/chat/completions", GROQ_ANSWERS, accent="groq")
OLLAMA = Chat("ollama:small", "", "/v1/chat/completions", OLLAMA_ANSWERS, open=True)
OPENROUTER = Chat(
    "openrouter:maker/small",
    "/api/v1",
    "/api/v1/chat/completions",
    OPENROUTER_ANSWERS,
    accent="openrouter",
)
