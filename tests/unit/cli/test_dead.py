"""What operators are told of dead letters, whatever is left of them, and what is done about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.abc.store import Commit, Entry, Letter, LetterState, PartRow
from gateway.admin.dead import Picked, find, listed, work
from gateway.admin.obituaries import as_dict, line_of, story
from gateway.delivery import Mail, fold
from gateway.errors import LastwordError
from gateway.messages import Answer, Inbound, Note, Person, Place
from gateway.session.record import Record, row
from gateway.stores.memory import MemoryStore
from gateway.testing.clock import ManualClock

SECRET = "sk-live-abcdefghijklmnop0123456789"
BOTS = frozenset({"support"})
_WHOLE = fold(Mail(Place("7", "topic"), Answer(f"the key is {SECRET}", Note("a note", "max_steps"))))


class _Office:
    """A store with dead letters in it."""

    def __init__(self) -> None:
        self.clock = ManualClock(1_800_000_000.0)
        self.store = MemoryStore(clock=self.clock)

    async def bury(
        self,
        name: str,
        *,
        body: bytes = _WHOLE,
        queue: str = "support",
        lane: str = "support/7",
        state: LetterState = "undeliverable",
        record: Record | bytes | None = None,
        parts: tuple[PartRow, ...] = (),
    ) -> None:
        """Let a letter die."""
        await self.store.put([Entry(queue, f"{lane}.in", (), b"", 0.0)])
        (entry,) = await self.store.claim("t", bots=[queue], limit=1, lease=60.0)
        letter = Letter(name, queue, lane, name if record is not None else "", body, self.clock.time())
        await self.store.commit(entry, Commit(letters=(letter,)))
        (claim,) = await self.store.claim_letters("t", bots=[queue], limit=1, lease=60.0)
        if parts:
            await self.store.plan(claim, parts)
        known = None if record is None else row(_record(name) if isinstance(record, bytes) else record)
        if known is not None and isinstance(record, bytes):
            known = replace(known, body=record)
        await self.store.settle(claim, state, turn=known)
        self.clock.advance(60)


def _record(name: str, **facts: object) -> Record:
    inbound = Inbound("message", Place("7"), Person("ada", "Ada"), f"tell me {SECRET}", message_id="1")
    record = Record(
        id=name, ref=f"R{name}", bot="support", lane="support/7", entry=1, inbound=inbound, at=1.0
    )
    record.state, record.delivery, record.failure = "undeliverable", "undeliverable", f"403 token={SECRET}"
    record.completion = {"reason": "max_steps", "site": "agent.reply"}
    for fact, value in facts.items():
        setattr(record, fact, value)
    return record


async def test_letter_with_everything_is_told_without_secrets_or_texts() -> None:
    office = _Office()
    parts = (PartRow("sent", b"", b"1"), PartRow("skipped", b"", b"400"), PartRow("pending", b""))
    await office.bury("t1", record=_record("t1"), parts=parts)
    dead = await find(office.store, "t1")

    for told in (line_of(dead), story(dead), str(as_dict(dead)), story(dead, text=True)):
        assert SECRET not in told
    assert "the key is" not in story(dead)
    assert "the key is ***" in story(dead, text=True)
    assert "1 of 3 sent, 1 skipped" in story(dead)
    facts = as_dict(dead)
    assert (facts["chat"], facts["thread"], facts["person"], facts["name"]) == ("7", "topic", "ada", "Ada")
    assert (facts["code"], facts["ref"], facts["state"]) == ("max_steps@agent.reply", "Rt1", "undeliverable")


async def test_what_a_terminal_would_obey_is_not_shown() -> None:
    office = _Office()
    record = _record("t1", failure="bad\x1b[2J")
    record.inbound = replace(
        record.inbound, sender=Person("ada", "A\x9b31mda"), text="\x1b]0;title\x07 hi\nthere"
    )
    await office.bury("t1", record=record)
    dead = await find(office.store, "t1")

    told = f"{line_of(dead)}{story(dead, text=True)}{as_dict(dead, text=True)}"

    assert not {"\x1b", "\x07", "\x9b"} & set(told)
    assert " hi\nthere" in told


async def test_many_problems_are_told_in_short() -> None:
    office = _Office()
    for number in range(25):
        await office.bury(f"t{number}", queue="sales", lane=f"sales/{number}")

    done = await work(office.store, "requeue", Picked(), bots=BOTS, clock=office.clock)

    assert (len(done.problems), done.problems[-1]) == (21, "… and 5 more like these.")


@pytest.mark.parametrize("body", [b"\xff", b'{"inbound": {"place": {"chat": "9"}, "sender": {"id": "bob"}}}'])
@pytest.mark.parametrize("name", ["t1", "in.1"])
async def test_letter_of_which_little_is_left_is_told_all_the_same(name: str, body: bytes) -> None:
    office = _Office()
    await office.bury(name, body=body, state="dropped")
    dead = await find(office.store, name)

    assert name in line_of(dead)
    assert "cannot be read" in story(dead, text=True)
    expected = "9" if name == "in.1" and body != b"\xff" else ""
    assert as_dict(dead, text=True)["chat"] == expected


async def test_letter_whose_record_cannot_be_read_is_told_and_can_be_requeued() -> None:
    office = _Office()
    await office.bury("t1", record=b"not ours")
    dead = await find(office.store, "t1")

    assert (dead.record, as_dict(dead)["chat"]) == (None, "7")
    done = await work(office.store, "requeue", Picked("t1"), bots=BOTS, clock=office.clock)

    assert done.count == 1
    assert (await office.store.counts())["outbox"] == 1


async def test_requeued_letter_begins_its_time_anew_and_its_turn_is_owed() -> None:
    office = _Office()
    await office.bury("t1", record=_record("t1"))
    await office.store.set("gone/support/7:topic", b"1.0")

    await work(office.store, "requeue", Picked("Rt1"), bots=BOTS, clock=office.clock)

    (claim,) = await office.store.claim_letters("t", bots=["support"], limit=1, lease=60.0)
    turn = await office.store.turn("t1")
    assert claim.letter.at == office.clock.time()
    assert turn is not None
    assert turn.state == "finished"
    assert await office.store.scan("gone/") == ()


async def test_all_are_requeued_oldest_first_and_those_of_lost_bots_stay() -> None:
    office = _Office()
    for name in ("t1", "t2"):
        await office.bury(name, record=_record(name))
    await office.bury("t3", queue="sales", lane="sales/7")

    done = await work(office.store, "requeue", Picked(), bots=BOTS, clock=office.clock)

    (first,) = await office.store.claim_letters("t", bots=["support", "sales"], limit=9, lease=60.0)
    assert (done.count, first.letter.id) == (2, "t1")
    assert "'sales', which there is not any more" in done.problems[0]
    assert [dead.letter.id for dead in await listed(office.store)] == ["t3"]


async def test_letters_of_a_bot_are_found_under_every_name_its_work_waits_under() -> None:
    office = _Office()
    await office.bury("t1", queue="support#1")
    await office.bury("t2", queue="support!", lane="support!/7")
    await office.bury("t3", queue="sales", lane="sales/7")

    found = await listed(office.store, bot="support")

    assert [(dead.letter.id, dead.bot) for dead in found] == [("t2", "support"), ("t1", "support")]
    assert [dead.letter.id for dead in await listed(office.store, bot="support", limit=1)] == ["t2"]


async def test_message_that_was_never_read_goes_back_to_the_inbox_once() -> None:
    office = _Office()
    await office.bury("in.1", body=b"{}", state="dropped")

    done = [await work(office.store, "requeue", Picked(), bots=BOTS, clock=office.clock) for _ in range(2)]

    (claim,) = await office.store.claim("t", bots=["support"], limit=9, lease=60.0)
    assert [one.count for one in done] == [1, 0]
    assert (claim.lane, claim.body, claim.at) == ("support/7", b"{}", office.clock.time())


async def test_old_letters_alone_are_dropped() -> None:
    office = _Office()
    await office.bury("t1")
    office.clock.advance(1000)
    await office.bury("t2")

    done = await work(office.store, "drop", Picked(older=500.0), bots=BOTS, clock=office.clock)

    assert done.count == 1
    assert [dead.letter.id for dead in await listed(office.store)] == ["t2"]


@pytest.mark.parametrize("what", ["requeue", "drop"])
async def test_letter_that_is_not_dead_is_not_known(what: str) -> None:
    office = _Office()

    with pytest.raises(LastwordError, match="No dead letter is called 'K7Q2M'"):
        await work(
            office.store,
            "requeue" if what == "requeue" else "drop",
            Picked("K7Q2M"),
            bots=BOTS,
            clock=office.clock,
        )


async def test_requeueing_twice_does_nothing_the_second_time() -> None:
    office = _Office()
    await office.bury("t1", record=_record("t1"))

    done = [
        await work(office.store, "requeue", Picked("t1"), bots=BOTS, clock=office.clock) for _ in range(2)
    ]

    assert [one.count for one in done] == [1, 0]
    assert "nothing to do" in done[1].problems[0]
    assert (await office.store.counts())["outbox"] == 1
