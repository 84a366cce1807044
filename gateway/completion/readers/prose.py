"""Read the message of a provider, last of all: narrow phrases, never over what a person wrote."""

from __future__ import annotations

import re

from gateway.completion.readers import phrases

__all__ = ["said", "spoken", "transport"]

_LONGEST = 4_000
_QUOTED = re.compile(
    r'"[^"\n]{0,400}"|`[^`\n]{0,400}`|“[^”\n]{0,400}”|«[^»\n]{0,400}»|(?<!\w)\'[^\'\n]{0,400}\'(?!\w)'
)
_NAMES = re.compile(
    r"https?://\S{1,400}"
    r"|(?:[\w.-]{2,64}/)+[\w.-]{2,64}"
    r"|(?<!\w)(?:/[\w.-]{1,64}){2,}"
    r"|\b[\w-]{1,64}\.(?!\s)[A-Za-z]\w{0,4}\b"
)
_SPACE = re.compile(r"\s+")
_LIMITS = re.compile(r"limit:? (\d{1,12})\b[^.]{0,60}?requested:? (\d{1,12})\b")
_THROTTLED = re.compile(
    r"too many tokens, please wait|tokens per (?:minute|min|day)\b(?!.*(?:reduce|too large))"
)
_ABOUT_INPUT = re.compile(r"input length|maximum context|prompt")

# Statuses with which a kind of phrase may be believed; 200 is an error inside an answer.
_UNSAID = frozenset({None, 200})
_WAITING = frozenset({429, 503, 529})
_REFUSING = frozenset({401, 403})
_FOR_CREDENTIALS = _UNSAID | {400, 401, 403, 404, 422, 500}
_FOR_RATE = _UNSAID | {400, 403, 422, 429, 500}
_FOR_LATE = _UNSAID | {408, 500, 502, 503, 504}
_FOR_CANCELLED = _UNSAID | {400, 499, 500}
_FOR_BUSY = _UNSAID | {400, 500}


def spoken(message: str) -> str:
    """What the provider itself says: lower case, without quoted parts, addresses, paths and file names."""
    plain = _QUOTED.sub(" ~ ", message[:_LONGEST])
    return _SPACE.sub(" ", _NAMES.sub(" ~ ", plain)).lower()


def said(message: str, status: int | None) -> str | None:
    """What the message of a provider's error says beyond its codes; `None` when nothing narrow enough.

    Args:
        message: The message as it came.
        status: The HTTP status, when there is one; some phrases count only with some.
    """
    told = spoken(message)
    return _account(told, status) or _request(told, status) or _access(told, status) or _service(told, status)


def _account(told: str, status: int | None) -> str | None:
    owes = phrases.MONEY.search(told) is not None
    if status not in _WAITING and phrases.CLOSED_ACCOUNT.search(told):
        return "quota_exhausted" if owes else "auth_failed"
    if _never_fits(told):
        return "context_overflow"
    if phrases.FILTERED.search(told):
        return "content_filtered"
    return "quota_exhausted" if owes else None


def _never_fits(told: str) -> bool:
    """One request above the whole allowance of a minute can never pass."""
    numbers = _LIMITS.search(told)
    return numbers is not None and int(numbers[2]) > int(numbers[1])


def _request(told: str, status: int | None) -> str | None:
    if phrases.CUT_ANSWER.search(told):
        return "length_truncated"
    if phrases.OUTPUT_BOUND.search(told) and not _ABOUT_INPUT.search(told):
        return "invalid_request"
    if status not in _REFUSING and phrases.TOO_LONG.search(told) and not _THROTTLED.search(told):
        return "context_overflow"
    missing = status not in _WAITING and phrases.MODEL.search(told) and not phrases.LOADING.search(told)
    return "model_not_found" if missing else None


def _access(told: str, status: int | None) -> str | None:
    if status in _FOR_CREDENTIALS and phrases.CREDENTIALS.search(told):
        return "auth_failed"
    return "rate_limited" if status in _FOR_RATE and phrases.RATE.search(told) else None


def _service(told: str, status: int | None) -> str | None:
    for reason, statuses, phrase in (
        ("timeout", _FOR_LATE, phrases.LATE),
        ("cancelled", _FOR_CANCELLED, phrases.CANCELLED),
        ("provider_error", _FOR_BUSY, phrases.BUSY),
    ):
        if status in statuses and phrase.search(told):
            return reason
    return None


def transport(message: str) -> str | None:
    """What the message of a failed connection says; for errors that never got an answer."""
    told = spoken(message)
    for reason, phrase in (
        ("cancelled", phrases.CANCELLED),
        ("timeout", phrases.LATE),
        ("stream_cut", phrases.CUT_STREAM),
        ("network_error", phrases.NETWORK),
    ):
        if phrase.search(told):
            return reason
    return None
