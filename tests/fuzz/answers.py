"""What a provider answers, however odd, is read as what it says and as nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import cast

from gateway.completion import (
    TurnCompletion,
    classify_error,
    classify_exchange,
    classify_response,
    extract_completion,
)
from tests.fuzz.checks import check, in_time, is_clean
from tests.fuzz.trees import grow, named

__all__ = ["error", "response"]

_BLOCKING = ("SAFETY", "content_filter", "guardrail_intervened", "PROHIBITED_CONTENT", "refusal")
_BENIGN = ("stop", "end_turn", "COMPLETE", "FINISH_REASON_STOP")
_SPELLINGS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "FinishReason", "finish-reason")


def response(data: bytes) -> None:
    """Read a response or chunk, then the same with words added to it."""
    choice, value = data[:1] or b"\0", grow(data[1:])
    with in_time():
        found = classify_response(value)
    if found is None or found != extract_completion(
        value
    ):  # what an agent committed itself is its own affair
        check(found)
    check(classify_response([value, value]))
    parts = named(value)
    if parts and not _elsewhere(parts):
        _with_words(parts, choice[0])


# Fields that may say that something else is the answer.
_POINTERS = {"completion", "messages", "response", "rawresponses", "interrupt", "interruptions"}


def _elsewhere(value: Mapping[str, object]) -> bool:
    return any(re.sub(r"[^0-9a-z]+", "", key.lower()) in _POINTERS for key in value)


def _with_words(value: Mapping[str, object], choice: int) -> None:
    """A benign word hides no blocking one, an unknown one is no success."""
    names = [_SPELLINGS[choice % len(_SPELLINGS)], _SPELLINGS[(choice // 8 + 1) % len(_SPELLINGS)]]
    blocking, benign = _BLOCKING[choice % len(_BLOCKING)], _BENIGN[choice % len(_BENIGN)]
    if names[0] != names[1]:
        for pairs in ({names[0]: blocking, names[1]: benign}, {names[1]: benign, names[0]: blocking}):
            found = classify_response({**value, **pairs})
            assert found is not None
            assert found.reason in {"content_filtered", "refused"}, found
    unknown = classify_response({**value, names[0]: f"zzunheard{choice}"})
    assert not is_clean(unknown), unknown


def error(data: bytes) -> None:
    """Read an error, as it is and as text, and with words of a person in its message."""
    grown = grow(data)
    parts = named(grown) or {"body": grown}
    status, body, headers = parts.get("status"), parts.get("body"), parts.get("headers")
    provider = cast("str", parts.get("provider", ""))
    with in_time():
        found = classify_error(status=status, body=body, headers=headers, provider=provider)
    check(found)
    assert not is_clean(found)
    with in_time():
        check(_own(classify_exchange(grown), grown))
    _as_text(found, status, body, headers, provider)
    words = parts.get("message")
    if type(words) is str:
        _with_a_person(words, status)


def _own(found: TurnCompletion | None, grown: object) -> TurnCompletion | None:
    """`None` in place of what the pasted answer of an agent commits itself."""
    bodies = (grown, named(grown).get("body"))
    return None if any(found == extract_completion(body) for body in bodies) else found


def _as_text(found: TurnCompletion, status: object, body: object, headers: object, provider: str) -> None:
    """A body means the same decoded, as text and as bytes."""
    if not named(body):
        return
    try:
        written = json.dumps(body)
        same = json.loads(written) == body
    except (TypeError, ValueError, RecursionError, ZeroDivisionError):
        return
    if same and len(written) < _READ:
        assert classify_error(status=status, body=written, headers=headers, provider=provider) == found
        assert (
            classify_error(status=status, body=written.encode(), headers=headers, provider=provider) == found
        )


_READ = 200_000  # characters of a body
_QUOTES = ("'{}'", '"{}"', "`{}`", "“{}”", "«{}»")
_QUOTE_MARKS = re.compile(r"['\"`“”«»\n\\]")
_NAME = re.compile(r"[^\w-]")


def _with_a_person(words: str, status: object) -> None:
    """Quoted words of a person and names of files change nothing, whatever they say."""
    quoted, name = _QUOTE_MARKS.sub("", words)[:300], _NAME.sub("", words)[:40]
    for quotes in _QUOTES:
        _alike(f"Cannot read {quotes}.", quoted, status)
    _alike("Cannot open /data/{}/{}.pdf here.", name or "x", status)
    _alike("Cannot open {}.pdf here.", name or "x", status)


def _alike(sentence: str, words: str, status: object) -> None:
    told, plain = (
        classify_error(status=status, body={"error": {"message": sentence.replace("{}", one)}})
        for one in (words, "x")
    )
    assert told == plain, (sentence, words)
