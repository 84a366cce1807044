"""Shares of bots: kept exactly, and waited for quietly."""

from __future__ import annotations

import asyncio

from gateway.abc.store import Claim, Commit, Entry
from gateway.session.pool import Lanes
from gateway.stores.memory import MemoryStore
from gateway.stores.working import Worker


class _Counting(MemoryStore):
    waits = 0

    async def wait(self, timeout: float) -> None:
        self.waits += 1
        await super().wait(timeout)


def _entries(count: int) -> list[Entry]:
    return [Entry("bot", f"bot/{number}", (), b"", 1.0) for number in range(count)]


async def test_share_of_a_bot_is_kept_however_many_wait() -> None:
    store, release, running, most = _Counting(), asyncio.Event(), 0, 0

    async def handle(claim: Claim) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await release.wait()
        running -= 1
        await store.commit(claim, Commit())

    lanes = Lanes(store, "w", bots=lambda: ["bot"], handle=handle, share=lambda _: 3)
    worker = Worker(store, lanes, limit=100)
    task = asyncio.create_task(worker.run())
    await store.put(_entries(10))
    await asyncio.sleep(0.2)
    await store.put([Entry("bot", "bot/late", (), b"", 1.0)])
    before = store.waits
    await asyncio.sleep(0.2)

    assert most == 3
    assert store.waits - before < 40, "a full bot must not spin"

    release.set()
    async with asyncio.timeout(5.0):
        while (await store.counts())["inbox"]:
            await asyncio.sleep(0.01)
    worker.stop()
    await task
    assert most == 3
