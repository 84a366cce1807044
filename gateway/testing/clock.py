"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
import heapq
import itertools

__all__ = ["ManualClock"]


class ManualClock:
    """A `Clock` whose time passes only in `advance`; both of its sides move together.

    Args:
        start: Unix seconds to begin with.
    """

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._start = start
        self._passed = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    @property
    def sleepers(self) -> int:
        """How many tasks sleep on this clock."""
        return sum(not waiting.done() for _, _, waiting in self._sleepers)

    def time(self) -> float:
        """Unix seconds."""
        return self._start + self._passed

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._passed

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock was moved so far; with nothing to wait for, let other tasks run once."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._passed + seconds, next(self._order), waiting))
        await waiting

    def advance(self, seconds: float) -> None:
        """Let time pass; who has slept long enough wakes in order, when the loop runs next."""
        if seconds < 0:
            raise ValueError("time runs forwards only")
        self._passed += seconds
        while self._sleepers and self._sleepers[0][0] <= self._passed:
            waiting = heapq.heappop(self._sleepers)[2]
            if not waiting.done():
                waiting.set_result(None)

    def step(self, seconds: float) -> None:
        """Set the wall clock forwards or back, as an operator or NTP would; nobody wakes."""
        self._start += seconds
