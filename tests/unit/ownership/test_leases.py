"""Processes that share a store agree on who speaks for a bot."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.errors import Uncertain, Unreachable
from gateway.messages import Answer, Part, Place, Receipt
from gateway.ownership import Stake, queue_name
from tests.unit.ownership.scene import TTL, scene
from tests.unit.session.scene import QuietAdapter

HERE = Place("chat")


async def test_one_of_two_holds_a_bot_and_the_other_knows_who() -> None:
    async with scene() as found:
        one, other = found.process(), found.process()
        await found.clock.move(2.0)

        assert one.held == {"bot"}
        assert other.held == set()
        assert (one.leases.why_not("bot"), other.leases.why_not("bot")) == ("", "held by process-0")
        assert not one.leases.alone()


async def test_bot_is_held_on_for_as_long_as_its_process_lives() -> None:
    async with scene() as found:
        one, _ = found.process(), found.process()
        await found.clock.move(5 * TTL)

        assert one.held == {"bot"}
        assert one.changes == ["+bot"]


async def test_lease_that_runs_out_while_it_is_about_to_be_renewed_ends_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a process that was frozen: all that was due meanwhile comes at once."""
    together = asyncio.gather
    async with scene() as found:
        one = found.process()
        await found.clock.move(2.0)

        def frozen(*renewals: Any, **named: Any) -> Any:
            begun = together(*renewals, **named)
            if one.changes == ["+bot"]:
                found.clock.now += 3 * TTL
                one.leases.expire()
            return begun

        monkeypatch.setattr(asyncio, "gather", frozen)
        await found.clock.move(2 * TTL)

        assert one.changes == ["+bot", "-bot", "+bot"]
        assert one.held == {"bot"}


async def test_bot_of_a_process_that_died_is_taken_within_the_lease() -> None:
    async with scene() as found:
        one, other = found.process(), found.process()
        await found.clock.move(2.0)
        await one.die()
        await found.clock.move(TTL + 0.6)

        assert other.held == {"bot"}
        assert one.held == set()


async def test_bot_that_is_given_back_is_taken_at_once() -> None:
    async with scene() as found:
        one, other = found.process(), found.process()
        await found.clock.move(2.0)
        leaving = asyncio.create_task(one.leases.leave())
        await found.clock.move(1.2)

        assert leaving.done()
        assert one.changes == ["+bot", "-bot"]
        assert other.held == {"bot"}


async def test_process_that_leaves_holds_a_bot_until_its_work_is_done() -> None:
    async with scene() as found:
        one, other = found.process(), found.process()
        await found.clock.move(2.0)
        one.working = {"bot"}
        leaving = asyncio.create_task(one.leases.leave())
        await found.clock.move(3 * TTL)
        held = (one.held, other.held)
        one.working = set()
        await found.clock.move(1.2)

        assert held == ({"bot"}, set())
        assert leaving.done()
        assert other.held == {"bot"}


async def test_store_out_of_reach_is_borne_until_the_lease_ends_here() -> None:
    async with scene() as found:
        one = found.process()
        await found.clock.move(2.0)
        found.store.broken = True
        await found.clock.move(TTL / 2 - 0.5)
        held = one.leases.holds("bot")
        await found.clock.move(TTL / 2)

        assert held
        assert not one.leases.holds("bot")
        assert one.changes == ["+bot", "-bot"]


async def test_bot_is_held_again_once_the_store_is_back() -> None:
    async with scene() as found:
        one = found.process()
        await found.clock.move(2.0)
        found.store.broken = True
        await found.clock.move(2 * TTL)
        found.store.broken = False
        await found.clock.move(1.0)

        assert one.changes == ["+bot", "-bot", "+bot"]


async def test_call_is_let_through_only_while_the_lease_holds() -> None:
    async with scene() as found:
        one = found.process()
        adapter = one.leases.fenced(QuietAdapter(), "bot")
        (part,) = adapter.render(Answer("hi"), key="k")
        with pytest.raises(Unreachable):
            await adapter.send(HERE, part)
        await found.clock.move(1.0)
        await adapter.send(HERE, part)
        await one.die()
        found.clock.now += TTL

        with pytest.raises(Unreachable):
            await adapter.send(HERE, part)
        with pytest.raises(Unreachable):
            await adapter.typing(HERE)
        with pytest.raises(Unreachable):
            await adapter.preview(HERE, "hi", turn="t")
        with pytest.raises(Unreachable):
            await adapter.retract(HERE, "handle")
        with pytest.raises(Unreachable):
            await adapter.disarm(HERE, "message")


class _Slow(QuietAdapter):
    """An adapter that waits before it sends."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()
        self.sent = 0

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send once it is let."""
        await self.go_on.wait()
        self.sent += 1
        return await super().send(place, part, replaces=replaces, plain=plain)


async def test_call_that_waits_when_the_lease_ends_is_cut_off() -> None:
    async with scene() as found:
        one, slow = found.process(), _Slow()
        adapter = one.leases.fenced(slow, "bot")
        (part,) = adapter.render(Answer("hi"), key="k")
        await found.clock.move(1.0)
        sending = asyncio.create_task(adapter.send(HERE, part))
        await asyncio.sleep(0.01)
        found.store.broken = True
        await found.clock.move(TTL)
        slow.go_on.set()

        with pytest.raises(Uncertain):
            await sending
        assert slow.sent == 0


