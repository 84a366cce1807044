"""A conversation's history in pydantic-ai's messages, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from gateway.abc.agent import PastLine, TurnRequest

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

__all__ = ["keep", "prompt_of", "recall", "summary_message"]

_MEANWHILE = "Said in the group meanwhile, not to you, for your information only:"
_LIMIT = 256 * 1024  # bytes of messages kept with one turn; beyond it the text alone is remembered


def recall(history: Sequence[PastLine]) -> list[ModelMessage]:
    """What was said before, with every tool call where it was kept, as plain text elsewhere."""
    messages: list[ModelMessage] = []
    kept = {line.turn: found for line in history if line.data and (found := _load(line.data))}
    for line in history:
        if line.role == "summary" or line.turn not in kept:
            messages.extend(_plain(line))
        elif line.role == "assistant":
            messages.extend(kept[line.turn])
    return messages


def keep(messages: Sequence[ModelMessage]) -> bytes:
    """What a turn added, for `recall`; nothing when it is too large to keep."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    data = ModelMessagesTypeAdapter.dump_json(list(messages))
    return data if len(data) <= _LIMIT else b""


def prompt_of(request: TurnRequest) -> str:
    """What the person says now, named where several people talk, after what the group said meanwhile."""
    several = any(line.speaker for line in (*request.history, *request.overheard))
    text = f"{request.person.name}: {request.text}" if several and request.person.name else request.text
    if not request.overheard:
        return text
    meanwhile = "\n".join(f"{line.speaker}: {line.text}" for line in request.overheard)
    return f"{_MEANWHILE}\n{meanwhile}\n\n{text}"


def summary_message(summary: str) -> ModelMessage:
    """A summary as the model is given it."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart

    return ModelRequest(parts=[UserPromptPart(f"What was said before, summed up:\n{summary}")])


def _load(data: bytes) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    try:
        return ModelMessagesTypeAdapter.validate_json(data)
    except ValidationError:
        return []


def _plain(line: PastLine) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    if not line.text.strip():
        return []
    if line.role == "summary":
        return [summary_message(line.text)]
    if line.role == "assistant":
        return [ModelResponse(parts=[TextPart(line.text)])]
    text = f"{line.speaker}: {line.text}" if line.speaker else line.text
    return [ModelRequest(parts=[UserPromptPart(text)])]
