"""A worker asks its store no more often than something may have become claimable."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gateway.abc.clock import SystemClock
from gateway.abc.store import Claim, Commit, Entry
from gateway.stores.memory import MemoryStore
from gateway.stores.working import Work, Worker


class _Counted(Work[Claim]):
    """Takes every entry, ends it or keeps it leased, and counts how often it was asked for more."""

    name = "counted"

    def __init__(self, store: MemoryStore, *, ends: bool) -> None:
        self._store = store
        self._ends = ends
        self.asked = 0
        self.done: list[int] = []

    def key(self, claim: Claim) -> str:
        return claim.lane

    async def claim(self, limit: int, lease: float) -> Sequence[Claim]:
        self.asked += 1
        return await self._store.claim("w", bots=["b"], limit=limit, lease=lease)

    async def extend(self, claims: Sequence[Claim], lease: float) -> Sequence[str]:
        return await self._store.extend(claims, lease)

    async def do(self, claim: Claim) -> None:
        if self._ends:
            await self._store.commit(claim, Commit())
        self.done.append(claim.entry)

    async def give_back(self, claim: Claim, delay: float) -> None:
        await self._store.retry(claim, delay=delay)

    def attempts(self, claim: Claim) -> int:
        return claim.attempts


async def _worked(entries: Sequence[Entry], *, limit: int = 256, ends: bool = False) -> _Counted:
    """The work after the entries were put while the worker waited."""
    store = MemoryStore(clock=SystemClock())
    await store.open()
    job = _Counted(store, ends=ends)
    worker = Worker(store, job, limit=limit)
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(5):
        while not job.asked:
            await asyncio.sleep(0)
        job.asked = 0
        await store.put(entries)
        while len(job.done) < len(entries):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)  # what it would ask needlessly, it asks at once
        worker.stop()
        await running
    return job


def _entries(number: int) -> list[Entry]:
    return [Entry("b", f"b/{lane}", (), b"", 0.0) for lane in range(number)]


async def test_worker_asks_once_for_what_one_claim_takes_whole() -> None:
    job = await _worked(_entries(3))

    assert job.asked == 1


async def test_worker_asks_on_while_claims_come_back_full() -> None:
    job = await _worked(_entries(130))

    assert len(job.done) == 130
    assert job.asked == 3


async def test_worker_goes_on_where_a_claim_filled_its_places() -> None:
    """A full claim may have left something, which is taken once there is a place."""
    job = await _worked(_entries(5), limit=2, ends=True)

    assert sorted(job.done) == sorted(set(job.done))
    assert len(job.done) == 5