async def test_call_goes_on_while_its_lease_is_renewed() -> None:
    async with scene() as found:
        one, slow = found.process(), _Slow()
        adapter = one.leases.fenced(slow, "bot")
        (part,) = adapter.render(Answer("hi"), key="k")
        await found.clock.move(1.0)
        sending = asyncio.create_task(adapter.send(HERE, part))
        await found.clock.move(3 * TTL)
        slow.go_on.set()
        await sending

        assert slow.sent == 1


async def test_bots_spread_when_a_process_joins_and_stay_where_they_are() -> None:
    stakes = {f"bot{number}": Stake("same") for number in range(7)}
    async with scene() as found:
        one = found.process(stakes)
        await found.clock.move(TTL)
        alone = len(one.held)
        other, third = found.process(stakes), found.process(stakes)
        await found.clock.move(12 * TTL)
        counts = sorted(len(process.held) for process in found.processes)
        changes = [list(process.changes) for process in found.processes]
        await found.clock.move(20 * TTL)

        assert alone == 7
        assert counts == [2, 2, 3]
        assert [process.changes for process in found.processes] == changes
        assert sum(map(len, (one.changes, other.changes, third.changes))) <= 7 + 2 * 7
        assert found.everything_held_once()


async def test_busy_bot_is_not_given_away() -> None:
    stakes = {name: Stake("same") for name in ("a", "b")}
    async with scene() as found:
        one = found.process(stakes)
        await found.clock.move(1.0)
        one.working = {"a"}
        other = found.process(stakes)
        await found.clock.move(5 * TTL)

        assert (one.held, other.held) == ({"a"}, {"b"})


async def test_older_configuration_stands_by_for_a_newer_one() -> None:
    """It is told once, and nothing goes back and forth."""
    async with scene() as found:
        old = found.process({"bot": Stake("old", files=1.0)})
        await found.clock.move(1.0)
        new = found.process({"bot": Stake("new", files=2.0)})
        also_old = found.process({"bot": Stake("old", files=1.0)})
        await found.clock.move(3 * TTL)
        before = (old.held, new.held)
        await found.leave(old)
        await found.clock.move(2 * TTL)

        assert before == ({"bot"}, set())
        assert new.held == {"bot"}
        assert also_old.held == set()
        assert also_old.leases.why_not("bot") == "replica process-1 has a newer configuration of it"
        assert also_old.changes == []


async def test_older_configuration_takes_over_once_the_newer_one_has_left() -> None:
    """So a deploy that is taken back works, whatever the times of its files."""
    async with scene() as found:
        new = found.process({"bot": Stake("new", files=2.0)})
        old = found.process({"bot": Stake("old", files=1.0)})
        await found.clock.move(2.0)
        await found.leave(new)
        await found.clock.move(1.0)

        assert old.held == {"bot"}


async def test_older_configuration_waits_a_while_for_a_newer_one_that_died() -> None:
    async with scene() as found:
        new = found.process({"bot": Stake("new", files=2.0)})
        old = found.process({"bot": Stake("old", files=1.0)})
        await found.clock.move(2.0)
        await new.die()
        await found.clock.move(4 * TTL)
        waited = old.held
        await found.clock.move(3 * TTL)

        assert waited == set()
        assert old.held == {"bot"}


async def test_newer_configuration_takes_over_from_an_older_one_that_died() -> None:
    async with scene() as found:
        old = found.process({"bot": Stake("old", read=1.0)})
        new = found.process({"bot": Stake("new", read=2.0)})
        await found.clock.move(2.0)
        await old.die()
        await found.clock.move(TTL + 0.6)

        assert new.held == {"bot"}


async def test_partitions_are_spread_and_each_held_once() -> None:
    stakes = {"bot": Stake("same", partitions=4)}
    async with scene() as found:
        one, other = found.process(stakes), found.process(stakes)
        await found.clock.move(8 * TTL)

        assert len(one.held) == len(other.held) == 2
        assert one.held | other.held == {queue_name("bot", number) for number in range(4)}


async def test_other_number_of_partitions_waits_until_the_bot_is_held_nowhere() -> None:
    async with scene() as found:
        old = found.process({"bot": Stake("old", files=1.0, partitions=2)})
        await found.clock.move(2.0)
        new = found.process({"bot": Stake("new", files=2.0, partitions=3)})
        await found.clock.move(2 * TTL)
        before = (len(old.held), new.held)
        await found.leave(old)
        await found.clock.move(TTL)

        assert before == (2, set())
        assert len(new.held) == 3


async def test_work_under_a_former_name_falls_to_a_partition_that_is_there() -> None:
    async with scene() as found:
        before = found.process({"bot": Stake("old", files=1.0, partitions=4)})
        await found.clock.move(2.0)
        await found.leave(before)
        now = found.process({"bot": Stake("new", files=2.0, partitions=1)})
        await found.clock.move(2.0)

        assert now.leases.queues("bot") == ("bot", "bot#1", "bot#2", "bot#3")
        assert now.leases.holds("bot#3")
        assert now.leases.queue_of("bot", HERE) == "bot"


async def test_chat_keeps_its_partition_when_the_platform_renames_it() -> None:
    async with scene() as found:
        one = found.process({"bot": Stake("same", partitions=32)})

        assert one.leases.queue_of("bot", Place("new", formerly="old")) == one.leases.queue_of(
            "bot", Place("old")
        )


async def test_bot_that_is_configured_no_more_is_given_back() -> None:
    async with scene() as found:
        one = found.process()
        await found.clock.move(1.0)
        one.stakes.clear()
        await found.clock.move(2.0)

        assert one.held == set()
        assert one.changes == ["+bot", "-bot"]
