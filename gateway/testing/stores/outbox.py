"""What a store's outbox must do."""

# ruff: noqa: D102  # the name of a test says what it proves
from __future__ import annotations

import asyncio

import pytest

from gateway.abc.store import Commit, Fact, LetterState, PartRow, Store
from gateway.errors import LeaseLost, StoreError
from gateway.testing.clock import ManualClock
from gateway.testing.stores.samples import BOT, LANE, LEASE, Sampled, entry, letter, turn

__all__ = ["OutboxContract"]

_PENDING = (PartRow("pending", b"one"), PartRow("pending", b"two"))
_SENT = PartRow("sent", b"one", b"receipt")


class OutboxContract(Sampled):
    """Letters of a lane are delivered in order, and what became of each part is known."""

    async def test_letters_of_a_lane_come_in_order(self, store: Store) -> None:
        await self.post(store, letter("l1"), letter("l2"))
        await self.post(store, letter("l3"))
        seen: list[str] = []
        for _ in range(3):
            claim = await self.letter_head(store)
            seen.append(claim.letter.id)
            await store.settle(claim, "delivered")

        assert seen == ["l1", "l2", "l3"]
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_a_lane_has_one_letter_on_its_way(self, store: Store) -> None:
        await self.post(store, letter("l1"), letter("l2"), letter("other", lane=f"{BOT}/2"))

        claims = await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE)

        assert [claim.letter.id for claim in claims] == ["l1", "other"]
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()

    async def test_letters_come_whole_oldest_first_and_as_many_as_asked(self, store: Store) -> None:
        letters = [letter(f"l{n}", lane=f"{BOT}/{n}", turn=f"t{n}", at=float(n)) for n in (2, 0, 1)]
        await self.post(store, *letters)

        claims = await store.claim_letters("worker", bots=[BOT], limit=2, lease=LEASE)

        assert [claim.letter for claim in claims] == letters[:2]
        assert {(claim.attempts, claim.parts) for claim in claims} == {(1, ())}

    async def test_letters_are_claimed_for_the_named_bots_and_lanes_only(self, store: Store) -> None:
        await self.post(store, letter("l1"), letter("l2", bot="sales", lane="sales/1"))

        assert await store.claim_letters("worker", bots=[BOT], limit=9, lease=LEASE, skip=[LANE]) == ()
        assert (await self.letter_head(store, bot="sales")).letter.id == "l2"

    async def test_a_known_letter_is_not_kept_again(self, store: Store) -> None:
        await self.post(store, letter("l1"), letter("l1"))
        await self.post(store, letter("l1"))
        await store.settle(await self.letter_head(store), "delivered")
        await self.post(store, letter("l1"))

        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()
        assert (await store.counts())["outbox"] == 0

    async def test_a_letter_that_waits_for_its_retry_is_not_overtaken(
        self, store: Store, clock: ManualClock
    ) -> None:
        await self.post(store, letter("l1"), letter("l2"))
        await store.retry_letter(await self.letter_head(store), delay=60.0)
        await self.pass_time(clock, 59)
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()
        await self.pass_time(clock, 2)

        claim = await self.letter_head(store)

        assert (claim.letter.id, claim.attempts) == ("l1", 2)

    async def test_a_plan_is_kept_across_claims(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)
        await store.retry_letter(claim, delay=0)

        assert (await self.letter_head(store)).parts == _PENDING

    async def test_a_second_plan_is_refused(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)

        with pytest.raises(LeaseLost):
            await store.plan(claim, (_SENT,))

        await store.retry_letter(claim, delay=0)
        assert (await self.letter_head(store)).parts == _PENDING

    async def test_a_plan_of_which_nothing_was_sent_may_be_made_anew(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)

        await store.plan(claim, (PartRow("sending", b"new"), *_PENDING), anew=True)

        await store.retry_letter(claim, delay=0)
        assert (await self.letter_head(store)).parts == (PartRow("sending", b"new"), *_PENDING)

    @pytest.mark.parametrize(
        "begun",
        [PartRow("sending", b"one"), _SENT, PartRow("skipped", b"one"), PartRow("pending", b"one", b"1")],
    )
    async def test_a_plan_of_which_something_may_have_been_sent_stays(
        self, store: Store, begun: PartRow
    ) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, (_PENDING[0], begun))

        with pytest.raises(LeaseLost):
            await store.plan(claim, _PENDING, anew=True)

        await store.retry_letter(claim, delay=0)
        assert (await self.letter_head(store)).parts == (_PENDING[0], begun)

    async def test_advance_and_retry_write_parts_by_index(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)
        await store.advance(claim, [(0, _SENT), (1, PartRow("sending", b"two"))])
        await store.retry_letter(claim, delay=0, changes=[(1, PartRow("skipped", b"two", b"refused"))])

        assert (await self.letter_head(store)).parts == (_SENT, PartRow("skipped", b"two", b"refused"))

    async def test_a_change_of_an_unknown_part_is_refused_whole(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)

        with pytest.raises(StoreError):
            await store.advance(claim, [(0, _SENT), (2, _SENT)])
        with pytest.raises(StoreError):
            await store.settle(claim, "delivered", changes=[(0, _SENT), (2, _SENT)], turn=turn("t1"))

        assert await store.turn("t1") is None
        await store.retry_letter(claim, delay=0)
        assert (await self.letter_head(store)).parts == _PENDING

    async def test_settle_writes_the_turn_and_facts(self, store: Store) -> None:
        await self.post(store, letter("l1", turn="t1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING[:1])

        await store.settle(
            claim,
            "delivered",
            changes=[(0, _SENT)],
            turn=turn("t1", state="delivered"),
            facts=[Fact("seen", b"yes")],
        )

        assert await store.turn("t1") == turn("t1", state="delivered")
        assert await store.get("seen") == b"yes"

    async def test_settle_again_changes_nothing(self, store: Store) -> None:
        """A caller repeats a settle whose result it did not learn."""
        await self.post(store, letter("l1"), letter("l2"))
        claim = await self.letter_head(store)
        await store.settle(claim, "delivered")

        with pytest.raises(LeaseLost):
            await store.settle(claim, "undeliverable", turn=turn("t1"))

        assert await store.turn("t1") is None
        assert await store.dead() == ()
        assert (await self.letter_head(store)).letter.id == "l2"

    async def test_a_letter_cannot_be_closed_as_waiting(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)

        with pytest.raises(StoreError):
            await store.settle(claim, "waiting")

        await store.settle(claim, "delivered")

    async def test_a_letter_whose_lease_ran_out_is_taken_over(self, store: Store, clock: ManualClock) -> None:
        await self.post(store, letter("l1"), letter("l2"))
        lost = await self.letter_head(store)
        await self.pass_time(clock, LEASE + 1)

        taken = await self.letter_head(store)

        assert (taken.letter.id, taken.attempts) == ("l1", 2)
        assert taken.token != lost.token

    async def test_a_lost_letter_claim_writes_nothing(self, store: Store, clock: ManualClock) -> None:
        await self.post(store, letter("l1"))
        lost = await self.letter_head(store)
        await self.pass_time(clock, LEASE + 1)
        taken = await self.letter_head(store)

        with pytest.raises(LeaseLost):
            await store.plan(lost, (_SENT,))
        await store.plan(taken, _PENDING)
        with pytest.raises(LeaseLost):
            await store.advance(lost, [(0, _SENT)])
        with pytest.raises(LeaseLost):
            await store.retry_letter(lost, delay=0, changes=[(0, _SENT)])
        with pytest.raises(LeaseLost):
            await store.settle(lost, "delivered", changes=[(0, _SENT)])

        await store.retry_letter(taken, delay=0)
        assert (await self.letter_head(store)).parts == _PENDING

    async def test_extend_letters_keeps_what_is_ours_and_names_what_was_lost(
        self, store: Store, clock: ManualClock
    ) -> None:
        await self.post(store, *(letter(f"l{n}", lane=f"{BOT}/{n}") for n in range(2)))
        claims = await store.claim_letters("worker", bots=[BOT], limit=2, lease=LEASE)
        await store.settle(claims[0], "delivered")
        await self.pass_time(clock, LEASE - 1)

        assert await store.extend_letters(claims, LEASE) == ("l0",)

        await self.pass_time(clock, LEASE - 1)
        assert await store.claim_letters("other", bots=[BOT], limit=10, lease=LEASE) == ()

    @pytest.mark.parametrize("state", ["undeliverable", "expired", "dropped"])
    async def test_what_is_not_delivered_is_listed_as_dead(self, store: Store, state: LetterState) -> None:
        await self.post(store, letter("l1"), letter("l2", lane=f"{BOT}/2"))
        for claim in await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE):
            await store.settle(claim, state if claim.letter.id == "l1" else "delivered")

        assert await store.dead() == ((letter("l1"), state),)
        assert (await store.counts())["dead"] == 1

    async def test_dead_letters_are_listed_newest_first_by_bot_and_as_many_as_asked(
        self, store: Store
    ) -> None:
        letters = [letter(name, lane=f"{BOT}/{name}") for name in "abc"]
        await self.post(store, *letters, letter("other", bot="sales", lane="sales/1"))
        for claim in await store.claim_letters("worker", bots=[BOT, "sales"], limit=10, lease=LEASE):
            await store.settle(claim, "expired")

        async def listed(*, bot: str = "", limit: int = 100) -> list[str]:
            return [one.id for one, _ in await store.dead(bot=bot, limit=limit)]

        assert await listed() == ["other", "c", "b", "a"]
        assert await listed(bot=BOT, limit=2) == ["c", "b"]
        assert await listed(bot="nobody") == []

    async def test_a_dead_letter_is_kept_whole(self, store: Store, clock: ManualClock) -> None:
        await self.post(store, letter("l1", turn="t1"), letter("l2"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)
        await store.settle(claim, "expired", changes=[(0, _SENT)])
        await store.settle(await self.letter_head(store), "delivered")

        found = await store.dead_letter("l1")

        assert found is not None
        assert (found.letter, found.state) == (letter("l1", turn="t1"), "expired")
        assert found.parts == (_SENT, _PENDING[1])
        assert abs(found.closed - clock.time()) < LEASE
        assert [await store.dead_letter(name) for name in ("l2", "nobody")] == [None, None]

    async def test_a_revived_letter_is_owed_again_behind_the_others(self, store: Store) -> None:
        """What was sent stays sent, what was skipped is tried again; its time begins anew."""
        await self.post(store, letter("l1"), letter("l2"), letter("l3"))
        claim = await self.letter_head(store)
        parts = (_SENT, PartRow("skipped", b"two", b"400"), PartRow("sending", b"three", b"1"))
        await store.plan(claim, parts)
        await store.settle(claim, "undeliverable")

        assert await store.revive("l1", 77.5, turn=turn("t1"))

        assert await store.dead() == ()
        assert (await store.counts())["outbox"] == 3
        assert await store.turn("t1") == turn("t1")
        for name in ("l2", "l3"):
            claim = await self.letter_head(store)
            assert claim.letter.id == name
            await store.settle(claim, "delivered")
        revived = await self.letter_head(store)
        assert (revived.letter, revived.attempts) == (letter("l1", at=77.5), 1)
        assert revived.parts == (_SENT, PartRow("pending", b"two"), parts[2])

    async def test_only_what_is_dead_is_revived_or_dropped_and_once(self, store: Store) -> None:
        await self.post(store, letter("l1"), letter("l2", lane=f"{BOT}/2"), letter("l3", lane=f"{BOT}/3"))
        for claim in await store.claim_letters("worker", bots=[BOT], limit=2, lease=LEASE):
            await store.settle(claim, "undeliverable" if claim.letter.id == "l1" else "delivered")

        for name in ("l2", "l3", "nobody"):
            assert not await store.revive(name, 1.0, turn=turn("t1"))
            assert not await store.drop_letter(name)

        assert await store.turn("t1") is None
        assert [await store.revive("l1", 1.0) for _ in range(2)] == [True, False]
        assert not await store.drop_letter("l1")
        assert (await store.counts())["outbox"] == 2

    async def test_a_revived_letter_can_die_again(self, store: Store) -> None:
        await self.post(store, letter("l1", turn="t1"))
        for _ in range(2):
            await store.settle(await self.letter_head(store), "expired")
            assert [one.id for one, _ in await store.dead(bot=BOT)] == ["l1"]
            assert await store.revive("l1", 5.0)

        await store.settle(await self.letter_head(store), "delivered")
        assert (await store.counts())["dead"] == 0

    async def test_a_dropped_letter_is_gone_and_its_id_stays_known(self, store: Store) -> None:
        await self.post(store, letter("l1"))
        claim = await self.letter_head(store)
        await store.plan(claim, _PENDING)
        await store.settle(claim, "dropped")

        assert [await store.drop_letter("l1") for _ in range(2)] == [True, False]

        assert await store.dead() == ()
        assert await store.dead_letter("l1") is None
        assert not await store.revive("l1", 1.0)
        await self.post(store, letter("l1"))
        assert (await store.counts())["outbox"] == 0

    async def test_old_dead_letters_are_trimmed_and_revived_ones_are_not(
        self, store: Store, clock: ManualClock
    ) -> None:
        await self.post(store, letter("l1"), letter("l2", lane=f"{BOT}/2"))
        for claim in await store.claim_letters("worker", bots=[BOT], limit=2, lease=LEASE):
            await store.plan(claim, _PENDING)
            await store.settle(claim, "expired")
        await store.revive("l2", 1.0)
        await self.pass_time(clock, 100.0)

        await store.trim(clock.time() - 50.0)

        assert await store.dead_letter("l1") is None
        claim = await self.letter_head(store)
        assert (claim.letter.id, claim.parts) == ("l2", _PENDING)

    async def test_wait_returns_at_once_when_a_letter_was_posted_since_the_last_claim(
        self, store: Store
    ) -> None:
        await store.put([entry()])
        claim = await self.head(store)
        assert await store.claim_letters("worker", bots=[BOT], limit=10, lease=LEASE) == ()
        await store.commit(claim, Commit(letters=(letter("l1"), letter("l2"))))

        async with asyncio.timeout(5):
            await store.wait(60)
            first = await self.letter_head(store)
            await store.settle(first, "delivered")
            await store.wait(60)
            second = await self.letter_head(store)
            await store.retry_letter(second, delay=0)
            await store.wait(60)

        assert (await self.letter_head(store)).letter.id == "l2"
