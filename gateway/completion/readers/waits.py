"""Read how long a provider asks to wait."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import cast

from gateway.completion.readers.access import field, items, number, squash, text, word

__all__ = ["asked", "header_pairs", "in_body", "in_message", "resets", "sane"]

_LONGEST = 31 * 86_400.0
_DURATION = re.compile(
    r"(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,8}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
)
_ASKED = re.compile(
    r"(?:try again|retry|available again|reset(?:s)?|wait)(?: \w+){0,2}? (?:in|after|for) (?:about )?"
    r"(\d{1,6}(?:\.\d{1,9})?)\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b",
    re.IGNORECASE,
)
_ASKED_LONG = re.compile(
    r"(?:try again|retry)(?: \w+){0,2}? (?:in|after) ((?:\d{1,6}(?:\.\d{1,9})?(?:ms|d|h|m|s)){1,5})\b",
    re.IGNORECASE,
)
_UNITS = {
    "ms": 0.001,
    "millisecond": 0.001,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minute": 60.0,
    "h": 3600.0,
    "hour": 3600.0,
}


def sane(seconds: object) -> float | None:
    """A wait in seconds, or `None` for what cannot be one: negative, not finite, longer than a month."""
    if isinstance(seconds, timedelta):
        seconds = seconds.total_seconds()
    found = number(seconds)
    return found if found is not None and 0 <= found <= _LONGEST else None


def header_pairs(headers: object) -> dict[str, str]:
    """Headers by lower-case name, whatever holds them."""
    pairs: dict[str, str] = {}
    for raw_name, raw_value in _raw_pairs(headers):
        name, value = _plain(raw_name), _plain(raw_value)
        if name and value and len(pairs) < _MOST_HEADERS:
            pairs.setdefault(name.lower(), value)
    return pairs


_MOST_HEADERS = 200


def _raw_pairs(headers: object) -> Iterator[tuple[object, object]]:
    try:
        for pair in items(headers):
            both = items(pair)
            if len(both) == 2:  # a name and a value
                yield both[0], both[1]
        listed = None if items(headers) else getattr(headers, "items", None)
        if callable(listed):
            yield from islice(cast("Iterable[tuple[object, object]]", listed()), _MOST_HEADERS)
    except Exception:  # noqa: BLE001  # foreign headers may raise anything
        return


def _plain(value: object) -> str:
    if isinstance(value, bytes):
        value = value[:500].decode("latin-1")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(number(value) or "")
    return text(value)[:500].strip()


def asked(headers: Mapping[str, str]) -> float | None:
    """What the headers of an error ask for (names in lower case), or `None`."""
    for name in ("retry-after-ms", "x-ms-retry-after-ms"):
        thousandths = number(headers.get(name))
        if thousandths is not None:
            return sane(thousandths / 1000)
    return _span(headers.get("retry-after", ""), headers)


def _span(value: str, headers: Mapping[str, str]) -> float | None:
    seconds = number(value)
    if seconds is not None:
        return sane(seconds)
    at = _date(value)
    if at is None:
        return _duration(value)
    return sane(max(at - (_date(headers.get("date", "")) or time.time()), 0.0))


def _date(value: str) -> float | None:
    try:
        at = parsedate_to_datetime(value) if "," in value else datetime.fromisoformat(value)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


_RESET = re.compile(r"^(?:x-|anthropic-)?rate-?limit-(?:(?P<before>[a-z-]+)-)?reset(?:-(?P<after>[a-z-]+))?$")


def resets(headers: Mapping[str, str]) -> float | None:
    """The longest reset among limits that are used up; of all when none says what remains."""
    spans: list[float] = []
    for name, value in headers.items():
        kind = _RESET.match(name)
        if kind is None or _remains(headers, name):
            continue
        span = _moment(value, headers)
        if span is not None:
            spans.append(span)
    return max(spans, default=None)


def _remains(headers: Mapping[str, str], name: str) -> bool:
    left = number(headers.get(name.replace("reset", "remaining")))
    return left is not None and left > 0


_EPOCH = 1e9
_EPOCH_MS = 1e12


def _moment(value: str, headers: Mapping[str, str]) -> float | None:
    """A reset as seconds from now: a span, a moment in seconds or milliseconds, or a date."""
    found = number(value)
    if found is None or found < _EPOCH:
        return _span(value, headers)
    now = _date(headers.get("date", "")) or time.time()
    return sane(max((found / 1000 if found >= _EPOCH_MS else found) - now, 0.0))


def _duration(value: str) -> float | None:
    match = _DURATION.fullmatch(value.strip().lower()[:60])
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes, seconds, thousandths = (float(part or 0) for part in match.groups())
    return sane(days * 86_400 + hours * 3_600 + minutes * 60 + seconds + thousandths / 1_000)


def in_body(body: object) -> float | None:
    """What a decoded error body asks for: `google.rpc.RetryInfo` or a field of its own."""
    for holder in (field(body, "error"), body):
        for detail in items(field(holder, "details")):
            if squash(word(field(detail, "@type"))).endswith("retryinfo"):
                found = _retry_delay(field(detail, "retry_delay"))
                if found is not None:
                    return found
        found = _own_field(holder)
        if found is not None:
            return found
    return None


def _retry_delay(value: object) -> float | None:
    if isinstance(value, str):
        return _duration(value)
    seconds = number(field(value, "seconds"))
    return sane(seconds + (number(field(value, "nanos")) or 0) / 1e9) if seconds is not None else sane(value)


def _own_field(holder: object) -> float | None:
    thousandths = number(field(holder, "retry_after_ms"))
    if thousandths is not None:
        return sane(thousandths / 1000)
    for name in ("retry_after", "retry_after_seconds"):
        found = sane(field(holder, name))
        if found is not None:
            return found
    headers = field(field(holder, "metadata"), "headers")
    return asked(header_pairs(headers)) if headers is not None else None


def in_message(message: str) -> float | None:
    """What the message of an error asks for, such as `Please try again in 6m0.5s`."""
    spelt = _ASKED_LONG.search(message[:4000])
    if spelt is not None:
        return _duration(spelt[1])
    asked = _ASKED.search(message[:4000])
    if asked is None:
        return None
    unit = asked[2].lower()
    return sane(float(asked[1]) * _UNITS[unit if unit in _UNITS else unit.rstrip("s")])
