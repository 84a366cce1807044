"""What OpenAI's Responses answer, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.emulators.providers.answers import LONG, SECRET, Answer
from tests.emulators.providers.chat_answers import OPENAI_ANSWERS

__all__ = ["RESPONSES_ANSWERS"]

_WORDS = {
    "stop": "completed",
    "length": "max_output_tokens",
    "content_filter": "content_filter",
    "tool_calls": "completed",
    None: None,
    "cosmic_rays": "cosmic_rays",
}


def _failed(code: str, text: str = "") -> Answer:
    error: dict[str, Any] = {"code": code, "message": f"It failed ({SECRET})"}
    return Answer(text, token="failed", extra={"error": error})


def _frame(code: str) -> Answer:
    return Answer("One two", token=None, error={"code": code, "message": f"It failed ({SECRET})"})


RESPONSES_ANSWERS: dict[str, Answer] = {
    **{name: replace(answer, token=_WORDS[answer.token]) for name, answer in OPENAI_ANSWERS.items()},
    "cancelled": Answer("One two", token="cancelled"),
    "cancelled_empty": Answer("", token="cancelled"),
    "incomplete": Answer(LONG, token="incomplete"),
    "failed": _failed("server_error"),
    "failed_with_text": _failed("server_error", "One two"),
    "failed_rate": _failed("rate_limit_exceeded"),
    "failed_policy": _failed("bio_policy"),
    "failed_image": _failed("invalid_image_format"),
    "error_frame": _frame("server_error"),
    "rate_frame": _frame("rate_limit_exceeded"),
}
