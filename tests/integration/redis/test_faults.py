"""Nothing is lost, doubled or reordered by a network that cuts, delays and swallows."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.abc.store import Entry
from gateway.errors import StoreError
from gateway.stores.redis import pools as way
from gateway.stores.redis.address import parse
from gateway.stores.redis.link import Link
from tests.emulators.lossy import Faults, LossyProxy
from tests.emulators.valkey import empty_address, shared_url
from tests.integration.redis.load import BOT, Load, opened


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(way, "_ANSWER", 0.3)


def _proxy(faults: Faults) -> LossyProxy:
    return LossyProxy(parse(shared_url(), base=Path()).hosts[0], faults)


@pytest.mark.parametrize(
    "faults",
    [
        Faults(cut_answer=0.05),
        Faults(cut_request=0.05),
        Faults(late=0.02),
        Faults(delay=0.02),
        Faults(cut_answer=0.03, cut_request=0.02, late=0.01, delay=0.005),
    ],
    ids=["answers cut", "requests cut", "requests late", "delays", "all"],
)
async def test_faults_lose_double_and_reorder_nothing(faults: Faults) -> None:
    load = Load()
    async with _proxy(Faults()) as proxy, opened(empty_address(proxy.url)) as store:
        proxy.faults = faults
        working = [asyncio.create_task(load.work(store, f"worker {n}")) for n in range(2)]
        await load.write(store, 8)
        await load.drained(store, timeout=60.0)
        await asyncio.gather(*working)
        proxy.faults = Faults()

        assert proxy.struck > 5 or faults.delay
        await load.check(store)


async def test_a_swallowing_network_is_outlived() -> None:
    load = Load(lanes=4)
    async with _proxy(Faults()) as proxy, opened(empty_address(proxy.url)) as store:
        working = asyncio.create_task(load.work(store, "worker"))
        writing = asyncio.create_task(load.write(store, 40))
        await asyncio.sleep(0.1)
        proxy.faults = Faults(swallow=True)
        await asyncio.sleep(1.0)
        proxy.faults = Faults()
        await writing
        await load.drained(store)
        await working

        assert proxy.struck > 0
        await load.check(store)


async def test_an_entry_without_keys_is_put_once_when_its_answer_is_cut() -> None:
    async with _proxy(Faults()) as proxy, opened(empty_address(proxy.url)) as store:
        proxy.faults = Faults(cut_answer=0.5)
        kept = [await store.put([Entry(BOT, f"{BOT}/1", (), b"%d" % n, 1.0)]) for n in range(20)]
        proxy.faults = Faults()

        assert kept == [(True,)] * 20
        assert [int(one.body) for one in await store.waiting(f"{BOT}/1")] == list(range(20))
        assert proxy.struck > 5


async def test_a_claim_whose_answer_is_cut_is_given_all_the_same() -> None:
    """Or its lanes would stand still until their leases end."""
    async with _proxy(Faults()) as proxy, opened(empty_address(proxy.url)) as store:
        await store.put([Entry(BOT, f"{BOT}/{n}", (), b"", 1.0) for n in range(20)])
        proxy.faults = Faults(cut_answer=0.5)
        lanes = [
            claim.lane for _ in range(10) for claim in await store.claim("w", bots=[BOT], limit=2, lease=60.0)
        ]

        assert lanes == [f"{BOT}/{n}" for n in range(20)]


async def test_a_write_that_arrives_late_does_not_undo_a_later_one() -> None:
    async with _proxy(Faults()) as proxy, opened(empty_address(proxy.url)) as store:
        proxy.faults = Faults(late=1.0, lateness=0.6)
        first = asyncio.create_task(store.set("key", b"old"))
        await asyncio.sleep(0.1)
        proxy.faults = replace(proxy.faults, late=0.0)
        await first
        await store.set("key", b"new")
        await asyncio.sleep(0.8)

        assert await store.get("key") == b"new"
        assert proxy.struck == 1


async def test_a_server_that_stays_away_is_told_with_what_to_do() -> None:
    async with _proxy(Faults()) as proxy:
        link = Link(empty_address(proxy.url), clock=None)
        link.open()
        proxy.faults = Faults(swallow=True)

        with pytest.raises(StoreError, match="does not answer in time; check the server and the network"):
            await link.ask("get", b"key", patience=0.4)

        await link.close()


@pytest.mark.parametrize("ticks", range(12))
async def test_a_call_that_is_cancelled_ends(ticks: int) -> None:
    """The library loses a cancellation that comes while it writes."""
    async with opened(empty_address()) as store:
        await store.get("warm")
        task = asyncio.create_task(store.get("key"))
        for _ in range(ticks):
            await asyncio.sleep(0)
        if not task.done():
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
