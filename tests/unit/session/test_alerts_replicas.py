"""Several processes tell the owner of an incident once."""

from __future__ import annotations

import asyncio

from gateway.abc.clock import SystemClock
from gateway.session import Alerts, Watch
from gateway.session.envelope import unseal
from gateway.stores.memory import MemoryStore


def _alerts(store: MemoryStore) -> Alerts:
    return Alerts(store, clock=SystemClock(), watch=lambda: Watch("own", "99"))


async def _told(store: MemoryStore) -> list[str]:
    """The lines that wait to be said to the owner."""
    tellings = [unseal(one.body).telling for one in await store.waiting("own!/alerts:99")]
    return [telling.line for telling in tellings if telling is not None]


async def test_incident_is_told_by_one_of_two() -> None:
    store = MemoryStore(clock=SystemClock())
    one, other = _alerts(store), _alerts(store)
    await asyncio.gather(one.undelivered("bot", "REF"), other.undelivered("bot", "REF"))

    assert await _told(store) == ["alert.undelivered"]


async def test_its_end_is_told_by_whoever_took_over() -> None:
    store = MemoryStore(clock=SystemClock())
    one, other = _alerts(store), _alerts(store)
    await one.stands("bot", "deaf")
    await other.load()
    await other.stands("bot", "up")
    await one.stands("bot", "up")

    assert await _told(store) == ["alert.deaf", "alert.well"]


async def test_next_incident_is_told_by_one_that_did_not_see_the_first_end() -> None:
    store = MemoryStore(clock=SystemClock())
    one, other = _alerts(store), _alerts(store)
    await one.stands("bot", "deaf")
    await other.load()
    await other.stands("bot", "up")
    await one.load()
    await one.stands("bot", "deaf")

    assert await _told(store) == ["alert.deaf", "alert.well", "alert.deaf"]
