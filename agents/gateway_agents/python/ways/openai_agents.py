"""Agents of the OpenAI Agents SDK."""

from __future__ import annotations

import importlib
import re
from collections.abc import AsyncIterator, Sequence
from typing import Protocol, cast

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.completion import classify_error, classify_exception, classify_response
from gateway.completion.model import TurnCompletion
from gateway_agents.python.reading import attribute, read, text_of
from gateway_agents.python.telling import Ended, Telling
from gateway_agents.python.ways.asking import lines_of

__all__ = ["ask"]

# What the SDK says in the model's place where an answer was withheld; openai-agents 0.24, read 2026-12-01.
_WITHHELD = "Response withheld by the provider's content filter."
_DELTAS = frozenset({"response.output_text.delta", "response.refusal.delta"})


class _Streamed(Protocol):
    def stream_events(self) -> AsyncIterator[object]: ...
    def cancel(self) -> None: ...


class _Runner(Protocol):
    async def run(self, agent: object, given: object) -> object: ...
    def run_streamed(self, agent: object, given: object) -> _Streamed: ...


async def ask(target: object, request: TurnRequest, context: TurnContext, /, *, stream: bool) -> object:
    """Ask it by the runner of its own package; what it said before it failed is kept."""
    runner = cast("_Runner", importlib.import_module("agents").Runner)
    told = Telling(context)
    try:
        if stream:
            result = await _grown(runner.run_streamed(target, lines_of(request)), told)
        else:
            result = await runner.run(target, lines_of(request))
    except Exception as exc:
        told.check(exc)
        refusal = attribute(exc, "refusal")
        if isinstance(refusal, str):
            return _declined(exc, refusal, told)
        if not told.text:
            await told.say(_said(exc))
        found = _worded(exc)
        if found is None:
            raise
        raise Ended(found) from exc
    reply = read(result)
    return TurnResult(text=told.rest(reply.text), completion=reply.completion)


async def _grown(run: _Streamed, told: Telling) -> object:
    """Show what the model says; the finished run."""
    try:
        async for event in run.stream_events():
            if attribute(event, "data", "type") not in _DELTAS:
                if attribute(event, "name") == "tool_called":
                    told.pause()
                continue
            text = attribute(event, "data", "delta")
            if isinstance(text, str) and text and text != _WITHHELD:
                await told.say(text)
    finally:
        run.cancel()  # ends what it runs beside this; harmless once it is done
    return run


def _declined(exc: Exception, refusal: str, told: Telling) -> TurnResult:
    """A refusal is the model's answer, raised or not."""
    if refusal == _WITHHELD:
        completion = TurnCompletion("content_filtered", site="agent.exception", source="exception")
        return TurnResult(completion=completion)
    return TurnResult(text=told.rest(refusal), completion=classify_exception(exc))


# The words of the provider, in the sentences the SDK makes of them.
_INCOMPLETE = re.compile(r"Responses stream ended with .{0,80}incomplete_details=\w*\(reason='(\w{1,64})'")
_FAILED = re.compile(r"Responses stream ended with .{0,80}\bcode='?(\w{1,64})'?")
_SPENT = re.compile(r"Chat Completions (?:response|stream) terminated with finish_reason='(\w{1,64})'")
_NO_END = re.compile(r"Model did not produce a final response!")


def _worded(exc: Exception) -> TurnCompletion | None:
    """The ending named in the message of a `ModelBehaviorError`."""
    if all(kind.__name__ != "ModelBehaviorError" for kind in type(exc).__mro__):
        return None
    message = str(exc)
    if found := _INCOMPLETE.match(message):
        return classify_response({"status": "incomplete", "incomplete_details": {"reason": found[1]}})
    if found := _FAILED.match(message):
        return classify_error(body={"error": {"code": found[1]}})
    if found := _SPENT.match(message):
        return classify_response({"choices": [{"finish_reason": found[1], "message": {"content": None}}]})
    if _NO_END.match(message):
        return TurnCompletion("stream_cut", site="agent.stream", source="exception")
    return None


def _said(exc: Exception) -> str:
    """The last message of a run that failed; empty where it has none."""
    items = attribute(exc, "run_data", "new_items")
    if not isinstance(items, Sequence):
        return ""
    messages = [item for item in cast("Sequence[object]", items) if attribute(item, "type") == _MESSAGE]
    return text_of(attribute(messages[-1], "raw_item")) if messages else ""


_MESSAGE = "message_output_item"
