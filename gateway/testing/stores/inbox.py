"""What a store's inbox must do."""

# ruff: noqa: D102  # the name of a test says what it proves
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.abc.store import Commit, Entry, Store
from gateway.errors import LeaseLost
from gateway.testing.clock import ManualClock
from gateway.testing.stores.samples import BOT, LANE, LEASE, Sampled, entry, letter, line, turn

__all__ = ["InboxContract"]


class InboxContract(Sampled):
    """Accepted means kept, once, in order, and run by one worker at a time."""

    async def test_put_keeps_what_is_new(self, store: Store) -> None:
        assert await store.put([entry("a", key="1"), entry("b", key="2")]) == (True, True)
        assert [one.body for one in await store.waiting(LANE)] == [b"a", b"b"]

    async def test_put_refuses_a_known_key(self, store: Store) -> None:
        await store.put([entry("a", key="1")])

        assert await store.put([entry("again", key="1"), entry("b", key="2")]) == (False, True)
        assert [one.body for one in await store.waiting(LANE)] == [b"a", b"b"]

    async def test_put_sees_duplicates_within_one_call(self, store: Store) -> None:
        assert await store.put([entry("a", key="1"), entry("again", key="1")]) == (True, False)

    async def test_put_refuses_an_entry_with_any_known_key_and_keeps_none_of_its_other_keys(
        self, store: Store
    ) -> None:
        await store.put([entry("a", key="1")])

        assert await store.put([Entry(BOT, LANE, ("2", "1"), b"twin", 1.0)]) == (False,)
        assert await store.put([entry("b", key="2")]) == (True,)

    async def test_keys_are_per_bot(self, store: Store) -> None:
        await store.put([entry(key="1")])

        assert await store.put([entry(key="1", bot="sales", lane="sales/1")]) == (True,)

    async def test_lanes_with_something_open_are_listed_by_how_their_names_start(self, store: Store) -> None:
        for lane in (LANE, f"{BOT}/2", f"{BOT}/2!", "other/1"):
            await store.put([entry(lane=lane, bot=BOT), entry(lane=lane, bot=BOT)])
        claims = await store.claim("worker", bots=[BOT], limit=10, lease=LEASE)
        await store.commit(next(one for one in claims if one.lane == LANE), Commit())

        assert sorted(await store.lanes(f"{BOT}/")) == sorted([LANE, f"{BOT}/2", f"{BOT}/2!"])
        await store.commit(await self.head(store), Commit())
        assert sorted(await store.lanes(f"{BOT}/")) == [f"{BOT}/2", f"{BOT}/2!"]
        assert await store.lanes("nobody/") == ()

    async def test_keys_of_a_scope_are_shared_by_all_that_waits_under_it(self, store: Store) -> None:
        """Work of one bot may wait under several names, and be told again under another."""
        one, other = f"{BOT}#1", f"{BOT}#2"
        await store.put([Entry(one, LANE, ("1",), b"a", 1.0, scope=BOT)])

        again = [Entry(name, LANE, ("1",), b"again", 1.0, scope=BOT) for name in (one, other, BOT)]
        assert await store.put(again) == (False, False, False)
        assert await store.put([entry("b", key="1")]) == (False,)
        assert await store.put([Entry(one, LANE, ("1",), b"c", 1.0)]) == (True,)

    async def test_entries_without_keys_are_never_duplicates(self, store: Store) -> None:
        assert await store.put([entry("a"), entry("a")]) == (True, True)

    async def test_an_entry_may_repeat_its_own_key(self, store: Store) -> None:
        assert await store.put([Entry(BOT, LANE, ("1", "1"), b"a", 1.0)]) == (True,)

    async def test_a_key_outlives_the_entry(self, store: Store) -> None:
        await store.put([entry(key="1")])
        await store.commit(await self.head(store), Commit())

        assert await store.put([entry(key="1")]) == (False,)

    async def test_an_entry_without_a_lane_is_never_claimed_but_its_key_is_known(self, store: Store) -> None:
        assert await store.put([entry(lane="", key="1")]) == (True,)
        assert await store.put([entry(key="1")]) == (False,)
        assert await store.claim("worker", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_claim_gives_the_head_whole(self, store: Store) -> None:
        await store.put([entry("a", at=12.5), entry("b")])

        claim = await self.head(store)

        assert (claim.bot, claim.lane, claim.body, claim.at) == (BOT, LANE, b"a", 12.5)
        assert claim.attempts == 1
        assert claim.token

    async def test_claim_takes_a_lane_once(self, store: Store) -> None:
        await store.put([entry("a"), entry("b")])
        await self.head(store)

        assert await store.claim("other", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_claim_gives_the_oldest_heads_first(self, store: Store) -> None:
        await store.put([entry(str(n), lane=f"{BOT}/{n}") for n in (3, 1, 2)])

        claims = await store.claim("worker", bots=[BOT], limit=2, lease=LEASE)

        assert [claim.body for claim in claims] == [b"3", b"1"]

    async def test_claim_gives_the_oldest_heads_of_several_bots_first(self, store: Store) -> None:
        bots = ["sales", BOT, "sales", BOT]
        await store.put([entry(str(n), bot=bot, lane=f"{bot}/{n}") for n, bot in enumerate(bots)])

        claims = await store.claim("worker", bots=[BOT, "sales"], limit=3, lease=LEASE)

        assert [claim.body for claim in claims] == [b"0", b"1", b"2"]

    async def test_claim_looks_at_the_named_bots_only(self, store: Store) -> None:
        await store.put([entry("a"), entry("b", bot="sales", lane="sales/1")])

        claims = await store.claim("worker", bots=["sales"], limit=10, lease=LEASE)

        assert [claim.body for claim in claims] == [b"b"]
        assert await store.claim("worker", bots=[], limit=10, lease=LEASE) == ()

    async def test_claim_leaves_skipped_lanes_alone(self, store: Store) -> None:
        await store.put([entry(str(n), lane=f"{BOT}/{n}") for n in range(3)])

        claims = await store.claim(
            "worker", bots=[BOT], limit=2, lease=LEASE, skip=[f"{BOT}/0", f"{BOT}/nobody"]
        )

        assert [claim.body for claim in claims] == [b"1", b"2"]

    async def test_commit_frees_the_lane_for_the_next(self, store: Store) -> None:
        await store.put([entry("a"), entry("b")])
        first = await self.head(store)
        await store.commit(first, Commit())

        second = await self.head(store)

        assert (second.body, second.attempts) == (b"b", 1)
        assert second.entry > first.entry

    async def test_commit_writes_everything(self, store: Store) -> None:
        await store.put([entry()])
        claim = await self.head(store)

        await store.commit(
            claim, Commit(turn=turn("t1"), history=(line("hi"),), letters=(letter("l1", turn="t1"),))
        )

        assert await store.turn("t1") == turn("t1")
        assert [one.text for one in await store.history(LANE, limit=10)] == ["hi"]
        assert (await self.letter_head(store)).letter == letter("l1", turn="t1")

    async def test_commit_again_applies_nothing_twice(self, store: Store) -> None:
        """A caller repeats a commit whose result it did not learn."""
        await store.put([entry("a"), entry("b")])
        claim = await self.head(store)
        done = Commit(history=(line("hi"),), letters=(letter("l1"),))
        await store.commit(claim, done)

        with pytest.raises(LeaseLost):
            await store.commit(claim, done)

        assert len(await store.history(LANE, limit=10)) == 1
        assert (await store.counts())["outbox"] == 1
        assert (await self.head(store)).body == b"b"

    async def test_a_lease_that_runs_out_is_taken_over(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry("a"), entry("b")])
        lost = await self.head(store)
        await self.pass_time(clock, LEASE + 1)

        taken = await self.head(store)

        assert (taken.entry, taken.body, taken.attempts) == (lost.entry, b"a", 2)
        assert taken.token != lost.token

    async def test_a_lost_claim_writes_nothing(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry()])
        lost = await self.head(store)
        await self.pass_time(clock, LEASE + 1)
        taken = await self.head(store)

        with pytest.raises(LeaseLost):
            await store.commit(lost, Commit(turn=turn("lost"), history=(line("lost"),)))
        with pytest.raises(LeaseLost):
            await store.record(lost, turn("lost"))
        with pytest.raises(LeaseLost):
            await store.retry(lost, delay=0)

        assert await store.turn("lost") is None
        assert await store.history(LANE, limit=10) == ()
        await store.commit(taken, Commit(turn=turn("kept")))
        assert await store.turn("kept") == turn("kept")

    async def test_extend_keeps_a_claim(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry()])
        claim = await self.head(store)
        await self.pass_time(clock, LEASE - 1)

        assert await store.extend([claim], LEASE) == ()
        await self.pass_time(clock, LEASE - 1)

        assert await store.claim("other", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_extend_names_the_lanes_that_were_lost(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry(lane=f"{BOT}/{n}") for n in range(3)])
        claims = await store.claim("worker", bots=[BOT], limit=3, lease=LEASE)
        await self.pass_time(clock, LEASE + 1)
        await store.claim("other", bots=[BOT], limit=1, lease=LEASE)
        await store.commit(claims[2], Commit())

        assert await store.extend(claims, LEASE) == (f"{BOT}/0", f"{BOT}/2")

    async def test_record_writes_a_running_turn_over_its_last_record(self, store: Store) -> None:
        await store.put([entry()])
        claim = await self.head(store)
        await store.record(claim, turn("t1", state="running", reason=""))
        await store.record(claim, turn("t1", state="running", reason="", at=2.0))

        assert await store.turn("t1") == turn("t1", state="running", reason="", at=2.0)

    async def test_retry_frees_the_head_after_its_delay_with_attempts_kept(
        self, store: Store, clock: ManualClock
    ) -> None:
        await store.put([entry("a"), entry("b")])
        await store.retry(await self.head(store), delay=60.0)
        await self.pass_time(clock, 59)
        assert await store.claim("worker", bots=[BOT], limit=10, lease=LEASE) == ()
        await self.pass_time(clock, 2)

        claim = await self.head(store)

        assert (claim.body, claim.attempts) == (b"a", 2)

    async def test_retry_without_delay_frees_the_head_at_once(self, store: Store) -> None:
        await store.put([entry()])
        await store.retry(await self.head(store), delay=0)

        assert (await self.head(store)).attempts == 2

    async def test_waiting_lists_what_is_not_claimed(self, store: Store, clock: ManualClock) -> None:
        await store.put([entry("a", at=1.0), entry("b", at=2.0), entry("other", lane=f"{BOT}/2")])
        claims = await store.claim("worker", bots=[BOT], limit=10, lease=LEASE)

        (waiting,) = await store.waiting(LANE)

        assert (waiting.body, waiting.at) == (b"b", 2.0)
        assert waiting.entry > claims[0].entry
        await self.pass_time(clock, LEASE + 1)
        assert [one.body for one in await store.waiting(LANE)] == [b"a", b"b"]
        assert await store.waiting(f"{BOT}/nobody") == ()

    async def test_cover_ends_waiting_entries_with_their_records(self, store: Store) -> None:
        await store.put([entry(name) for name in "abcd"])
        await self.head(store)
        b, c, d = (one.entry for one in await store.waiting(LANE))

        assert await store.cover(LANE, [turn("tb", entry=b), turn("td", entry=d)]) == (b, d)

        assert [one.entry for one in await store.waiting(LANE)] == [c]
        assert await store.turn("tb") == turn("tb", entry=b)

    async def test_cover_leaves_claimed_ended_and_foreign_entries_alone(self, store: Store) -> None:
        await store.put([entry("a"), entry("b"), entry("other", lane=f"{BOT}/2")])
        mine, other = await store.claim("worker", bots=[BOT], limit=10, lease=LEASE)
        await store.commit(mine, Commit())
        claimed = await self.head(store)
        wanted = [turn(f"t{n}", entry=n) for n in (mine.entry, claimed.entry, other.entry)]

        assert await store.cover(LANE, wanted) == ()

        assert [await store.turn(one.id) for one in wanted] == [None] * 3
        await store.commit(claimed, Commit())
        await store.commit(other, Commit())

    async def test_cover_of_a_free_head_lets_the_next_run_afresh(self, store: Store) -> None:
        await store.put([entry("a"), entry("b")])
        claim = await self.head(store)
        await store.retry(claim, delay=600.0)

        assert await store.cover(LANE, [turn("ta", entry=claim.entry)]) == (claim.entry,)

        following = await self.head(store)
        assert (following.body, following.attempts) == (b"b", 1)

    async def test_cover_takes_an_entry_from_a_claim_that_ran_out(
        self, store: Store, clock: ManualClock
    ) -> None:
        await store.put([entry()])
        lost = await self.head(store)
        await self.pass_time(clock, LEASE + 1)
        await store.cover(LANE, [turn("t1", entry=lost.entry, state="covered")])

        with pytest.raises(LeaseLost):
            await store.commit(lost, Commit(turn=turn("t1")))

        covered = await store.turn("t1")
        assert covered is not None
        assert covered.state == "covered"

    @pytest.mark.parametrize("what", ["put", "commit", "retry", "cover"])
    async def test_wait_returns_at_once_when_something_became_claimable_since_the_last_claim(
        self, store: Store, what: str
    ) -> None:
        await store.put([entry("a"), entry("b")])
        claim = await self.head(store)
        (behind,) = await store.waiting(LANE)
        if what == "cover":
            await store.retry(claim, delay=600.0)
        changes: dict[str, Callable[[], Awaitable[object]]] = {
            "put": lambda: store.put([entry(lane=f"{BOT}/2")]),
            "commit": lambda: store.commit(claim, Commit()),
            "retry": lambda: store.retry(claim, delay=0),
            "cover": lambda: store.cover(LANE, [turn("t1", entry=claim.entry)]),
        }
        assert behind.body == b"b"
        assert await store.claim("worker", bots=[BOT], limit=10, lease=LEASE) == ()
        await changes[what]()

        async with asyncio.timeout(5):
            await store.wait(60)

        assert len(await store.claim("worker", bots=[BOT], limit=10, lease=LEASE)) == 1

    async def test_every_waiter_wakes(self, store: Store) -> None:
        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            for _ in range(3):
                tasks.create_task(store.wait(60))
            await asyncio.sleep(0.01)
            await store.put([entry()])

    async def test_wait_returns_after_its_timeout(self, store: Store) -> None:
        async with asyncio.timeout(5):
            await store.wait(0.02)
            await store.wait(0)

    async def test_an_unclaimed_wake_up_is_told_once(self, store: Store) -> None:
        """A worker with no place left must not spin."""
        await store.put([entry()])
        await store.wait(0.01)

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await store.wait(60)
