"""The one table of how turns end, and what follows from a word of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import Enum
from types import MappingProxyType

from gateway.completion.rows import ANSWERS, FAULTS, RUNTIME
from gateway.completion.rows.runtime import UNKNOWN
from gateway.completion.shape import Ending, Variant

__all__ = ["CIRCUMSTANCES", "ENDINGS", "advice", "ending", "normalise", "variant"]

ENDINGS: Mapping[str, Ending] = MappingProxyType({row.reason: row for row in (*ANSWERS, *FAULTS, *RUNTIME)})

CIRCUMSTANCES = frozenset(
    {
        "partial",  # answer text is already visible
        "empty",  # none is
        "wait",  # the wait is known
        "message",  # one message is too long by itself
        "denied",
        "expired",
        "resumable",  # there is something to carry on with, and the agent can
        "bot",  # the budget of the whole bot
        "told",  # an owner alert was really delivered
        "contact",  # the operator named somebody to turn to
        "large",
        "kind",
        "fetch",
        "voice",
        "other",
        "visible",  # text of a superseded turn was visible
    }
)

_HOPELESS = "sending the same again will not help"
_ALIKE = str.maketrans("", "", "-_ ")


def _key(word: str) -> str:
    return word.lower().translate(_ALIKE)


_WORDS = {
    _key(word): row.reason for row in ENDINGS.values() for word in (row.reason, *row.aliases) if _key(word)
}


def normalise(word: object) -> str:
    """The registry's spelling of `word`; an unknown one is kept as it is.

    Any case, and `-`, `_` and space alike. Only the empty word means a clean end; no word at all (`None`, or
    anything that is not text) is `error`, so that silence never reads as success.
    """
    if isinstance(word, Enum):
        word = word.value
    if not isinstance(word, str):
        return "error"
    if not word:
        return "completed"
    return _WORDS.get(_key(word), word)


def ending(reason: object) -> Ending:
    """The row of `reason`, aliases included; a generic one for an unknown word."""
    word = normalise(reason)
    return ENDINGS.get(word) or replace(UNKNOWN, reason=word)


def variant(reason: object, *, when: Collection[str] = ()) -> Variant:
    """How `reason` is told under the circumstances `when` (words of `CIRCUMSTANCES`).

    Circumstances that make no difference to the reason are ignored.
    """
    return next(one for one in ending(reason).variants if all(word in when for word in one.when))


def advice(reason: object) -> str:
    """What may help: `retry as is`, else the remedy, else that the same again will not; empty when clean."""
    row = ending(reason)
    if row.reason == "completed":
        return ""
    if row.retry_as_is:
        return "retry as is"
    return row.remedy or _HOPELESS
