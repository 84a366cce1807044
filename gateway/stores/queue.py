"""A FIFO for each lane, its head leased to one worker, in plain dictionaries."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from gateway.abc.clock import Clock
from gateway.errors import LeaseLost

__all__ = ["Head", "Queue"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Head(Generic[T]):
    """A head that was leased."""

    number: int
    row: T
    token: str
    attempts: int


@dataclass(slots=True)
class _Lane(Generic[T]):
    """What is open in a lane, and how its head stands.

    Attributes:
        until: When the lease runs out, on the monotonic clock. The token stays: its owner may still write
            until somebody else claims.
        due: When the head may be claimed again, in unix time.
    """

    rows: dict[int, tuple[str, T]] = field(default_factory=dict[int, tuple[str, T]])
    token: str = ""
    until: float = 0.0
    due: float = 0.0
    attempts: int = 0

    def head(self) -> tuple[int, str, T]:
        number = next(iter(self.rows))
        return number, *self.rows[number]


class Queue(Generic[T]):
    """Lanes of rows that were numbered in order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lanes: dict[str, _Lane[T]] = {}

    def __len__(self) -> int:
        return sum(len(lane.rows) for lane in self._lanes.values())

    def __iter__(self) -> Iterator[tuple[int, T]]:
        for lane in self._lanes.values():
            yield from ((number, row) for number, (_, row) in lane.rows.items())

    def enter(self, lane: str, bot: str, number: int, row: T) -> None:
        """Queue a row behind the others of its lane."""
        self._lanes.setdefault(lane, _Lane()).rows[number] = (bot, row)

    def claim(self, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str]) -> list[Head[T]]:
        """Lease free heads, oldest first."""
        free = sorted(self._free(frozenset(bots), frozenset(skip)))
        return [self._lease(self._lanes[name], lease) for _, name in free[: max(limit, 0)]]

    def _free(self, bots: frozenset[str], skip: frozenset[str]) -> Iterator[tuple[int, str]]:
        now, monotonic = self._clock.time(), self._clock.monotonic()
        for name, lane in self._lanes.items():
            number, bot, _ = lane.head()
            if lane.due <= now and lane.until <= monotonic and bot in bots and name not in skip:
                yield number, name

    def _lease(self, lane: _Lane[T], lease: float) -> Head[T]:
        number, _, row = lane.head()
        lane.token, lane.until = secrets.token_hex(16), self._clock.monotonic() + lease
        lane.attempts += 1
        return Head(number, row, lane.token, lane.attempts)

    def renew(self, name: str, token: str, lease: float) -> bool:
        """Renew a lease; whether nobody took the head meanwhile."""
        lane = self._lanes.get(name)
        if lane is None or not token or lane.token != token:
            return False
        lane.until = self._clock.monotonic() + lease
        return True

    def held(self, name: str, token: str) -> tuple[int, T]:
        """The head that a token holds.

        Raises:
            LeaseLost: It holds none.
        """
        lane = self._lanes.get(name)
        if lane is None or not token or lane.token != token:
            raise LeaseLost(f"the lease on lane {name!r} ended or was taken over")
        number, _, row = lane.head()
        return number, row

    def put_off(self, name: str, delay: float) -> None:
        """Free a lane, its head to be claimed again after `delay` seconds."""
        lane = self._lanes[name]
        lane.token, lane.until, lane.due = "", 0.0, self._clock.time() + delay

    def close(self, name: str, number: int) -> T | None:
        """Take a row out of its lane; a lane whose head left is free for what waits behind it."""
        lane = self._lanes.get(name)
        if lane is None or number not in lane.rows:
            return None
        was_head = lane.head()[0] == number
        _, row = lane.rows.pop(number)
        if not lane.rows:
            del self._lanes[name]
        elif was_head:
            lane.token, lane.until, lane.due, lane.attempts = "", 0.0, 0.0, 0
        return row

    def leased(self, name: str) -> int | None:
        """The lane's head while it is leased."""
        lane = self._lanes.get(name)
        if lane is None or lane.until <= self._clock.monotonic():
            return None
        return lane.head()[0]

    def count_leased(self) -> int:
        """How many heads are leased now."""
        return sum(self.leased(name) is not None for name in self._lanes)

    def waiting(self, name: str) -> list[tuple[int, T]]:
        """What is open in a lane, a leased head not among it."""
        lane = self._lanes.get(name)
        leased = self.leased(name)
        if lane is None:
            return []
        return [(number, row) for number, (_, row) in lane.rows.items() if number != leased]
