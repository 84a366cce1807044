"""Behind sentinels a write counts when a replica has it, so that the death of the primary loses nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.errors import StoreError
from gateway.stores.portable import Row
from gateway.stores.redis.address import parse
from gateway.stores.redis.exporting import exported
from gateway.stores.redis.link import Link
from gateway.stores.redis.restoring import restore
from tests.emulators.valkey import Valkey, Watchers, empty_address, tell
from tests.integration.process import until
from tests.integration.redis.load import Load, opened

pytestmark = pytest.mark.kill


@dataclass(frozen=True, slots=True)
class _Watched:
    primary: Valkey
    replicas: tuple[Valkey, Valkey]
    url: str

    async def ready(self) -> None:
        """Wait until both replicas follow and every sentinel knows of them."""
        await until(self._known)

    async def _known(self) -> bool:
        follows = str(await tell(self.primary.url, "INFO", "replication"))
        seen = [str(await tell(f"redis://127.0.0.1:{port}", "INFO", "sentinel")) for port in _ports(self.url)]
        return follows.count("'online'") == 2 and all("'slaves': 2, 'sentinels': 3" in one for one in seen)


def _ports(url: str) -> list[str]:
    return re.findall(r"127\.0\.0\.1:(\d+)", url)


@contextmanager
def _watched(folder: Path) -> Generator[_Watched]:
    with Valkey(folder / "one") as one:
        origin = f"127.0.0.1 {one.port}"
        with (
            Valkey(folder / "two", replicaof=origin) as two,
            Valkey(folder / "three", replicaof=origin) as three,
            Watchers(folder / "watchers", one) as watchers,
        ):
            yield _Watched(one, (two, three), watchers.url)


async def test_the_death_of_the_primary_loses_nothing_accepted(tmp_path: Path) -> None:
    load = Load(lanes=6)
    with _watched(tmp_path) as servers:
        await servers.ready()
        async with opened(empty_address(servers.url)) as store:
            await load.write(store, 10)
            working = asyncio.create_task(load.work(store, "worker"))
            writing = asyncio.create_task(load.write(store, 150))
            await asyncio.sleep(0.3)
            servers.primary.kill()
            await writing
            await load.drained(store, timeout=40.0)
            await working

            await load.check(store)


async def test_a_write_without_a_replica_is_not_accepted(tmp_path: Path) -> None:
    with _watched(tmp_path) as servers:
        await servers.ready()
        link = Link(empty_address(servers.url), clock=None)
        link.open()
        assert await link.ask("set", b"key", b"1", b"value", b"") == b"ok"
        for replica in servers.replicas:
            replica.kill()

        with pytest.raises(StoreError, match="has no replica that confirms its writes"):
            await link.ask("set", b"key", b"1", b"other", b"", patience=0.5)
        await link.close()


async def test_restore_outlives_the_death_of_the_primary(tmp_path: Path) -> None:
    with _watched(tmp_path) as servers:
        await servers.ready()
        address = parse(f"{servers.url}&prefix=moved", base=tmp_path)
        async with opened(address) as store:
            for number in range(900):
                await store.set(f"key {number}", b"%d" % number)
        rows = [row async for row in exported(address)]

        def dying() -> Iterator[Row]:
            for number, row in enumerate(rows):
                if number == 450:
                    servers.primary.kill()
                yield row

        await restore(address, dying(), leases="bot/", replace=True)

        async with opened(address) as store:
            assert len(await store.scan("key ")) == 900
