"""Agents of pydantic-ai."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, cast

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.completion import classify_response
from gateway_agents._transcript import keep, recall
from gateway_agents.python.reading import attribute, read
from gateway_agents.python.telling import Telling
from gateway_agents.python.ways.asking import words_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

__all__ = ["ask"]


class _Run(Protocol):
    @property
    def output(self) -> object: ...
    def new_messages(self) -> Sequence[ModelMessage]: ...


_Handler = Callable[[object, AsyncIterator[object]], Awaitable[None]]


class _Agent(Protocol):
    async def run(
        self,
        prompt: str,
        *,
        message_history: object,
        instructions: str | None,
        event_stream_handler: _Handler | None,
    ) -> _Run: ...


async def ask(target: object, request: TurnRequest, context: TurnContext, /, *, stream: bool) -> object:
    """Ask it; what it said before it failed is kept."""
    capture = cast(
        "Callable[[], AbstractContextManager[Sequence[object]]]",
        importlib.import_module("pydantic_ai").capture_run_messages,
    )
    told = Telling(context)
    with capture() as messages:
        try:
            result = await cast("_Agent", target).run(
                words_of(request),
                message_history=recall(request.history),
                instructions=request.instructions or None,
                event_stream_handler=_handler(told) if stream else None,
            )
        except Exception as exc:
            told.check(exc)
            responses = _responses(messages)
            refused = _refused(responses[0]) if responses else None
            if refused is not None:
                return TurnResult(text=told.rest(refused.text), completion=refused.completion)
            if responses and not told.text:
                await told.say(_said(responses[0]))
            raise
    reply = read(result)
    return TurnResult(
        text=told.rest(reply.text), completion=reply.completion, data=keep(result.new_messages())
    )


def _handler(told: Telling) -> _Handler:
    async def show(_: object, events: AsyncIterator[object]) -> None:
        async for event in events:
            text = _text(event)
            if text:
                await told.say(text)
            elif attribute(event, "event_kind") == "function_tool_call":
                told.pause()

    return show


def _text(event: object) -> str:
    """The text that an event of a stream adds."""
    match attribute(event, "event_kind"):
        case "part_start" if attribute(event, "part", "part_kind") == "text":
            text = attribute(event, "part", "content")
        case "part_delta" if attribute(event, "delta", "part_delta_kind") == "text":
            text = attribute(event, "delta", "content_delta")
        case _:
            return ""
    return text if isinstance(text, str) else ""


def _responses(messages: Sequence[object]) -> list[object]:
    """What the model said since the person did, newest first."""
    found: list[object] = []
    for message in reversed(messages):
        parts = _parts(message)
        if any(attribute(part, "part_kind") == "user-prompt" for part in parts):
            break
        if attribute(message, "kind") == "response":
            found.append(message)
    return found


def _refused(response: object) -> TurnResult | None:
    """The ending that the provider itself names, with the model's own words of refusal."""
    found = classify_response(response)
    if found is None or found.reason not in {"refused", "content_filtered"}:
        return None
    words = attribute(response, "provider_details")
    refusal = cast("dict[str, object]", words).get("refusal") if isinstance(words, dict) else None
    return TurnResult(text=refusal if isinstance(refusal, str) else "", completion=found)


def _said(response: object) -> str:
    texts = [
        attribute(part, "content") for part in _parts(response) if attribute(part, "part_kind") == "text"
    ]
    return "".join(text for text in texts if isinstance(text, str))


def _parts(message: object) -> Sequence[object]:
    parts = attribute(message, "parts")
    return cast("Sequence[object]", parts) if isinstance(parts, Sequence) else ()
