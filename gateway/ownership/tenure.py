"""One lease, as far as its holder may believe in it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tenure"]

_NEVER = float("-inf")


@dataclass(slots=True)
class Tenure:
    """A lease by the local monotonic clock.

    The store counts a lease from the moment it grants it, which comes after the moment it was asked for. So
    what is counted from the asking, and ends a margin early, ends before the store can give it to another.

    Attributes:
        token: What it is held by; a new one each time, so that a late farewell ends no other.
        ttl: Seconds the store grants.
        margin: Seconds before their end in which nothing is begun any more.
        until: When the belief ends.
    """

    token: str
    ttl: float
    margin: float
    until: float = _NEVER
    _ended: float = _NEVER

    def granted(self, asked: float) -> None:
        """Take in that the store granted what was asked for at a moment; an answer after the end is void."""
        if asked > self._ended:
            self.until = max(self.until, asked + self.ttl - self.margin)

    def holds(self, now: float) -> bool:
        """Whether anything may be begun now."""
        return now < self.until

    def end(self, now: float) -> None:
        """Believe in it no more."""
        self.until, self._ended = _NEVER, now
