"""What is found of a person or a chat before it is removed."""

from __future__ import annotations

import pytest

from gateway.abc.store import Commit, Entry, Letter
from gateway.admin.forgetting import Whom, asked, find, forget
from gateway.messages import Event, Inbound, Person, Place
from gateway.session.envelope import seal
from gateway.stores.memory import MemoryStore

LANE = "support/11"


def _entry(person: str, text: str, *, lane: str = LANE) -> Entry:
    inbound = Inbound("message", Place(lane.partition("/")[2]), Person(person), text)
    return Entry("support", lane, (text,), seal(Event(b"raw", (text,), inbound)), 1.0)


@pytest.mark.parametrize("whom", [Whom("support", person="11"), Whom("support", chat="11")])
async def test_message_that_waits_and_was_never_run_is_found(whom: Whom) -> None:
    store = MemoryStore()
    await store.open()
    await store.put([_entry("11", "a"), _entry("11", "b"), _entry("12", "c", lane="support/12")])

    assert len((await find(store, whom)).entries) == 2
    assert await forget(store, whom) == 2

    assert await store.waiting(LANE) == ()
    assert len(await store.waiting("support/12")) == 1
    assert await forget(store, whom) == 0


async def test_message_that_waits_in_a_chat_of_another_name_is_found() -> None:
    """Slack and Discord name a private chat by itself, not by its person."""
    store = MemoryStore()
    await store.open()
    await store.put([_entry("U11", "a", lane="support/D7"), _entry("U12", "b", lane="support/D8")])

    assert await forget(store, Whom("support", person="U11")) == 1

    assert await store.waiting("support/D7") == ()
    assert len(await store.waiting("support/D8")) == 1


async def test_what_others_wait_with_in_a_chat_named_like_a_person_stays() -> None:
    store = MemoryStore()
    await store.open()
    await store.put(
        [_entry("12", "a"), _entry("11", "b"), Entry("support", LANE, ("x",), b"no envelope", 1.0)]
    )

    assert len((await find(store, Whom("support", person="11"))).entries) == 1


async def test_messages_of_a_group_that_nobody_could_read_are_forgotten_too() -> None:
    store = MemoryStore()
    await store.open()
    for number, person in enumerate(("11", "12")):
        said = _entry(person, f"word {number}", lane="support/-100")
        await store.put([said])
        (claim,) = await store.claim("w", bots=["support"], limit=1, lease=60)
        await store.commit(
            claim, Commit(letters=(Letter(f"in.{number}", "support", claim.lane, "", said.body, 1.0),))
        )
        (letter,) = await store.claim_letters("w", bots=["support"], limit=1, lease=60)
        await store.settle(letter, "dropped")

    assert await asked(store, {"bot": "support", "person": "11", "dry": True}) == 1
    assert await forget(store, Whom("support", person="11")) == 1

    assert [letter.id for letter, _ in await store.dead()] == ["in.1"]
    assert await asked(store, {"bot": "support", "person": "11", "dry": True}) == 0
    assert await forget(store, Whom("support", chat="-100")) == 1
    assert await store.dead() == ()
