"""What a store must do with facts and named leases."""

# ruff: noqa: D102  # the name of a test says what it proves
from __future__ import annotations

import asyncio

import pytest

from gateway.abc.store import Commit, Fact, Store
from gateway.errors import LeaseLost
from gateway.testing.clock import ManualClock
from gateway.testing.stores.samples import LEASE, Sampled, entry

__all__ = ["FactsContract"]


class FactsContract(Sampled):
    """Small values are kept as long as they should be, and races for them have one winner."""

    async def test_a_fact_is_kept_as_it_was_written_last(self, store: Store) -> None:
        await store.set("a", b"\x00one")
        await store.set("a", b"two\xff")

        assert await store.get("a") == b"two\xff"
        assert await store.get("b") is None

    async def test_a_fact_ends_with_its_time(self, store: Store, clock: ManualClock) -> None:
        await store.set("a", b"1", ttl=60)
        await self.pass_time(clock, 59)
        assert await store.get("a") == b"1"
        await self.pass_time(clock, 2)

        assert await store.get("a") is None
        assert await store.scan("") == ()
        assert (await store.counts())["facts"] == 0

    async def test_writing_without_a_time_keeps_a_fact_for_good(
        self, store: Store, clock: ManualClock
    ) -> None:
        await store.set("a", b"1", ttl=60)
        await store.set("a", b"2")
        await self.pass_time(clock, 1e6)

        assert await store.get("a") == b"2"

    async def test_trim_leaves_facts_that_are_kept(self, store: Store, clock: ManualClock) -> None:
        await store.set("good", b"1")
        await store.set("long", b"1", ttl=1e9)
        await store.set("short", b"1", ttl=1)
        await self.pass_time(clock, 1e6)

        await store.trim(clock.time())

        assert await store.scan("") == (("good", b"1"), ("long", b"1"))

    @pytest.mark.parametrize(
        ("known", "expect", "swapped"),
        [
            (None, None, True),
            (None, b"1", False),
            (b"1", b"1", True),
            (b"1", b"2", False),
            (b"1", None, False),
        ],
    )
    async def test_swap_writes_only_over_what_it_expects(
        self, store: Store, known: bytes | None, expect: bytes | None, swapped: bool
    ) -> None:
        if known is not None:
            await store.set("a", known)

        assert await store.swap("a", expect, b"new") is swapped
        assert await store.get("a") == (b"new" if swapped else known)

    async def test_swap_to_nothing_removes(self, store: Store) -> None:
        await store.set("a", b"1")

        assert await store.swap("a", b"1", None)
        assert await store.get("a") is None
        assert await store.swap("a", None, None)

    async def test_swap_takes_a_lapsed_fact_for_absent(self, store: Store, clock: ManualClock) -> None:
        await store.set("a", b"1", ttl=1)
        await self.pass_time(clock, 2)

        assert not await store.swap("a", b"1", b"2")
        assert await store.swap("a", None, b"2", ttl=60)
        await self.pass_time(clock, 61)
        assert await store.get("a") is None

    async def test_a_race_of_swaps_has_one_winner(self, store: Store) -> None:
        await store.set("offer", b"open")

        won = await asyncio.gather(*(store.swap("offer", b"open", b"%d" % n) for n in range(50)))

        assert sum(won) == 1
        assert await store.get("offer") == b"%d" % won.index(True)

    async def test_a_counter_of_swaps_loses_no_step(self, store: Store) -> None:
        await store.set("count", b"0")

        async def step() -> None:
            for _ in range(10):
                while True:
                    known = await store.get("count")
                    assert known is not None
                    if await store.swap("count", known, b"%d" % (int(known) + 1)):
                        break

        async with asyncio.TaskGroup() as tasks:
            for _ in range(5):
                tasks.create_task(step())

        assert await store.get("count") == b"50"

    async def test_scan_gives_the_last_facts_of_a_prefix_in_order(self, store: Store) -> None:
        for key in ("a/2", "a/10", "b", "a", "a/é", "a/1", "a0"):
            await store.set(key, key.encode())

        assert [key for key, _ in await store.scan("a/")] == ["a/1", "a/10", "a/2", "a/é"]
        assert await store.scan("a/", limit=2) == (("a/2", b"a/2"), ("a/é", "a/é".encode()))
        assert await store.scan("a/", limit=0) == ()
        assert len(await store.scan("")) == 7

    async def test_scan_reads_a_prefix_as_it_is(self, store: Store) -> None:
        """Nothing in a prefix is a wildcard, and the last characters there are have followers too."""
        keys = ("%", "_", "[a]*", "*", "\ud7ffx", "\U0010ffff", "\U0010ffff\U0010ffff!", "z\U0010ffffz")
        for key in keys:
            await store.set(key, b"")

        for key in keys:
            found = {name for name, _ in await store.scan(key)}
            assert found == {name for name in keys if name.startswith(key)}

    async def test_a_commit_writes_and_removes_facts(self, store: Store, clock: ManualClock) -> None:
        await store.set("old", b"1")
        await store.put([entry()])
        facts = (Fact("old", None), Fact("new", b"2"), Fact("short", b"3", ttl=1.0))
        await store.commit(await self.head(store), Commit(facts=facts))
        assert await store.get("short") == b"3"
        await self.pass_time(clock, 2)

        assert await store.scan("") == (("new", b"2"),)

    async def test_a_lost_commit_writes_no_fact(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry()])
        lost = await self.head(store)
        await self.pass_time(clock, LEASE + 1)
        await self.head(store)

        with pytest.raises(LeaseLost):
            await store.commit(lost, Commit(facts=(Fact("a", b"1"),)))

        assert await store.get("a") is None

    async def test_a_named_lease_has_one_owner(self, store: Store, clock: ManualClock) -> None:
        assert await store.lease("bot", "one", 60)
        assert not await store.lease("bot", "two", 60)
        assert await store.lease("other", "two", 60)
        await self.pass_time(clock, 59)
        assert await store.lease("bot", "one", 60)
        await self.pass_time(clock, 59)
        assert not await store.lease("bot", "two", 60)
        await self.pass_time(clock, 2)

        assert await store.lease("bot", "two", 60)
        assert not await store.lease("bot", "one", 60)

    async def test_only_the_owner_gives_a_named_lease_back(self, store: Store) -> None:
        await store.lease("bot", "one", 60)
        await store.release("bot", "two")
        assert not await store.lease("bot", "two", 60)
        await store.release("bot", "one")
        await store.release("bot", "one")

        assert await store.lease("bot", "two", 60)

    async def test_a_race_for_a_named_lease_has_one_winner(self, store: Store) -> None:
        won = await asyncio.gather(*(store.lease("bot", str(n), 60) for n in range(20)))

        assert sum(won) == 1
