"""Shares of bots: kept exactly, and waited for quietly."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest

from gateway.abc.clock import SystemClock
from gateway.abc.store import Claim, Commit, Entry
from gateway.errors import StoreError
from gateway.session.pool import Lanes
from gateway.stores.memory import MemoryStore
from gateway.stores.working import Worker


class _Counting(MemoryStore):
    waits = 0

    async def wait(self, timeout: float, *, of: Collection[str] = ()) -> None:
        self.waits += 1
        await super().wait(timeout, of=of)


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


@pytest.mark.parametrize(("limit", "share"), [(256, 1), (1, 256)])
async def test_place_that_becomes_free_is_filled_without_waiting_for_the_next_look(
    limit: int, share: int
) -> None:
    store = MemoryStore(clock=SystemClock())
    done = 0

    async def handle(claim: Claim) -> None:
        nonlocal done
        await asyncio.sleep(0)
        await store.commit(claim, Commit())
        await asyncio.sleep(0.001)  # the place is free only then
        done += 1

    lanes = Lanes(store, "w", bots=lambda: ["bot"], handle=handle, share=lambda _: share)
    worker = Worker(store, lanes, limit=limit)
    task = asyncio.create_task(worker.run())
    await store.put(_entries(30))
    async with asyncio.timeout(5.0):  # half a second each, if it had to be found by looking again
        while done < 30:
            await asyncio.sleep(0.01)
    worker.stop()
    await task


async def test_work_that_is_abandoned_before_its_first_step_is_let_go() -> None:
    """As for a process that slept: what it claimed and what it lost come in one round of its loop."""
    store, handled = MemoryStore(clock=SystemClock()), list[str]()
    abandoned = False

    def waited(_: Claim) -> None:
        nonlocal abandoned
        if not abandoned:
            abandoned = True
            asyncio.get_running_loop().call_soon(worker.abandon, ["bot"])

    async def handle(claim: Claim) -> None:
        handled.append(claim.lane)
        await store.commit(claim, Commit())

    lanes = Lanes(store, "w", bots=lambda: ["bot"], handle=handle, share=lambda _: 2, waited=waited)
    worker = Worker(store, lanes, limit=100, lease=0.3)
    await store.put(_entries(2))
    task = asyncio.create_task(worker.run())

    async with asyncio.timeout(5.0):
        while len(handled) < 2:
            await asyncio.sleep(0.01)
        worker.stop()
        await task
    assert abandoned
    assert sorted(handled) == ["bot/0", "bot/1"]
    assert worker.busy == 0


class _Forgetful(MemoryStore):
    """Takes nothing back."""

    async def retry(self, claim: Claim, *, delay: float) -> None:
        del claim, delay
        raise StoreError("gone")


async def test_claim_that_cannot_be_given_back_keeps_none_of_the_others() -> None:
    async def handle(claim: Claim) -> None:
        raise AssertionError(claim)

    store = _Forgetful(clock=SystemClock())
    lanes = Lanes(store, "w", bots=lambda: ["theirs", "ours"], handle=handle, holds=lambda bot: bot == "ours")
    await store.put([Entry("theirs", "theirs/0", (), b"", 1.0), Entry("ours", "ours/0", (), b"", 2.0)])

    claims = await lanes.claim(10, 30.0)

    assert [claim.lane for claim in claims] == ["ours/0"]
