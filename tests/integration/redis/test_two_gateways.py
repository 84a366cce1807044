"""Two processes on one store: one runs a conversation at a time, and the other takes over."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from gateway.abc.store import Commit, Entry
from gateway.stores.redis import RedisStore
from gateway.stores.redis.address import Address
from tests.emulators.valkey import empty_address, shared_url
from tests.integration.process import ROOT, until
from tests.integration.redis.load import BOT, LEASE, Load, opened

# A worker of its own process; a line on standard output for each letter it settled.
_PROGRAM = """
import asyncio, sys
from pathlib import Path
from gateway.stores.redis.address import parse
from tests.integration.redis.load import Load, opened

async def main():
    load = Load()
    async with opened(parse(sys.argv[1], base=Path())) as store:
        working = asyncio.create_task(load.work(store, sys.argv[2]))
        print("up", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        load.stopping = True
        await working
    import json
    print(json.dumps([load.delivered, load.steps]), flush=True)

asyncio.run(main())
"""


class _Worker:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def stop(self) -> tuple[dict[str, list[int]], int]:
        """What it delivered, and how far it counted."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.stdout is not None
        async with asyncio.timeout(20.0):
            delivered, steps = json.loads(await self.process.stdout.readline())
            await self.process.wait()
        return delivered, steps


@asynccontextmanager
async def _worker(address: Address, name: str) -> AsyncGenerator[_Worker]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _PROGRAM,
        f"{shared_url()}?prefix={address.prefix}",
        name,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(20.0):
            assert await process.stdout.readline() == b"up\n"
        yield _Worker(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.kill
async def test_two_processes_share_the_work_in_order() -> None:
    address = empty_address()
    load = Load()
    async with opened(address) as store, _worker(address, "one") as one, _worker(address, "two") as two:
        await load.write(store, 20)
        await load.drained(store)
        shares = [await one.stop(), await two.stop()]
        for delivered, steps in shares:
            load.steps += steps
            for lane, numbers in delivered.items():
                load.delivered[lane] += numbers

        assert all(sum(map(len, delivered.values())) > 0 for delivered, _ in shares)
        await load.check(store)


@pytest.mark.kill
async def test_a_killed_process_is_replaced_by_the_other() -> None:
    """The lanes it held wait for the end of its leases, then go on where it was."""
    address = empty_address()
    load = Load()
    async with opened(address) as store, _worker(address, "one") as one, _worker(address, "two"):
        writing = asyncio.create_task(load.write(store, 40))
        await until(lambda: _delivered(store))
        one.process.kill()
        await writing
        await load.drained(store)

        for number in range(load.lanes):
            lane = f"{BOT}/{number}"
            assert [int(line.text) for line in await store.history(lane, limit=1000)] == load.accepted[lane]


async def _delivered(store: RedisStore) -> bool:
    return (await store.counts())["turns"] > 10


@pytest.mark.kill
async def test_a_process_that_was_frozen_writes_nothing_afterwards() -> None:
    """It comes back after its leases were taken over, and is fenced off."""
    address = empty_address()
    load = Load()
    async with opened(address) as store, _worker(address, "one") as one, _worker(address, "two") as two:
        writing = asyncio.create_task(load.write(store, 60))
        await until(lambda: _delivered(store))
        one.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(LEASE + 0.5)
        one.process.send_signal(signal.SIGCONT)
        await writing
        await load.drained(store)
        for delivered, steps in (await one.stop(), await two.stop()):
            load.steps += steps
            for lane, numbers in delivered.items():
                load.delivered[lane] += numbers

        await load.check(store)


async def test_one_gateway_wakes_another() -> None:
    address = empty_address()
    async with opened(address) as one, opened(address) as other:
        await one.wait(0.01)
        waiting = asyncio.create_task(one.wait(30.0))
        async with asyncio.timeout(10.0):
            while not waiting.done():
                await other.put([Entry(BOT, f"{BOT}/{len(await other.waiting(BOT))}", (), b"", 1.0)])
                await asyncio.wait([waiting], timeout=0.05)
                await other.commit((await other.claim("w", bots=[BOT], limit=1, lease=5.0))[0], Commit())


async def test_a_gateway_that_goes_gives_back_what_it_held() -> None:
    address = empty_address()
    async with opened(address) as staying:
        async with opened(address) as going:
            await going.put([Entry(BOT, f"{BOT}/1", (), b"", 1.0)])
            await going.claim("w", bots=[BOT], limit=1, lease=600.0)
            assert await staying.claim("w", bots=[BOT], limit=1, lease=5.0) == ()

        (claim,) = await staying.claim("w", bots=[BOT], limit=1, lease=5.0)

        assert claim.attempts == 2


async def test_a_named_lease_has_one_owner_among_gateways() -> None:
    address = empty_address()
    async with opened(address) as one, opened(replace(address, connections=4)) as other:
        assert await one.lease("bot", "one", 0.2)
        assert not await other.lease("bot", "two", 0.2)
        await asyncio.sleep(0.25)

        assert await other.lease("bot", "two", 0.2)
        assert not await one.lease("bot", "one", 0.2)
