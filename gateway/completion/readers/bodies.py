"""Gather what the body of an error says: codes, messages, statuses, in known places only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as slot
from typing import cast

from gateway.completion.readers import codes
from gateway.completion.readers.access import every, field, items, squash, text, whole, word

__all__ = ["Facts", "decode", "frames", "gather", "merge", "scraps"]

_DEEPEST = 8
_MOST_FACTS = 64
_LONGEST_JSON = 200_000
_CODES = (
    "code",
    "type",
    "status",
    "reason",
    "error_code",
    "error_type",
    "error_kind",
    "__type",
    "err_code",
    "limit_source",
    "status_code",
    "http_status",
    "x-amzn-errortype",
)
_MESSAGES = (
    "message",
    "msg",
    "error_msg",
    "error_message",
    "error_description",
    "detail",
    "status_msg",
    "raw",
)
_CHILDREN = (
    "error",
    "errors",
    "details",
    "detail",
    "innererror",
    "metadata",
    "raw",
    "data",
    "body",
    "fault",
    "base_resp",
    "header",
    "response",
    "last_error",
    "cause",
    "error_info",
    "violations",
    "response_metadata",
    "status_details",
)


@dataclass(slots=True)
class Facts:
    """What was found, in the order of the body.

    Attributes:
        codes: Codes and types as they came.
        messages: What the provider says in words.
        statuses: HTTP statuses named inside.
        numbered: Reasons from the numbers of one vendor.
        daily: Whether a limit per day is named.
        minutely: Whether a shorter limit is named.
    """

    codes: list[str] = slot(default_factory=list[str])
    messages: list[str] = slot(default_factory=list[str])
    statuses: list[int] = slot(default_factory=list[int])
    numbered: list[tuple[str, str]] = slot(default_factory=list[tuple[str, str]])
    daily: bool = False
    minutely: bool = False

    def __bool__(self) -> bool:
        return bool(self.codes or self.messages or self.statuses or self.numbered)


def decode(body: object) -> object:
    """A body that came as bytes or text, decoded where it is JSON; a page of HTML says nothing."""
    if isinstance(body, bytes | bytearray):
        body = bytes(body[:_LONGEST_JSON]).decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    plain = body[:_LONGEST_JSON].strip()
    if plain.startswith(("{", "[")):
        decoded = _loads(plain)
        return plain if decoded is None else decoded
    if re.match(r"(?:event|data|id|retry|:)\s*:", plain):
        return next(filter(_names_error, frames(plain)), plain)
    return "" if re.match(r"<[!a-zA-Z?]", plain) else plain


def _names_error(frame: Mapping[str, object]) -> bool:
    return "error" in frame or word(field(frame, "type")) == "error"


def frames(body: str) -> list[Mapping[str, object]]:
    """The decoded data of the frames of an event stream, or the objects of one-per-line JSON."""
    found: list[Mapping[str, object]] = []
    for line in body[:_LONGEST_JSON].splitlines()[:2000]:
        plain = line.strip().removeprefix("data:").strip()
        decoded = _loads(plain) if plain.startswith("{") else None
        if decoded is not None:
            found.append(cast("Mapping[str, object]", decoded))
    return found


def _loads(plain: str) -> object:
    try:
        return cast("object", json.loads(plain))
    except (ValueError, RecursionError, MemoryError):
        return None


def gather(*bodies: object) -> Facts:
    """Everything that known fields of the bodies say."""
    facts = Facts()
    waiting = [(decode(body), 0) for body in reversed(bodies)]
    seen: dict[int, object] = {}  # holds what it has seen, so that no id is used twice
    while waiting and len(seen) < _MOST_PARTS:
        value, depth = waiting.pop()
        if value is None or id(value) in seen or depth > _DEEPEST:
            continue
        seen[id(value)] = value
        if isinstance(value, str):
            facts.messages += [str.__str__(value)] if str.strip(value) else []
            continue
        if not items(value):
            _read(value, facts)
        waiting += [(_nested(part), depth + 1) for part in reversed(_parts(value))]
    return facts


_MOST_PARTS = 120


def _parts(value: object) -> list[object]:
    listed = items(value)
    if listed:
        return list(listed[:16])
    return [
        child
        for name in _CHILDREN
        for child in every(value, name)
        if not isinstance(child, str) or name not in _MESSAGES or _nested(child) is not child
    ]


def _nested(value: object) -> object:
    """JSON inside a text is unpacked; other text stays."""
    if isinstance(value, str) and str.lstrip(value)[:1] in {"{", "["}:
        decoded = decode(value)
        return value if isinstance(decoded, str) else decoded
    return value


def _read(value: object, facts: Facts) -> None:
    worded = any(word(field(value, name)) for name in _WORDED)
    for name in _CODES:
        for raw in every(value, name):
            _note_code(raw, facts, worded=worded)
    for name in _MESSAGES:
        for said in every(value, name):
            if isinstance(said, str) and said.strip() and _nested(said) is said:
                facts.messages.append(text(said))
    _number(value, facts)
    for name in ("quota_id", "quota_metric", "description", "subject"):
        _period(squash(word(field(value, name))), facts)


# Zhipu's errors hold a number and a message; Mistral's hold these besides, and other numbers.
_WORDED = ("type", "error_type", "object")
_PRINTED_WORDED = re.compile(r"""['"](?:type|object)['"]\s{0,4}[:=]""")


