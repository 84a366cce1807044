"""What a store must do to forget: with time, and when it is told to."""

# ruff: noqa: D102  # the name of a test says what it proves
from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from gateway.abc.store import Commit, Erasure, Fact, Line, PartRow, Store
from gateway.errors import LeaseLost
from gateway.testing.clock import ManualClock
from gateway.testing.stores.samples import BOT, LANE, LEASE, Sampled, entry, letter, line, turn

__all__ = ["ErasingContract"]

_OTHER = f"{BOT}/2"


class ErasingContract(Sampled):
    """What is old fades, what is erased is gone, and everything else stays."""

    async def test_fade_removes_old_lines_alone(self, store: Store) -> None:
        lines = [msgspec.structs.replace(line(str(at)), at=float(at)) for at in range(1, 5)]
        await self.run(store, Commit(history=tuple(lines)))
        await store.history(LANE, limit=10)

        assert await store.fade(3.0) == 2

        assert [one.text for one in await store.history(LANE, limit=10)] == ["3", "4"]
        assert await store.fade(3.0) == 0

    async def test_fade_goes_through_every_lane(self, store: Store) -> None:
        lanes = [f"{BOT}/{number}" for number in range(250)]
        for lane in lanes:
            await self.run(store, Commit(history=(Line(lane, "t", "user", "old", 1.0),)), lane=lane)

        assert await store.fade(2.0) == 250

        assert [lane for lane in lanes if await store.history(lane, limit=1)] == []

    async def test_fade_removes_as_many_as_asked_at_a_time(self, store: Store) -> None:
        await self.run(store, Commit(history=tuple(line(str(number)) for number in range(5))))

        assert [await store.fade(2.0, limit=2) for _ in range(4)] == [2, 2, 1, 0]

    async def test_fade_leaves_nothing_of_old_dead_letters_but_their_ids(
        self, store: Store, clock: ManualClock
    ) -> None:
        await self.post(store, letter("l1", turn="t1"))
        claim = await self.letter_head(store)
        await store.plan(claim, [PartRow("pending", b"said")])
        await store.settle(claim, "undeliverable")
        await self.pass_time(clock, 100.0)

        assert await store.fade(clock.time() + 1e9) >= 1

        assert await store.dead() == ()
        assert await store.dead_letter("l1") is None
        await self.post(store, letter("l1"))
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_fade_leaves_what_is_young_or_owed(self, store: Store, clock: ManualClock) -> None:
        await self.post(store, letter("dead"), letter("owed", lane=_OTHER))
        for claim in await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE):
            if claim.letter.id == "dead":
                await store.settle(claim, "expired")
        await self.pass_time(clock, 10.0)

        await store.fade(0.5)

        assert len(await store.dead()) == 1

    async def test_aged_turns_come_oldest_first_between_two_times(self, store: Store) -> None:
        await self.run(store, *(Commit(turn=turn(f"t{at}", at=float(at))) for at in (3, 1, 4, 2)))

        assert [one.id for one in await store.aged(4.0)] == ["t1", "t2", "t3"]
        assert [one.id for one in await store.aged(4.0, after=2.0)] == ["t2", "t3"]
        assert [one.id for one in await store.aged(9.0, limit=2)] == ["t1", "t2"]

    async def test_rewrite_replaces_what_is_there_alone(self, store: Store) -> None:
        await self.run(store, Commit(turn=turn("t1")))

        await store.rewrite([replace(turn("t1"), body=b"short"), turn("unknown")])

        found = await store.turn("t1")
        assert found is not None
        assert found.body == b"short"
        assert await store.turn("unknown") is None
        assert len(await store.turns()) == 1

    async def test_erased_lane_is_as_if_it_had_never_been(self, store: Store) -> None:
        await self.run(store, Commit(history=(line("said"),), letters=(letter("dead"), letter("owed"))))
        await store.settle(await self.letter_head(store), "undeliverable")
        await store.put([entry("waits"), entry("waits too")])
        await store.put([entry("stays", lane=_OTHER)])

        assert await store.erase(Erasure(lanes=(LANE,))) == 5

        assert await store.history(LANE, limit=10) == ()
        assert await store.dead() == ()
        assert await store.waiting(LANE) == ()
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()
        (left,) = await store.claim("worker", bots=[BOT], limit=10, lease=LEASE)
        assert left.body == b"stays"

    async def test_erased_lane_takes_its_work_away_and_works_again(self, store: Store) -> None:
        await store.put([entry("runs")])
        claim = await self.head(store)
        await self.post(store, letter("leaves", lane=_OTHER))
        sending = await self.letter_head(store)

        await store.erase(Erasure(lanes=(LANE, _OTHER)))

        with pytest.raises(LeaseLost):
            await store.commit(claim, Commit(history=(line("said"),)))
        with pytest.raises(LeaseLost):
            await store.settle(sending, "delivered")
        await store.put([entry("again")])
        assert (await self.head(store)).body == b"again"

    async def test_erased_turns_go_with_their_lines_and_letters(self, store: Store) -> None:
        await self.run(
            store,
            Commit(turn=turn("t1"), history=(line("gone"),), letters=(letter("l1", turn="t1"),)),
            Commit(turn=turn("t2"), history=(line("stays", turn="t2"),), letters=(letter("l2", turn="t2"),)),
        )

        assert await store.erase(Erasure(turns=(turn("t1"),))) == 3

        assert await store.turn("t1") is None
        assert await store.turn("T1") is None
        assert [one.id for one in await store.turns()] == ["t2"]
        assert [one.text for one in await store.history(LANE, limit=10)] == ["stays"]
        assert (await self.letter_head(store)).letter.id == "l2"
        await self.post(store, letter("l1"))
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_erased_turn_takes_its_dead_letter_along(self, store: Store) -> None:
        await self.run(store, Commit(turn=turn("t1"), letters=(letter("l1", turn="t1"),)))
        await store.settle(await self.letter_head(store), "expired")

        assert await store.erase(Erasure(turns=(turn("t1"),))) == 2

        assert await store.dead() == ()

    async def test_erased_entry_is_not_run(self, store: Store) -> None:
        await store.put([entry("first"), entry("second"), entry("third")])
        first, second, _ = await store.waiting(LANE)

        assert await store.erase(Erasure(entries=((LANE, first.entry), (LANE, second.entry)))) == 2

        assert (await self.head(store)).body == b"third"

    async def test_erased_facts_are_gone(self, store: Store) -> None:
        await self.run(store, Commit(facts=(Fact("a", b"1"), Fact("b", b"2"))))

        assert await store.erase(Erasure(facts=("a", "unknown"))) in (1, 2)

        assert await store.get("a") is None
        assert await store.get("b") == b"2"

    async def test_erasing_twice_does_no_harm(self, store: Store) -> None:
        await self.run(store, Commit(turn=turn("t1"), history=(line("gone"),)))
        erasure = Erasure(lanes=(LANE,), turns=(turn("t1"),), entries=((LANE, 1),))
        await store.erase(erasure)

        assert await store.erase(erasure) == 0
