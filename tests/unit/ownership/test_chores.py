"""What one of several processes does for the store they share."""

from __future__ import annotations

import asyncio

from gateway.chores import tidy
from gateway.settings import RetentionSettings
from gateway.stores.memory import MemoryStore
from gateway.testing.context import HurriedClock


class _Counted(MemoryStore):
    """A store that counts how often it is trimmed."""

    trims = 0

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Count."""
        self.trims += 1
        return await super().trim(before, limit=limit)


async def _tidied(*, shared: bool) -> int:
    """How often two processes trimmed until each had a look."""
    clock = HurriedClock()
    store = _Counted(clock=clock)
    tasks = [
        asyncio.create_task(tidy(store, clock, worker=name, shared=shared, retention=RetentionSettings))
        for name in ("one", "other")
    ]
    while clock.sleeps.count(3600.0) < 2:
        await asyncio.sleep(0.001)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return store.trims


async def test_one_of_two_processes_trims() -> None:
    assert await _tidied(shared=True) == 1


async def test_process_that_holds_its_store_alone_asks_for_no_lease() -> None:
    assert await _tidied(shared=False) == 2
