"""Make a conversation short enough to go on: a summary in place of its beginning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic_ai import Agent as Loop
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ToolReturnPart,
)
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from gateway.abc.agent import PastLine
from gateway_agents._transcript import recall, summary_message

__all__ = ["Compacted", "compact", "shortened"]

_INSTRUCTIONS = (
    "You sum up a conversation between a person and an assistant so that the assistant can go on with it. "
    "Keep names, numbers, decisions, what the person wants, what was done and what is still open. Write "
    "plain sentences in the language of the conversation, at most 300 words, and nothing else."
)
_TRANSCRIPT = 12_000  # characters of the conversation that are summed up; the beginning and the end of it
_RECENT = 4  # lines that stay as they are
_RECENT_LENGTH = 4_000  # characters they may have together
_RESULT = 1_500  # characters a tool's result of the running turn keeps


@dataclass(frozen=True, slots=True)
class Compacted:
    """A history made shorter.

    Attributes:
        summary: What stands for the rest; the new history begins with it.
    """

    summary: str
    messages: list[ModelMessage]


async def compact(
    history: Sequence[PastLine],
    model: Model,
    *,
    settings: ModelSettings,
    streams: bool,
    alive: Callable[[], None],
) -> Compacted:
    """A summary of the history by the model itself, and its last lines.

    The conversation is cut to its beginning and its end where even the summary would be too long; when the
    model cannot sum up at all, that is what stands for it. `alive` is called for each sign of life.
    """
    recent = _recent(history)
    older = history[: len(history) - len(recent)]
    transcript = _transcript(older, _TRANSCRIPT)
    summary = await _summed(transcript, model, settings=settings, streams=streams, alive=alive)
    if not summary:
        summary = _transcript(older, _TRANSCRIPT // 4)
    return Compacted(summary, [summary_message(summary), *recall(recent)])


def shortened(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The running turn's own messages with long results of tools cut."""
    return [
        replace(message, parts=[_short(part) for part in message.parts])
        if isinstance(message, ModelRequest)
        else message
        for message in messages
    ]


def _short(part: ModelRequestPart) -> ModelRequestPart:
    if not isinstance(part, ToolReturnPart) or len(text := part.model_response_str()) <= _RESULT:
        return part
    return ToolReturnPart(part.tool_name, _ends(text, _RESULT), part.tool_call_id)


async def _summed(
    transcript: str, model: Model, *, settings: ModelSettings, streams: bool, alive: Callable[[], None]
) -> str:
    """The model's summary; empty when it gives none."""
    loop: Loop[None, str | None] = Loop(
        model,
        output_type=str | None,  # type: ignore[arg-type]  # a union is a form its signature does not spell
        instructions=_INSTRUCTIONS,
        model_settings=settings,
    )
    try:
        if not streams:
            return ((await loop.run(transcript)).output or "").strip()
        async with loop.run_stream_events(transcript) as events:
            async for _ in events:
                alive()
            result = events.result
    except AgentRunError:
        return ""
    return (result.output or "").strip() if result is not None else ""


def _recent(history: Sequence[PastLine]) -> Sequence[PastLine]:
    """The last lines, as many of them as are short together; they begin with the person's."""
    kept = list(history[-_RECENT:])
    while kept and (kept[0].role != "user" or sum(len(line.text) for line in kept) > _RECENT_LENGTH):
        del kept[0]
    return kept


def _transcript(lines: Sequence[PastLine], limit: int) -> str:
    said = "\n".join(f"{line.speaker or line.role}: {line.text}" for line in lines if line.text.strip())
    return _ends(said, limit)


def _ends(text: str, limit: int) -> str:
    """The beginning and the end of a text that is longer than the limit."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 3]}\n[...]\n{text[-(limit - limit // 3) :]}"
