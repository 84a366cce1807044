"""What the emulated provider answers, by name: every way a chat completion ends."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["ANSWERS", "SECRET", "Answer", "answer_for"]

SECRET = "org-hidden-4242"
_LONG = "One two three four five six seven eight nine ten"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the provider.

    Attributes:
        text: What it says; `None` repeats the person's message.
        token: Its word for how it ended; `None` leaves the word out.
        call: A tool call instead of, or after, the text: the name and the arguments as JSON.
        rounds: Tool results after which it calls no further tool; `None` calls for ever.
        error: The `error` object of the body, or of a frame inside the stream when the status is 200.
        cut: Where the socket is cut: after the text, with nothing terminal.
        hang: Whether it stops talking, before the headers or after the text, and keeps the line.
        pace: Seconds between two pieces.
    """

    text: str | None = None
    token: str | None = "stop"
    refusal: str = ""
    thoughts: str = ""
    call: tuple[str, str] | None = None
    rounds: int | None = None
    status: int = 200
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: bool = False
    hang: Literal["", "before", "after"] = ""
    pace: float = 0.0


def _fault(
    status: int, *, code: str | None, kind: str, headers: Mapping[str, str] | None = None, says: str = "No."
) -> Answer:
    error = {"message": f"{says} ({SECRET})", "type": kind, "param": None, "code": code}
    return Answer(status=status, error=error, headers=headers or {})


ANSWERS: dict[str, Answer] = {
    "completed": Answer(),
    "length": Answer(_LONG, token="length"),
    "rest": Answer("eleven twelve."),
    "filter": Answer("", token="content_filter"),
    "filter_with_text": Answer("One two", token="content_filter"),
    "refusal": Answer("", refusal="I can't help with that."),
    "empty": Answer(""),
    "whitespace": Answer(" \n\t "),
    "thoughts": Answer("", thoughts="The person wants something."),
    "strange": Answer("One two", token="cosmic_rays"),
    "rate": _fault(429, code="rate_limit_exceeded", kind="requests", headers={"Retry-After": "7"}),
    "quota": _fault(429, code="insufficient_quota", kind="insufficient_quota"),
    "key": _fault(401, code="invalid_api_key", kind="invalid_request_error"),
    "model": _fault(404, code="model_not_found", kind="invalid_request_error"),
    "context": _fault(
        400,
        code="context_length_exceeded",
        kind="invalid_request_error",
        says="This model's maximum context length is 128000 tokens.",
    ),
    "invalid": _fault(400, code="invalid_value", kind="invalid_request_error"),
    "server": _fault(500, code=None, kind="server_error"),
    "overloaded": _fault(529, code=None, kind="overloaded_error", says="Overloaded"),
    "cut": Answer(_LONG, token=None, cut=True),
    "cut_at_once": Answer("", token=None, cut=True),
    "eof": Answer(_LONG, token=None),
    "error_frame": Answer(
        "One two",
        token=None,
        error={"message": f"The server had an error ({SECRET})", "type": "server_error", "code": None},
    ),
    "hang": Answer("One two", hang="after"),
    "deaf": Answer(hang="before"),
    "slow": Answer(_LONG, pace=0.05),
    "tools": Answer("Let me look.", call=("lookup", '{"key": "x"}'), token="tool_calls"),
    "one_tool": Answer("Let me look.", call=("lookup", '{"key": "x"}'), rounds=1, token="tool_calls"),
    "broken_tool": Answer("", call=("fail", "{}"), rounds=1, token="tool_calls"),
    "broken_tools": Answer("", call=("fail", "{}"), token="tool_calls"),
    "cut_tool": Answer("", call=("lookup", '{"key": "x'), token="length"),
}
"""Each is asked for by its name in double brackets, as in `[[length]]`."""

_MARKER = re.compile(r"\[\[(\w+)\]\]")


def answer_for(messages: Sequence[Mapping[str, Any]]) -> Answer:
    """The answer that the person's last message asks for."""
    latest = max(position for position, message in enumerate(messages) if message["role"] == "user")
    said = _text(messages[latest])
    if "everything before" in said:
        return Answer("\n".join(_text(message) for message in messages[:latest]))
    found = _MARKER.search(said)
    answer = ANSWERS[found[1]] if found else Answer(said)
    results = sum(message["role"] == "tool" for message in messages[latest:])
    if answer.call is not None and answer.rounds is not None and results >= answer.rounds:
        return Answer(f"Found: {_text(messages[-1])}")
    return answer


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content)
