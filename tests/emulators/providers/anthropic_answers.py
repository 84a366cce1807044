"""What Anthropic's Messages answer, by name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.emulators.providers.answers import LONG, SECRET, Answer

__all__ = ["ANTHROPIC_ANSWERS"]

_LOOKUP = ("lookup", '{"key": "x"}')
_WAIT = {"retry-after": "7"}


def _fault(status: int, kind: str, says: str, headers: Mapping[str, str] | None = None) -> Answer:
    error = {"type": kind, "message": f"{says} ({SECRET})"}
    return Answer(status=status, error=error, headers=headers or {})


def _declined(text: str, explanation: str | None) -> Answer:
    details = {"type": "refusal", "category": "cyber", "explanation": explanation}
    return Answer(text, token="refusal", extra={"stop_details": details})


_INVALID = "invalid_request_error"
ANTHROPIC_ANSWERS: dict[str, Answer] = {
    "completed": Answer(token="end_turn"),
    "stop_sequence": Answer("One two", token="stop_sequence", extra={"stop_sequence": "three"}),
    "length": Answer(LONG, token="max_tokens"),
    "length_empty": Answer("", token="max_tokens"),
    "window": Answer("One two", token="model_context_window_exceeded"),
    "rest": Answer("eleven twelve.", token="end_turn"),
    "refusal": Answer("", token="refusal"),
    "refusal_with_text": _declined("One two", None),
    "refusal_explained": _declined("", f"Blocked by the usage policy ({SECRET})"),
    "empty": Answer("", token="end_turn"),
    "whitespace": Answer(" \n\t ", token="end_turn"),
    "thoughts": Answer("", token="end_turn", thoughts="The person wants something."),
    "strange": Answer("One two", token="cosmic_rays"),
    "cut": Answer(LONG, token=None, cut=True),
    "cut_at_once": Answer("", token=None, cut=True),
    "eof": Answer(LONG, token=None),
    "eof_empty": Answer("", token=None),
    "hang": Answer("One two", token=None, hang="after"),
    "deaf": Answer(hang="before"),
    "tools": Answer("Let me look.", call=_LOOKUP, token="tool_use"),
    "one_tool": Answer("Let me look.", call=_LOOKUP, rounds=1, token="tool_use"),
    "broken_tools": Answer("", call=("fail", "{}"), token="tool_use"),
    "cut_tool": Answer("", call=("lookup", '{"key": "x'), token="max_tokens"),
    "pause": Answer("Looking.", token="pause_turn"),
    "pause_once": Answer(
        "Looking.", token="pause_turn", rounds=1, then=Answer(" Found it.", token="end_turn")
    ),
    "pause_silent": Answer("", token="pause_turn"),
    "rate": _fault(429, "rate_limit_error", "This would exceed your rate limit.", _WAIT),
    "quota": _fault(400, _INVALID, "Your credit balance is too low to access the Anthropic API."),
    "billing": _fault(402, "billing_error", "There is an issue with your payment."),
    "key": _fault(401, "authentication_error", "invalid x-api-key"),
    "forbidden": _fault(403, "permission_error", "Your API key does not have permission."),
    "model": _fault(404, "not_found_error", "model: claude-small"),
    "context": _fault(400, _INVALID, "prompt is too long: 213462 tokens > 200000 maximum"),
    "large": _fault(413, "request_too_large", "Request exceeds the maximum size"),
    "invalid": _fault(400, _INVALID, "temperature: range: 0..1"),
    "server": _fault(500, "api_error", "Internal server error"),
    "unavailable": _fault(503, "api_error", "Service unavailable"),
    "slow_server": _fault(504, "timeout_error", "Gateway timeout"),
    "overloaded": _fault(529, "overloaded_error", "Overloaded"),
    "error_frame": Answer("One two", error={"type": "overloaded_error", "message": f"Overloaded ({SECRET})"}),
    "rate_frame": Answer("", error={"type": "rate_limit_error", "message": f"Slow down ({SECRET})"}),
}
