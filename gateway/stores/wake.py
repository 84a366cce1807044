"""A wake-up that several waiters share and none of them misses."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from weakref import WeakKeyDictionary

__all__ = ["Wake"]


class Wake:
    """Says that something may have become claimable, under some names or anywhere.

    A task that looked in vain returns from its wait at once when something happened since it looked.
    """

    def __init__(self) -> None:
        self._count = 0
        self._anywhere = 0  # the count when everybody was woken last
        self._under: dict[str, int] = {}  # and when a name was
        self._seen: WeakKeyDictionary[asyncio.Task[object], int] = WeakKeyDictionary()
        self._waiting: dict[asyncio.Future[None], Collection[str]] = {}

    def look(self) -> None:
        """Remember that the current task looks now for what it may claim."""
        task = asyncio.current_task()
        if task is not None:
            self._seen[task] = self._count

    def set(self, names: Collection[str] = ()) -> None:
        """Wake those who wait for something under one of these names; everybody where there is none."""
        self._count += 1
        if names:
            self._under.update(dict.fromkeys(names, self._count))
        else:
            self._anywhere = self._count
        for waiting, wanted in self._waiting.items():
            if not waiting.done() and (not names or not wanted or any(name in wanted for name in names)):
                waiting.set_result(None)

    async def wait(self, timeout: float, of: Collection[str] = ()) -> None:
        """Return at the next wake-up, or after `timeout` seconds of real time, for it bounds a poll."""
        task = asyncio.current_task()
        if task is not None and self._last(of) <= self._seen.get(task, self._count):
            await self._sleep(max(timeout, 0.0), of)
        self.look()

    def _last(self, of: Collection[str]) -> int:
        """The count at the last wake-up that these names are concerned by."""
        if not of:
            return self._count
        return max(self._anywhere, *(self._under.get(name, 0) for name in of))

    async def _sleep(self, timeout: float, of: Collection[str]) -> None:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[None] = loop.create_future()
        timer = loop.call_later(timeout, _end, waiting)
        self._waiting[waiting] = of
        try:
            await waiting
        finally:
            timer.cancel()
            del self._waiting[waiting]


def _end(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)
