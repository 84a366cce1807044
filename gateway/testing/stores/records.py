"""What a store must do with records, history and what has grown old."""

# ruff: noqa: D102  # the name of a test says what it proves
from __future__ import annotations

from typing import TypedDict

import pytest

from gateway.abc.store import Claim, Commit, Line, Store, Turn
from gateway.testing.clock import ManualClock
from gateway.testing.stores.samples import BOT, LANE, LEASE, Sampled, entry, letter, line, turn

__all__ = ["RecordsContract"]

_DAY = 24 * 3600.0
_FAR = 1e12


class _Words(TypedDict, total=False):
    bot: str
    lane: str
    reason: str
    state: str


class RecordsContract(Sampled):
    """What happened can be looked up; what has served is removed, and nothing else."""

    async def texts(self, store: Store, *, limit: int = 100, lane: str = LANE) -> list[str]:
        """The texts of a lane's history."""
        return [one.text for one in await store.history(lane, limit=limit)]

    async def test_history_keeps_lines_whole_and_in_order(self, store: Store) -> None:
        lines = (
            Line(LANE, "t1", "user", "hi", 1.5, speaker="Ada"),
            Line(LANE, "t1", "assistant", "hello", 2.5, data=b"\x00\xff"),
        )
        await self.run(store, Commit(history=lines), Commit(history=(line("more", turn="t2"),)))

        assert await store.history(LANE, limit=2) == (lines[1], line("more", turn="t2"))
        assert await store.history(LANE, limit=10) == (*lines, line("more", turn="t2"))
        assert await store.history(LANE, limit=0) == ()
        assert await store.history(f"{BOT}/nobody", limit=10) == ()

    @pytest.mark.parametrize("text", ["", "a\x00b", "naïve 👩‍👩‍👧 ﷺ", "half \ud83d of a pair"])
    async def test_history_keeps_any_text(self, store: Store, text: str) -> None:
        await self.run(store, Commit(history=(Line(LANE, "t1", "user", text, 1.0, speaker=text),)))

        (kept,) = await store.history(LANE, limit=1)

        assert (kept.text, kept.speaker) == (text, text)

    async def test_forget_removes_lines_of_turns_before_the_new_ones_are_added(self, store: Store) -> None:
        lines = tuple(line(f"{name}{n}", turn=name) for name in ("t1", "t2", "t3") for n in range(2))
        await self.run(store, Commit(history=lines))
        await self.run(store, Commit(forget=("t1", "t3"), history=(line("again", turn="t1"),)))

        assert await self.texts(store) == ["t20", "t21", "again"]

    async def test_clear_removes_the_lanes_history_and_no_other(self, store: Store) -> None:
        other = f"{BOT}/2"
        await self.run(store, Commit(history=(line("old"), line("kept", lane=other))))
        await self.run(store, Commit(clear=True, history=(line("new"),)))

        assert await self.texts(store) == ["new"]
        assert await self.texts(store, lane=other) == ["kept"]

    async def test_forget_leaves_other_lanes_alone(self, store: Store) -> None:
        other = f"{BOT}/2"
        await self.run(store, Commit(history=(line("mine"), line("theirs", lane=other))))
        await self.run(store, Commit(forget=("t1",)))

        assert await self.texts(store) == []
        assert await self.texts(store, lane=other) == ["theirs"]

    async def test_a_turn_is_found_by_id_and_by_reference(self, store: Store) -> None:
        await self.run(store, Commit(turn=turn("t1")), Commit(turn=turn("t2")))

        assert await store.turn("t1") == turn("t1")
        assert await store.turn("T2") == turn("t2")
        assert await store.turn("t3") is None

    async def test_turns_are_listed_newest_first_and_as_many_as_asked(self, store: Store) -> None:
        await self.run(store, *(Commit(turn=turn(f"t{at}", at=float(at))) for at in (1, 3, 2)))

        assert [one.id for one in await store.turns()] == ["t3", "t2", "t1"]
        assert [one.id for one in await store.turns(limit=2)] == ["t3", "t2"]

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            ({"bot": BOT}, ["t2", "t1"]),
            ({"lane": "sales/1"}, ["t3"]),
            ({"reason": "refused"}, ["t3", "t2"]),
            ({"state": "delivered"}, ["t2"]),
            ({"bot": BOT, "reason": "refused", "state": "delivered"}, ["t2"]),
            ({"bot": "sales", "state": "delivered"}, []),
        ],
    )
    async def test_turns_are_filtered(self, store: Store, words: _Words, found: list[str]) -> None:
        await self.run(
            store,
            Commit(turn=Turn("t1", "R1", BOT, LANE, 1, "finished", "completed", "", 1.0, b"")),
            Commit(turn=Turn("t2", "R2", BOT, LANE, 2, "delivered", "refused", "", 2.0, b"")),
            Commit(turn=Turn("t3", "R3", "sales", "sales/1", 3, "finished", "refused", "", 3.0, b"")),
        )

        assert [one.id for one in await store.turns(**words)] == found

    async def test_counts_say_what_waits_where(self, store: Store) -> None:
        await store.put([entry(), entry(), entry(lane=f"{BOT}/2"), entry(lane="")])
        claim = (await store.claim("worker", bots=[BOT], limit=1, lease=LEASE))[0]
        await store.commit(claim, Commit(turn=turn("t1"), letters=(letter("l1"), letter("l2"))))
        await self.run_one(store)
        await store.settle(await self.letter_head(store), "expired")
        await store.set("kept", b"", ttl=60)

        assert await store.counts() == {
            "inbox": 2,
            "claimed": 1,
            "outbox": 1,
            "dead": 1,
            "turns": 1,
            "facts": 1,
        }

    async def run_one(self, store: Store) -> Claim:
        """Claim one head and leave it claimed."""
        (claim,) = await store.claim("worker", bots=[BOT], limit=1, lease=LEASE)
        return claim

    async def test_trim_removes_closed_things_that_are_older(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry(lane="", at=clock.time())])
        await self.run(store, Commit(turn=turn("t1", at=clock.time()), letters=(letter("l1", turn="t1"),)))
        await store.settle(await self.letter_head(store), "expired")
        await self.pass_time(clock, 10 * _DAY)

        assert await store.trim(clock.time() - 5 * _DAY) > 0

        assert await store.turn("t1") is None
        assert await store.turn("T1") is None
        assert await store.dead() == ()
        assert await store.trim(clock.time() - 5 * _DAY) == 0

    async def test_trim_leaves_what_is_younger(self, store: Store, clock: ManualClock) -> None:
        await self.run(store, Commit(turn=turn("t1", at=clock.time()), letters=(letter("l1", turn="t1"),)))
        await store.settle(await self.letter_head(store), "expired")
        await self.pass_time(clock, _DAY)

        assert await store.trim(clock.time() - 5 * _DAY) == 0

        assert await store.turn("t1") is not None
        assert len(await store.dead()) == 1

    async def test_trim_leaves_what_is_open_or_owed(self, store: Store, clock: ManualClock) -> None:
        await self.run(store, Commit(turn=turn("owed"), letters=(letter("l1", turn="owed"),)))
        await store.put([entry("runs"), entry("waits")])
        claim = await self.head(store)
        await store.record(claim, turn("runs", entry=claim.entry, state="running", reason=""))
        await self.pass_time(clock, 10 * _DAY)

        await store.trim(_FAR)

        assert await store.turn("owed") is not None
        assert await store.turn("runs") is not None
        assert (await self.letter_head(store)).letter.id == "l1"
        assert (await self.head(store)).body == b"runs"
        assert len(await store.waiting(LANE)) == 1

    async def test_trim_keeps_dedupe_keys_for_a_day_at_least(self, store: Store, clock: ManualClock) -> None:
        """Retention of content may be short; platforms redeliver for a day all the same."""
        await store.put([entry(key="1")])
        await store.commit(await self.head(store), Commit())
        await self.pass_time(clock, _DAY - 60)
        await store.trim(_FAR)
        assert await store.put([entry(key="1")]) == (False,)
        await self.pass_time(clock, 120)
        await store.trim(_FAR)

        assert await store.put([entry(key="1")]) == (True,)

    async def test_trim_removes_as_many_as_asked_at_a_time(self, store: Store, clock: ManualClock) -> None:
        await self.run(store, *(Commit(turn=turn(f"t{n}")) for n in range(5)))
        await self.pass_time(clock, 10 * _DAY)

        removed = [await store.trim(clock.time(), limit=3) for _ in range(10)]

        assert max(removed) == 3
        assert removed[-1] == 0
        assert await store.turns() == ()

    async def test_an_entrys_number_is_never_used_again(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry()])
        first = await self.head(store)
        await store.commit(first, Commit())
        await self.pass_time(clock, 10 * _DAY)
        while await store.trim(clock.time()):
            pass
        await store.put([entry()])

        assert (await self.head(store)).entry > first.entry
