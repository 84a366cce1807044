"""The server is killed under load: what it had acknowledged is there when it comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.errors import StoreError
from gateway.stores.redis import RedisStore
from tests.emulators.valkey import Valkey, empty_address, tell
from tests.integration.redis.load import Load, opened

pytestmark = pytest.mark.kill


@pytest.mark.parametrize("appendfsync", ["always", "everysec"])
async def test_nothing_accepted_is_lost_when_the_server_is_killed(tmp_path: Path, appendfsync: str) -> None:
    """With `everysec` the kernel holds the last second: the death of the server loses none of it."""
    load = Load(lanes=8)
    with Valkey(tmp_path, appendfsync=appendfsync) as server:
        async with opened(empty_address(server.url)) as store:
            working = [asyncio.create_task(load.work(store, f"worker {n}")) for n in range(2)]
            writing = asyncio.create_task(load.write(store, 60))
            for _ in range(3):
                await asyncio.sleep(0.15)
                server.kill()
                await asyncio.to_thread(server.start)
            await writing
            await load.drained(store)
            await asyncio.gather(*working)

            await load.check(store)


async def test_what_waits_when_both_die_is_there_for_the_next(tmp_path: Path) -> None:
    load = Load(lanes=4)
    with Valkey(tmp_path) as server:
        address = empty_address(server.url)
        async with opened(address) as store:
            await load.write(store, 5)
        server.kill()
        await asyncio.to_thread(server.start)
        async with opened(address) as store:
            working = asyncio.create_task(load.work(store, "next"))
            await load.drained(store)
            await working

            await load.check(store)


async def test_a_full_server_refuses_and_keeps_what_it_has(tmp_path: Path) -> None:
    load = Load(lanes=1)
    with Valkey(tmp_path) as server:
        async with opened(empty_address(server.url)) as store:
            await load.write(store, 3)
            await tell(server.url, "CONFIG", "SET", "maxmemory", "1mb")

            with pytest.raises(StoreError, match="is full; raise its maxmemory"):
                await store.set("fact", b"x")
            assert await store.get("fact") is None

            await tell(server.url, "CONFIG", "SET", "maxmemory", "0")
            await store.set("fact", b"x")
            assert len(await store.waiting("support/0")) == 3


async def test_a_store_that_is_not_open_says_so() -> None:
    with pytest.raises(StoreError, match="is not open"):
        await RedisStore(empty_address()).get("key")
