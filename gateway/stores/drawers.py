"""What the store in memory keeps of letters, and small steps over it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from gateway.abc.store import DeadLetter, Letter, PartRow

__all__ = ["Closed", "Post", "drop_old", "untried"]

K = TypeVar("K")


@dataclass(slots=True)
class Post:
    """A letter with its rendered parts."""

    letter: Letter
    parts: list[PartRow]


@dataclass(slots=True)
class Closed:
    """A letter that left its outbox; a delivered one leaves its id only."""

    at: float
    dead: DeadLetter | None


def untried(part: PartRow) -> PartRow:
    """A part that goes once more if it was skipped."""
    return replace(part, state="pending", receipt=b"") if part.state == "skipped" else part


def drop_old(times: dict[K, float], before: float, limit: int) -> int:
    """Remove what is older, up to a number; how many."""
    old = [key for key, at in times.items() if at < before][: max(limit, 0)]
    for key in old:
        del times[key]
    return len(old)
