"""What Gemini answers, by name."""

from __future__ import annotations

from typing import Any

from tests.emulators.providers.answers import LONG, SECRET, Answer

__all__ = ["GEMINI_ANSWERS"]

_LOOKUP = ("lookup", '{"key": "x"}')
_RPC = "type.googleapis.com/google.rpc."


def _fault(code: int, status: str, says: str, *details: dict[str, Any]) -> Answer:
    error: dict[str, Any] = {"message": f"{says} ({SECRET})", "status": status}
    return Answer(status=code, error=error | ({"details": list(details)} if details else {}))


def _blocked(reason: str) -> Answer:
    return Answer("", token=None, extra={"promptFeedback": {"blockReason": reason}})


_WAIT = {"@type": f"{_RPC}RetryInfo", "retryDelay": "7s"}


def _quota(identity: str) -> dict[str, Any]:
    return {"@type": f"{_RPC}QuotaFailure", "violations": [{"quotaId": identity}]}


_RATINGS = {"safetyRatings": [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "HIGH"}]}

GEMINI_ANSWERS: dict[str, Answer] = {
    "completed": Answer(token="STOP"),
    "length": Answer(LONG, token="MAX_TOKENS"),
    "length_empty": Answer("", token="MAX_TOKENS"),
    "rest": Answer("eleven twelve.", token="STOP"),
    "filter": Answer("", token="SAFETY", extra=_RATINGS),
    "filter_with_text": Answer("One two", token="SAFETY", extra=_RATINGS),
    "recitation": Answer("One two", token="RECITATION"),
    "prohibited": Answer("", token="PROHIBITED_CONTENT"),
    "language": Answer("", token="LANGUAGE"),
    "other": Answer("", token="OTHER"),
    "malformed": Answer("", token="MALFORMED_FUNCTION_CALL", extra={"finishMessage": "Malformed: x"}),
    "unexpected": Answer("", token="UNEXPECTED_TOOL_CALL"),
    "too_many": Answer("One two", token="TOO_MANY_TOOL_CALLS"),
    "blocked": _blocked("SAFETY"),
    "blocked_other": _blocked("OTHER"),
    "empty": Answer("", token="STOP"),
    "whitespace": Answer(" \n\t ", token="STOP"),
    "thoughts": Answer("", token="STOP", thoughts="The person wants something."),
    "strange": Answer("One two", token="COSMIC_RAYS"),
    "cut": Answer(LONG, token=None, cut=True),
    "cut_at_once": Answer("", token=None, cut=True),
    "eof": Answer(LONG, token=None),
    "eof_empty": Answer("", token=None),
    "hang": Answer("One two", token=None, hang="after"),
    "deaf": Answer(hang="before"),
    "tools": Answer("Let me look.", call=_LOOKUP, token="STOP"),
    "one_tool": Answer("Let me look.", call=_LOOKUP, rounds=1, token="STOP"),
    "broken_tools": Answer("", call=("fail", "{}"), token="STOP"),
    "cut_tool": Answer("", call=("lookup", '{"key": "half"}'), token="MAX_TOKENS"),
    "rate": _fault(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota. Please retry in 7s.",
        _quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"),
        _WAIT,
    ),
    "quota": _fault(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota.",
        _quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        _WAIT,
    ),
    "credits": _fault(402, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
    "key": _fault(
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        {"@type": f"{_RPC}ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"},
    ),
    "unauthenticated": _fault(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
    "forbidden": _fault(403, "PERMISSION_DENIED", "Your API key doesn't have the required permissions."),
    "region": _fault(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
    "model": _fault(404, "NOT_FOUND", "models/gemini-small is not found for API version v1beta"),
    "context": _fault(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    "large": _fault(413, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
    "invalid": _fault(400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
    "server": _fault(500, "INTERNAL", "An internal error has occurred."),
    "unavailable": _fault(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "slow_server": _fault(504, "DEADLINE_EXCEEDED", "The service is unable to finish within the deadline."),
    "error_frame": Answer(
        "One two",
        error={"code": 503, "message": f"The model is overloaded. ({SECRET})", "status": "UNAVAILABLE"},
    ),
    "rate_frame": Answer(
        "",
        error={
            "code": 429,
            "message": f"Resource has been exhausted ({SECRET})",
            "status": "RESOURCE_EXHAUSTED",
            "details": [_WAIT],
        },
    ),
}
