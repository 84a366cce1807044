"""Two versions of the gateway on one store, as while replicas are renewed, read each other's records."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import msgspec

from gateway.abc.store import Claim, Turn
from gateway.messages import Event, Inbound, Person, Place
from gateway.session.envelope import seal, unseal
from gateway.session.record import Record, bare, open_record, read, row

INBOUND = Inbound(kind="message", place=Place("7"), sender=Person("11", "Ann"), text="hello")


def _fields(body: bytes) -> dict[str, object]:
    return cast("dict[str, object]", msgspec.json.decode(body))


def _record() -> Record:
    claim = Claim(1, "support", "support/7", "token", 1, b"", 1.0)
    return open_record(claim, INBOUND, bot="support")


def _with(turn: Turn, **more: object) -> Turn:
    return replace(turn, body=msgspec.json.encode(_fields(turn.body) | more))


def test_record_of_a_later_version_is_read_for_what_is_known_of_it() -> None:
    turn = row(_record())
    inbound = {**cast("dict[str, object]", _fields(turn.body)["inbound"]), "mood": "calm"}

    assert bare(read(_with(turn, weather=["rain", {"deep": 1}], inbound=inbound))) == read(turn)


def test_record_of_an_earlier_version_is_read_with_what_it_lacks_at_its_default() -> None:
    turn = row(_record())
    needed = ("id", "ref", "bot", "lane", "entry", "inbound", "at")
    old = {name: value for name, value in _fields(turn.body).items() if name in needed}

    record = read(replace(turn, body=msgspec.json.encode(old)))

    assert (record.id, record.inbound.text, record.sends, record.remedies) == ("t1", "hello", 0, [])


def test_entry_of_a_later_version_with_more_in_it_is_run() -> None:
    body = seal(Event(b"raw", ("k",), INBOUND))
    more = msgspec.json.encode(_fields(body) | {"weather": "rain"})

    assert unseal(more) == unseal(body)