def _note_code(raw: object, facts: Facts, *, worded: bool) -> None:
    status = whole(raw)
    if status is not None and 400 <= status <= 599:  # the errors of HTTP
        facts.statuses.append(status)
    elif not worded and isinstance(raw, str) and status is not None and (reason := codes.zhipu(status)):
        facts.numbered.append((reason, raw))
    elif found := word(raw):
        facts.codes.append(found)


def _number(value: object, facts: Facts) -> None:
    """Numbers that mean something in the fields of one vendor only."""
    for holder, name, table in (
        (field(value, "base_resp"), "status_code", codes.minimax),
        (value, "error_code", codes.baidu),
    ):
        code = field(holder, name)
        number = None if isinstance(code, str) else whole(code)
        reason = table(number) if number is not None else None
        if reason:
            facts.numbered.append((reason, str(number)))


def _period(key: str, facts: Facts) -> None:
    if "perday" in key or "perweek" in key or "permonth" in key:
        facts.daily = True
    elif "perminute" in key or "perhour" in key or "persecond" in key:
        facts.minutely = True


_SCRAP = re.compile(
    r"""['"](?P<key>code|type|status|reason|message|msg|error_code|error_type|__type|detail|error)['"]\s{0,4}[:=]\s{0,4}"""
    r"""(?:'(?P<one>(?:[^'\\]|\\.){0,3000})'|"(?P<two>(?:[^"\\]|\\.){0,3000})"|(?P<number>-?\d{1,6}))"""
)


def scraps(message: str) -> Facts:
    """What a body printed into a message says, JSON or Python, cut off or not."""
    facts = Facts()
    worded = _PRINTED_WORDED.search(message[:20_000]) is not None
    for match in list(_SCRAP.finditer(message[:20_000]))[:_MOST_FACTS]:
        value = match["one"] or match["two"] or match["number"] or ""
        if match["key"] in {"message", "msg", "detail", "error"}:
            facts.messages.append(value)
        else:
            _note_code(value, facts, worded=worded)
    return facts


def merge(facts: Iterable[Facts]) -> Facts:
    """Several findings as one, the first ones first."""
    whole_of = Facts()
    for one in facts:
        whole_of.codes += one.codes
        whole_of.messages += one.messages
        whole_of.statuses += one.statuses
        whole_of.numbered += one.numbered
        whole_of.daily |= one.daily
        whole_of.minutely |= one.minutely
    return whole_of
