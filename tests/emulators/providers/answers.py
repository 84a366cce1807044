"""What an emulated provider answers, apart from the protocol it says it in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["LONG", "SECRET", "Answer", "Asked", "Refused", "choose", "expect", "pieces"]

SECRET = "org-hidden-4242"
LONG = "One two three four five six seven eight nine ten"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the provider.

    Attributes:
        text: What it says; `None` repeats the person's message.
        token: Its word for how it ended; `None` leaves the word out.
        call: A tool call instead of, or after, the text: the name and the arguments as JSON.
        rounds: Requests after which it goes no further round; `None` goes on for ever.
        then: What follows the last round; what the latest tool gave by default.
        error: The error of the body, or of a frame inside the stream when the status is 200.
        headers: Of an error.
        extra: Fields of the protocol beside the word.
        cut: Whether the socket is cut after the text, with nothing terminal.
        hang: Whether it stops talking, before the headers or after the text, and keeps the line.
        pace: Seconds between two pieces.
    """

    text: str | None = None
    token: str | None = "stop"
    refusal: str = ""
    thoughts: str = ""
    call: tuple[str, str] | None = None
    rounds: int | None = None
    then: Answer | None = None
    status: int = 200
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cut: bool = False
    hang: Literal["", "before", "after"] = ""
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that was let in.

    Attributes:
        body: As it came.
        said: The person's last message.
        before: The texts of all messages before it.
        rounds: Rounds since: tool results, or continuations of a paused answer.
        latest: What the latest tool gave.
        tools: The names of what the model was told of.
        may_call: Whether it may call any.
    """

    body: dict[str, Any]
    model: str
    streamed: bool
    said: str
    before: Sequence[str] = ()
    rounds: int = 0
    latest: str = ""
    tools: frozenset[str] = frozenset()
    may_call: bool = True

    def call(self, answer: Answer) -> tuple[str, str]:
        """The call that the answer makes, of a tool the model was told of."""
        assert answer.call is not None
        assert answer.call[0] in self.tools, f"the model was not told of a tool {answer.call[0]!r}"
        return answer.call


class Refused(Exception):
    """A request that the provider does not take.

    Attributes:
        status: Of the answer.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def expect(holds: bool, otherwise: str) -> None:
    """Refuse the request unless something holds."""
    if not holds:
        raise Refused(400, otherwise)


_MARKER = re.compile(r"\[\[(\w+)\]\]")


def choose(asked: Asked, answers: Mapping[str, Answer]) -> Answer:
    """The answer that the person's last message asks for, by a name in double brackets; else its echo."""
    if "everything before" in asked.said:
        return Answer("\n".join(asked.before), token=answers["completed"].token)
    found = _MARKER.search(asked.said)
    answer = answers[found[1]] if found else answers["completed"]
    if answer.call is not None and not (asked.tools and asked.may_call):
        return Answer("Without tools.", token=answers["completed"].token)
    if answer.rounds is not None and asked.rounds >= answer.rounds:
        return answer.then or Answer(f"Found: {asked.latest}", token=answers["completed"].token)
    return answer


def pieces(text: str) -> list[str]:
    """A text in the pieces that a stream brings it in."""
    return re.findall(r"\s*\S+|\s+$", text)
