"""What one piece of evidence says, and which of several counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["GOES_ON", "Verdict", "strongest"]

GOES_ON = "goes-on"
"""In place of a reason: the turn is not over (tool calls follow, work is queued)."""

_RANK = {
    GOES_ON: 1,
    "completed": 0,
    "error": 3,
    "provider_error": 4,
    "length_truncated": 5,
    "suspended": 5,
    "context_overflow": 6,
    "refused": 8,
    "content_filtered": 7,
}
_UNKNOWN = 2
_SPECIFIC = 6


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reason and the raw word behind it.

    Attributes:
        reason: A word of the registry, `GOES_ON`, or a word nobody knows, as it came.
        token: The raw word or status; `None` when the verdict rests on something else.
        known: Whether `reason` is more than a raw word.
    """

    reason: str
    token: str | None = None
    known: bool = True


def strongest(verdicts: Iterable[Verdict]) -> Verdict | None:
    """The one that counts: a blocking word beats a benign one, a specific word a generic one.

    Among equals the first one wins.
    """
    return max(verdicts, key=_rank, default=None)


def _rank(verdict: Verdict) -> int:
    if not verdict.known:
        return _UNKNOWN
    return _RANK.get(verdict.reason, _SPECIFIC)
