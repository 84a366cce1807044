"""A wake-up that several waiters share and none of them misses."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

__all__ = ["Wake"]


class Wake:
    """Says that something may have become claimable.

    A task that looked in vain returns from its wait at once when something happened since it looked.
    """

    def __init__(self) -> None:
        self._count = 0
        self._seen: WeakKeyDictionary[asyncio.Task[object], int] = WeakKeyDictionary()
        self._waiting: set[asyncio.Future[None]] = set()

    def look(self) -> None:
        """Remember that the current task looks now for what it may claim."""
        task = asyncio.current_task()
        if task is not None:
            self._seen[task] = self._count

    def set(self) -> None:
        """Wake everybody who waits."""
        self._count += 1
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    async def wait(self, timeout: float) -> None:
        """Return at the next wake-up, or after `timeout` seconds of real time, for it bounds a poll."""
        task = asyncio.current_task()
        if task is not None and self._seen.get(task, self._count) == self._count:
            await self._sleep(timeout)
        self.look()

    async def _sleep(self, timeout: float) -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            await asyncio.wait([waiting], timeout=max(timeout, 0.0))
        finally:
            self._waiting.discard(waiting)
