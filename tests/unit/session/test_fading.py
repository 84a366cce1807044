"""Records lose what was said in time, and keep how their turns ended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.abc.store import Commit, Entry, Store, Turn
from gateway.messages import Attachment, Inbound, Person, Place
from gateway.session.fading import fade_records
from gateway.session.record import Record, read, row
from gateway.stores.memory import MemoryStore
from gateway.stores.sqlite import SqliteStore

SAID = "the secret I told you"
LANE = "support/4711"


def _turn(number: int, at: float) -> Turn:
    inbound = Inbound(
        "message",
        Place("4711"),
        Person("4711", SAID, language="de"),
        text=SAID,
        attachments=(Attachment("image", f"{SAID}.png"),),
    )
    record = Record(
        id=f"t{number}",
        ref=f"R{number}",
        bot="support",
        lane=LANE,
        entry=number,
        inbound=inbound,
        at=at,
        state="delivered",
        asked=SAID,
        partial=SAID,
        problem=SAID,
        stopped_by=SAID,
        completion={"reason": "completed", "site": "agent.end"},
    )
    return row(record)


@pytest.fixture(params=["memory", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return (
        MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "s.db", synchronous="NORMAL")
    )


async def _filled(store: Store, *times: float) -> None:
    await store.open()
    for number, at in enumerate(times):
        await store.put([Entry("support", LANE, (), b"", at)])
        (claim,) = await store.claim("w", bots=["support"], limit=1, lease=60)
        await store.commit(claim, Commit(turn=_turn(number, at)))


async def _nothing() -> None:
    await asyncio.sleep(0)


async def test_old_records_say_how_it_ended_and_nothing_more(store: Store) -> None:
    await _filled(store, 1.0, 2.0, 3.0)

    assert await fade_records(store, 3.0, pause=_nothing) == 2

    old, young = await store.turn("t0"), await store.turn("t2")
    assert old is not None
    assert young is not None
    assert SAID.encode() not in old.body
    assert SAID.encode() in young.body
    kept = read(old)
    assert (kept.inbound.sender.id, kept.inbound.sender.language) == ("4711", "de")
    assert (kept.completion["reason"], old.code, kept.state) == (
        "completed",
        "completed@agent.end",
        "delivered",
    )
    await store.close()


async def test_records_of_one_instant_are_all_reached_and_none_twice(store: Store) -> None:
    await _filled(store, *[1.0] * 250, 2.0)

    assert await fade_records(store, 3.0, pause=_nothing) == 251
    assert await fade_records(store, 3.0, pause=_nothing) == 0
    await store.close()


async def test_record_that_nobody_can_read_stops_nothing(store: Store) -> None:
    await _filled(store, 1.0, 2.0)
    await store.rewrite([replace(_turn(0, 1.0), body=b"not a record")])

    assert await fade_records(store, 3.0, pause=_nothing) == 1
    await store.close()
