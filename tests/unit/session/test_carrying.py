"""A gateway that rewrites what a later version wrote keeps what it does not know of it."""

from __future__ import annotations

import dataclasses
from typing import Any, cast, get_args, get_type_hints

import msgspec
import pytest

from gateway.abc.store import Claim, Commit, Entry, Turn
from gateway.messages import (
    ActionKind,
    Attachment,
    Direction,
    Event,
    Inbound,
    InboundKind,
    Part,
    Person,
    Place,
)
from gateway.session import offers
from gateway.session.carrying import FORM
from gateway.session.envelope import seal, unseal
from gateway.session.fading import fade_records
from gateway.session.record import Attempt, Record, Remedied, open_record, read, row
from gateway.stores.memory import MemoryStore

SAID = Inbound("message", Place("1"), Person("7"), "hello", attachments=(Attachment("f", "image"),))
CLAIM = Claim(5, "support", "support/1", "token", 1, b"", 10.0)


def later_record() -> dict[str, Any]:
    """A record as a later version writes it."""
    record = open_record(CLAIM, SAID, bot="support")
    record.attempts = [Attempt(number=1, at=11.0)]
    record.remedies = [Remedied(kind="retry", after="error")]
    body = cast("dict[str, Any]", msgspec.json.decode(row(record).body))
    body |= {"form": FORM + 1, "mood": {"of": [1, 2.5, None]}}
    body["inbound"]["quoted"] = "before"
    body["inbound"]["place"]["room"] = "kitchen"
    body["inbound"]["attachments"][0]["pages"] = 3
    body["attempts"][0]["cost"] = 0.25
    body["remedies"][0]["tried"] = ["a"]
    return body


def stored(body: dict[str, Any]) -> Turn:
    """The row of it."""
    record = open_record(CLAIM, SAID, bot="support")
    return dataclasses.replace(row(record), body=msgspec.json.encode(body))


def rewritten(turn: Turn) -> dict[str, Any]:
    """What a row holds once it was read, changed and written."""
    record = read(turn)
    record.state, record.delivery = "delivered", "delivered"
    record.attempts.append(Attempt(number=2, at=12.0))
    record.attempts[0].ended = 11.5
    return cast("dict[str, Any]", msgspec.json.decode(row(record).body))


def test_record_keeps_what_a_later_version_wrote() -> None:
    body = later_record()

    found = rewritten(stored(body))

    expected = body | {"state": "delivered", "delivery": "delivered"}
    expected["attempts"] = [
        {"number": 1, "at": 11.0, "cost": 0.25, "ended": 11.5},
        {"number": 2, "at": 12.0},
    ]
    assert found == expected
    assert (
        rewritten(dataclasses.replace(stored(body), body=msgspec.json.encode(found)))["mood"] == body["mood"]
    )


@pytest.mark.parametrize("where", ["mood", "attempts", "remedies"])
def test_field_of_the_record_is_noticed_without_a_higher_form(where: str) -> None:
    body = later_record() | {"form": 0}
    known = msgspec.json.decode(row(open_record(CLAIM, SAID, bot="support")).body)
    only = known | {where: body[where]}

    found = msgspec.json.decode(row(read(stored(only))).body)

    assert found[where] == only[where]


def test_remedies_of_another_attempt_take_nothing_from_those_before() -> None:
    record = read(stored(later_record()))
    record.remedies = [Remedied(kind="fallback", after="error")]

    found = msgspec.json.decode(row(record).body)

    assert found["remedies"] == [{"kind": "fallback", "after": "error"}]


def test_record_of_today_is_written_as_ever() -> None:
    record = open_record(CLAIM, SAID, bot="support")
    record.problem = "half of a pair: \ud800"

    assert type(read(row(record))) is Record
    assert (b'"form"' in row(record).body) == bool(FORM)


@pytest.mark.parametrize("body", [{"id": "t5"}, {"mood": 1}, {"id": 5, "mood": 1}, []])
def test_row_of_something_else_stays_unreadable(body: object) -> None:
    turn = dataclasses.replace(stored({}), body=msgspec.json.encode(body))

    with pytest.raises(msgspec.ValidationError):
        read(turn)


def test_inbound_of_a_later_version_goes_into_the_record_whole() -> None:
    envelope = msgspec.json.decode(seal(Event(b"", ("k",), SAID)))
    envelope |= {"form": FORM + 1, "urgent": True}
    envelope["inbound"]["quoted"] = "before"
    envelope["inbound"]["sender"]["pronouns"] = "they"

    inbound = unseal(msgspec.json.encode(envelope)).inbound
    assert inbound is not None
    record = open_record(CLAIM, dataclasses.replace(inbound, text="changed"), bot="support")
    kept = msgspec.json.decode(row(record).body)
    again = msgspec.json.decode(seal(Event(b"", ("k",), inbound)))

    assert kept["inbound"] == envelope["inbound"] | {"text": "changed"}
    assert kept["form"] == FORM + 1
    assert (again["inbound"], again["form"]) == (envelope["inbound"], FORM + 1)


async def test_words_that_a_later_version_kept_fade_with_the_others() -> None:
    """Nobody can tell whether what is not known of a record is what somebody said."""
    store = MemoryStore()
    turn = stored(later_record())
    await store.put([Entry("support", "support/1", (), b"", 10.0)])
    (claim,) = await store.claim("w", bots=["support"], limit=1, lease=60)
    await store.commit(claim, Commit(turn=turn))

    assert await fade_records(store, 100.0, pause=_at_once) == 1

    found = await store.turn(turn.id)
    assert found is not None
    assert b"quoted" not in found.body
    assert b"mood" not in found.body


async def test_offer_that_is_taken_keeps_what_a_later_version_offered() -> None:
    store = MemoryStore()
    offer = {"turn": "t1", "person": "7", "tokens": {"t1.n.0": "retry", "t1.n.1": "share"}, "until": 5}
    await store.set("offer/t1.n", msgspec.json.encode(offer))

    unknown = await offers.redeem(store, "t1.n.1", person="7", entry=9)
    taken = await offers.redeem(store, "t1.n.0", person="7", entry=9)

    assert (unknown.state, taken.state) == ("expired", "taken")
    assert msgspec.json.decode(await store.get("offer/t1.n") or b"") == offer | {"used": 9}


def test_fields_of_stored_values_are_those_of_their_form() -> None:
    """An older gateway looks for new ones only where `FORM` is higher: raise it with each."""
    known = {
        Inbound: "kind place sender text message_id at addressed command action press reply_to attachments"
        " unreadable album",
        Place: "chat thread private formerly",
        Person: "id name language bot",
        Attachment: "id kind mime name size",
    }

    found = {cls: " ".join(one.name for one in dataclasses.fields(cls)) for cls in known}

    assert (found, FORM) == (known, 0)


def test_words_of_stored_values_are_those_that_every_version_reads() -> None:
    """A new word is not read by an older gateway: one release reads it, the next one may write it."""
    part = get_type_hints(Part)["role"]

    assert get_args(InboundKind) == ("message", "command", "action", "edit")
    assert get_args(ActionKind) == ("continue", "retry", "new", "stop", "confirm_retry", "dismiss")
    assert get_args(Direction) == ("ltr", "rtl")
    assert get_args(part) == ("text", "note")


async def _at_once() -> None:
    """No pause."""
