"""A wake-up that several waiters share and none of them misses."""

from __future__ import annotations

import asyncio

__all__ = ["Wake"]


class Wake:
    """Says that something may have become claimable.

    A waiter returns at once when something happened since it last returned, so that a wake-up between two
    waits is never lost.
    """

    def __init__(self) -> None:
        self._count = 0
        self._seen: dict[asyncio.Task[object] | None, int] = {}
        self._waiters: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        """Wake everybody."""
        self._count += 1
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()

    async def wait(self, timeout: float) -> None:
        """Return at the next wake-up, or after `timeout` seconds."""
        task = asyncio.current_task()
        if self._seen.get(task, 0) == self._count:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await asyncio.wait({waiter}, timeout=timeout)
            finally:
                self._waiters.discard(waiter)
        self._note(task)

    def _note(self, task: asyncio.Task[object] | None) -> None:
        if task not in self._seen and len(self._seen) > 64:
            self._seen = {known: count for known, count in self._seen.items() if known and not known.done()}
        self._seen[task] = self._count
