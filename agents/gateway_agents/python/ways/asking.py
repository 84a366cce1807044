"""What every way of asking a framework's agent shares."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from gateway.abc.agent import PastLine, TurnContext, TurnRequest
from gateway_agents._transcript import prompt_of

__all__ = ["Way", "lines_of", "said", "words_of"]

_NO_TEXT = "a message without text"
_SUMMED_UP = "What was said before, summed up:\n"


class Way(Protocol):
    """Asks an agent of one framework; with `stream`, shows the answer while it grows."""

    def __call__(
        self, target: object, request: TurnRequest, context: TurnContext, /, *, stream: bool
    ) -> Awaitable[object]:
        """Ask, and give back what came of it."""
        ...


def lines_of(request: TurnRequest) -> list[dict[str, str]]:
    """The conversation as messages with a role and a content, what the person says now last."""
    past = [_line(line) for line in request.history if line.text.strip()]
    return [*past, said(words_of(request))]


def words_of(request: TurnRequest) -> str:
    """What the person says now; providers refuse a message that says nothing, so it says that it does."""
    if request.text.strip():
        return prompt_of(request)
    sent = ", ".join(file.kind for file in request.files)
    return f"({_NO_TEXT}: {sent})" if sent else f"({_NO_TEXT})"


def said(text: str, *, role: str = "user") -> dict[str, str]:
    """One message."""
    return {"role": role, "content": text}


def _line(line: PastLine) -> dict[str, str]:
    if line.role == "assistant":
        return said(line.text, role=line.role)
    return said(line.text if line.role == "user" else _SUMMED_UP + line.text)
