"""What is told of answers that came late, twice or never."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.abc.store import LetterClaim, LetterState, PartRow
from gateway.delivery import Outlet, Result, unfold
from gateway.messages import Inbound, Person, Place
from gateway.notes import NoteSettings
from gateway.session import Afterwards
from gateway.session.alerts import Alerts, Watch
from gateway.session.record import Record, read, row
from gateway.testing.clock import ManualClock
from tests.unit.session.scene import ADA, BOB, Answering, QuietAdapter, Scene, reply

ANSWERS = [reply(f"answer {n}") for n in range(9)]
OWNER = "99"
LOST = "I could not deliver an earlier answer"


class _Office:
    """A scene with a way out whose letters end as the test says."""

    def __init__(self, *, notes: NoteSettings | None = None) -> None:
        self.clock = ManualClock(1_800_000_000.0)
        self.scene = Scene(Answering(ANSWERS), clock=self.clock, notes=notes or NoteSettings(surface=True))
        self.outlet = Outlet("bot", "test", QuietAdapter(), late_after=300.0)
        self.alerts = Alerts(self.scene.store, clock=self.clock, watch=lambda: Watch("bot", OWNER))
        self.afterwards = Afterwards(
            self.scene.store,
            bots=lambda: {"bot": self.scene.bot},
            clock=self.clock,
            metrics=self.scene.metrics,
            alerts=self.alerts,
        )

    async def owed(self) -> list[LetterClaim]:
        """Letters that are due."""
        return list(await self.scene.store.claim_letters("test", bots=["bot", "bot!"], limit=16, lease=60.0))

    async def end(self, state: LetterState, *, gone: bool = False, lane: str = "") -> None:
        """Let every letter that is owed end so, or those of a lane."""
        for claim in await self.owed():
            if lane not in ("", claim.letter.lane):
                await self.scene.store.retry_letter(claim, delay=0)
                continue
            result = Result(state, status="403", gone=gone)
            after = await self.afterwards.closed(self.outlet, claim, state, result)
            await self.scene.store.settle(claim, state, turn=after.turn, facts=after.facts)

    async def handle_all(self) -> None:
        """Take everything that waits to its end."""
        while claims := await self.scene.store.claim("t", bots=["bot", "bot!"], limit=9, lease=60.0):
            for claim in claims:
                await self.scene.manager.handle(claim)

    async def notes(self) -> list[str]:
        """The notes that are owed now."""
        await self.handle_all()
        mails = await self.scene.mail()
        return [
            mail.answer.note.text
            for mail in mails
            if mail.answer.note is not None and mail.place.chat != OWNER
        ]

    async def last(self) -> Record:
        """The newest record."""
        turn, *_ = await self.scene.store.turns(limit=1)
        return read(turn)


@pytest.mark.parametrize("state", ["expired", "undeliverable"])
async def test_lost_answer_is_told_to_whoever_writes_next_in_its_conversation_alone(
    state: LetterState,
) -> None:
    office = _Office()
    await office.scene.say("hello")
    await office.end(state)
    office.clock.advance(60)

    await office.scene.say("elsewhere", chat="2")
    elsewhere = await office.notes()
    await office.scene.say("hello again")
    (told,) = await office.notes()
    await office.scene.say("and again")
    after = await office.notes()

    assert LOST in told
    assert (elsewhere, after) == ([], [])


async def test_what_was_said_before_the_answer_was_lost_is_no_new_contact() -> None:
    office = _Office()
    await office.scene.say("hello")
    await office.scene.put(Inbound("message", Place("1"), ADA, "and this", message_id="m9"))
    office.clock.advance(60)
    await office.end("undeliverable")

    early = await office.notes()
    office.clock.advance(60)
    await office.scene.say("back again")

    assert early == []
    assert len(await office.notes()) == 1


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (NoteSettings(surface=True, never_silent=False), 1),
        (NoteSettings(surface=False, never_silent=True), 1),
        (NoteSettings(surface=False, never_silent=False), 0),
    ],
)
async def test_lost_answer_is_told_where_anything_is(notes: NoteSettings, told: int) -> None:
    office = _Office(notes=notes)
    await office.scene.say("hello")
    await office.end("expired")
    office.clock.advance(60)
    await office.scene.say("hello again")

    assert len(await office.notes()) == told


async def test_word_of_a_lost_answer_that_is_lost_too_is_told_at_the_contact_after() -> None:
    """It still speaks of the first question, and offers to try that again."""
    office = _Office()
    first = await office.scene.say("hello")
    await office.end("expired")
    office.clock.advance(60)
    await office.scene.say("hello again")
    await office.handle_all()
    await office.end("delivered", lane="bot/1")
    await office.end("expired", lane="bot!/1")
    office.clock.advance(60)
    await office.scene.say("third time")
    await office.handle_all()

    (word,) = [one.answer for one in await office.scene.mail() if one.answer.actions]

    assert word.note is not None
    assert LOST in word.note.text
    await office.scene.press(office.scene.token(word, "retry"))
    assert office.scene.agent.requests[-1].text == "hello"
    assert (await office.last()).parent == first.id


@pytest.mark.parametrize("state", ["expired", "undeliverable", "dropped"])
async def test_command_that_was_not_answered_is_nothing_to_come_back_to(state: LetterState) -> None:
    office = _Office()
    await office.scene.command("whoami")
    await office.end(state)
    office.clock.advance(60)
    await office.scene.say("hello")

    assert [LOST in note for note in await office.notes()] == ([True] if state == "dropped" else [])


async def test_whoever_asks_why_is_told_that_the_last_answer_was_lost() -> None:
    office = _Office()
    record = await office.scene.say("hello")
    await office.end("expired")

    await office.scene.command("why")
    await office.handle_all()

    answers = [mail.answer for mail in await office.scene.mail() if mail.place.chat != OWNER]
    (note,) = [answer.note for answer in answers if answer.note is not None]
    assert LOST in note.text
    assert note.reference == f"Ref {record.ref}"


async def test_reference_of_a_lost_answer_is_left_out_where_none_is_wanted() -> None:
    office = _Office(notes=NoteSettings(surface=True, reference="never"))
    await office.scene.say("hello")
    await office.end("expired")
    office.clock.advance(60)
    await office.scene.say("hello again")
    await office.handle_all()

    (word,) = [one.answer for one in await office.scene.mail() if one.answer.actions]

    assert word.note is not None
    assert word.note.reference == ""


async def test_answer_that_arrives_in_the_end_is_not_told_of() -> None:
    office = _Office()
    record = await office.scene.say("hello")
    await office.end("expired")
    turn = await office.scene.store.turn(record.id)
    assert turn is not None
    await office.scene.store.revive(record.id, office.clock.time(), turn=turn)
    await office.end("delivered")
    office.clock.advance(60)
    await office.scene.say("hello again")

    assert await office.notes() == []
    assert await office.scene.store.scan("lost/") == ()


async def test_retry_of_a_lost_answer_belongs_to_whoever_asked() -> None:
    office = _Office()
    await office.scene.say("hello", chat="7", by=ADA)
    await office.end("expired")
    office.clock.advance(60)
    await office.scene.say("I am another", chat="7", by=BOB)
    await office.handle_all()
    (word,) = [one.answer for one in await office.scene.mail() if one.answer.actions]
    token = office.scene.token(word, "retry")

    await office.scene.press(token, by=BOB, chat="7")
    refused = await office.scene.mail()
    await office.scene.press(token, by=ADA, chat="7")
    again = await office.scene.mail()

    assert refused == []
    assert again[0].answer.text.startswith("answer")
    assert office.scene.agent.requests[-1].text == "hello"


async def test_retry_of_a_lost_answer_that_acted_asks_first() -> None:
    office = _Office()
    record = await office.scene.say("hello")
    turn = await office.scene.store.turn(record.id)
    assert turn is not None
    record.actions = ["send_report"]
    (claim,) = await office.owed()
    await office.scene.store.settle(claim, "expired", turn=replace(turn, body=_body(record)))
    office.clock.advance(60)
    await office.scene.store.set("lost/bot/1", record.id.encode())
    await office.scene.say("hello again")
    await office.handle_all()
    (word,) = [one.answer for one in await office.scene.mail() if one.answer.actions]

    await office.scene.press(office.scene.token(word, "retry"))

    (asked,) = await office.scene.mail()
    assert [action.kind for action in asked.answer.actions] == ["confirm_retry", "dismiss"]


async def test_record_that_cannot_be_read_is_told_of_by_nobody_and_forgotten() -> None:
    office = _Office()
    record = await office.scene.say("hello")
    turn = await office.scene.store.turn(record.id)
    assert turn is not None
    (claim,) = await office.owed()
    await office.scene.store.settle(claim, "expired", turn=replace(turn, body=b"not ours"))
    await office.scene.store.set("lost/bot/1", record.id.encode())
    office.clock.advance(60)
    await office.scene.say("hello again")

    assert await office.notes() == []
    assert await office.scene.store.get("lost/bot/1") is None


@pytest.mark.parametrize(
    ("said", "accepted", "left", "late"),
    [
        (0.0, 0.0, 299.0, False),
        (0.0, 0.0, 301.0, True),
        (0.0, 301.0, 0.0, True),
        (0.0, 200.0, 99.0, False),
        (0.0, 200.0, 101.0, True),
    ],
)
async def test_answer_is_late_by_its_way_here_and_its_wait_to_leave(
    said: float, accepted: float, left: float, *, late: bool
) -> None:
    office = _Office()
    at = office.clock.time() + said
    office.clock.advance(accepted)
    await office.scene.do(Inbound("message", Place("1"), ADA, "hello", message_id="m77", at=at))
    office.clock.advance(left)
    (claim,) = await office.owed()

    mail = await office.afterwards.leaving(office.outlet, claim, unfold(claim.letter.body))

    answer = mail.answer
    assert bool(answer.lead) is late
    assert (answer.reply_to, len(answer.actions)) == (("m77", 1) if late else ("", 0))


async def test_message_that_waited_for_a_gateway_to_run_is_late() -> None:
    office = _Office()
    await office.scene.put(Inbound("message", Place("1"), ADA, "hello", message_id="m1"))
    office.clock.advance(400)
    office.scene.connect(office.scene.store)  # as after a restart
    await office.handle_all()
    (claim,) = await office.owed()

    mail = await office.afterwards.leaving(office.outlet, claim, unfold(claim.letter.body))

    assert mail.answer.lead.startswith("⏳ This answer is late")


async def test_long_work_and_long_queues_are_not_called_an_outage() -> None:
    office = _Office()
    await office.scene.put(Inbound("message", Place("1"), ADA, "hello", message_id="m1"))
    office.clock.advance(400)
    await office.handle_all()
    (claim,) = await office.owed()

    assert not (await office.afterwards.leaving(office.outlet, claim, unfold(claim.letter.body))).answer.lead


async def test_nothing_is_called_late_or_doubled_where_endings_are_not_told() -> None:
    office = _Office(notes=NoteSettings(surface=False))
    await office.scene.say("hello")
    office.clock.advance(9_000)
    (claim,) = await office.owed()
    mail = unfold(claim.letter.body)

    assert await office.afterwards.leaving(office.outlet, claim, mail) is mail
    assert await office.afterwards.twice(office.outlet, claim) is None


async def test_doubled_answer_is_told_in_the_language_of_its_person() -> None:
    office = _Office()
    await office.scene.say("hallo", by=Person("ada", language="de"))
    (claim,) = await office.owed()

    note = await office.afterwards.twice(office.outlet, claim)

    assert note is not None
    assert note.text.startswith("⏳ Diese Antwort erscheint vielleicht doppelt")
    assert (note.language, note.direction) == ("de", "ltr")


async def test_late_answer_of_an_unreadable_record_goes_as_it_is() -> None:
    office = _Office()
    await office.scene.say("hello")
    office.clock.advance(9_000)
    (claim,) = await office.owed()
    lost = LetterClaim(replace(claim.letter, turn="t999"), claim.token, 1, (PartRow("pending", b""),))
    mail = unfold(claim.letter.body)

    assert await office.afterwards.leaving(office.outlet, lost, mail) is mail
    assert await office.afterwards.twice(office.outlet, lost) is None


async def test_possible_duplicate_counts_as_such_only_where_it_arrived() -> None:
    office = _Office()
    await office.scene.say("hello")
    (claim,) = await office.owed()

    await office.afterwards.closed(office.outlet, claim, "expired", Result("expired", duplicate=True))

    metrics = office.scene.metrics.render().decode()
    assert 'lastword_deliveries_total{bot="bot",result="expired"} 1.0' in metrics
    assert "maybe_duplicate" not in metrics


@pytest.mark.parametrize(
    ("state", "gone", "noted", "told"),
    [
        ("expired", False, False, True),
        ("undeliverable", False, False, True),
        ("undeliverable", True, False, False),
        ("undeliverable", True, True, True),
        ("dropped", False, False, True),
    ],
)
async def test_owner_is_told_of_every_loss_but_of_plain_answers_to_who_left(
    state: LetterState, *, gone: bool, noted: bool, told: bool
) -> None:
    office = _Office()
    office.scene.agent._answer = [reply("half", "max_steps" if noted else "")]  # pyright: ignore[reportPrivateUsage]
    await office.scene.say("hello")

    await office.end(state, gone=gone)

    alerts = await office.scene.store.scan("alert/")
    assert [key for key, _ in alerts] == (["alert/bot/delivery"] if told else [])


def _body(record: Record) -> bytes:
    return row(record).body
