"""Limits that are raced for, and alerts that come and go."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gateway.abc.adapter import AdapterState
from gateway.abc.store import Entry, Waiting
from gateway.errors import StoreError
from gateway.messages import Event, Inbound, Place
from gateway.session import Alerts, Arrivals, Intake, Limits, Quota, Signs, Watch
from gateway.session.allowance import Allowance, Refused
from gateway.stores.memory import MemoryStore
from gateway.testing.clock import ManualClock
from tests.unit.session.scene import ADA, Answering, Scene


class _Slow(MemoryStore):
    """A store whose every answer lets others come between."""

    async def get(self, key: str) -> bytes | None:
        await asyncio.sleep(0)
        return await super().get(key)

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        await asyncio.sleep(0)
        await super().set(key, value, ttl=ttl)

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        await asyncio.sleep(0)
        return await super().swap(key, expect, value, ttl=ttl)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(person=Quota(1, 3600.0), bot=Quota(1, 3600.0)),
        Limits(person=Quota(50, 3600.0), bot=Quota(50, 3600.0), at_once=1),
    ],
)
async def test_limit_holds_for_messages_that_come_together(limits: Limits) -> None:
    clock = ManualClock()
    scene = Scene(Answering([]), clock=clock)
    bot = replace(scene.bot, limits=limits)
    allowance = Allowance(_Slow(clock=clock), clock=clock)
    had, refused = 0, 0

    async def one() -> None:
        nonlocal had, refused
        try:
            async with allowance.turn(bot, "ada"):
                had += 1
                await asyncio.sleep(0.02)
        except Refused:
            refused += 1

    await asyncio.gather(*(one() for _ in range(10)))

    assert (had, refused) == (1, 9)


async def test_quota_is_shared_by_processes_and_a_refused_turn_costs_nothing() -> None:
    """The bot's runs out first; whoever was counted before that was seen gets their turn back."""
    clock = ManualClock()
    store = _Slow(clock=clock)
    limits = Limits(person=Quota(100, 3600.0), bot=Quota(9, 3600.0))
    bot = replace(Scene(Answering([]), clock=clock).bot, limits=limits)
    processes = [Allowance(store, clock=clock) for _ in range(3)]
    had, refused = 0, 0

    async def one(number: int) -> None:
        nonlocal had, refused
        try:
            async with processes[number % 3].turn(bot, "ada"):
                had += 1
        except Refused as exc:
            refused += exc.whole

    await asyncio.gather(*(one(number) for number in range(60)))

    assert (had, refused) == (9, 51)
    assert [value for _, value in await store.scan("used/")] == [b"9", b"9"]


async def _told(store: MemoryStore) -> int:
    return len(await store.waiting("own!/alerts:99"))


async def test_connection_that_comes_and_goes_is_no_storm_of_alerts() -> None:
    clock, store = ManualClock(), MemoryStore()
    alerts = Alerts(store, clock=clock, watch=lambda: Watch("own", "99"))
    for _ in range(50):
        await alerts.stands("support", "conflict")
        await alerts.stands("support", "up")
        clock.advance(5.0)

    assert await _told(store) == 4
    await alerts.stands("support", "conflict")
    clock.advance(3600.0)
    await alerts.stands("support", "conflict")
    assert await _told(store) == 5


async def test_good_end_of_one_agent_says_nothing_of_another() -> None:
    clock, store = ManualClock(), MemoryStore()
    alerts = Alerts(store, clock=clock, watch=lambda: Watch("own", "99"))
    for _ in range(50):
        await alerts.ended("support", "mine", "auth_failed", "AAAAA")
        await alerts.ended("support", "clerk", "completed", "AAAAB")

    assert await _told(store) == 1
    await alerts.ended("support", "mine", "completed", "AAAAC")
    assert await _told(store) == 2


async def test_failed_acceptance_leaves_no_place_taken() -> None:
    """Messages whose keeping broke do not count among those that wait."""

    class Broken(MemoryStore):
        broken = True

        async def waiting(self, lane: str) -> tuple[Waiting, ...]:
            if self.broken:
                raise StoreError("no disk")
            return await super().waiting(lane)

    clock, store = ManualClock(), Broken()
    scene = Scene(Answering([]), clock=clock)
    bot = replace(scene.bot, limits=Limits(queue=2))

    async def language(*_: object) -> str:
        return "en"

    signs = Signs(store, clock=clock, running=scene.running, language=language)
    arrivals = Arrivals(store, clock=clock, running=scene.running, signs=signs)
    intake = Intake(lambda: bot, "bot", store=store, clock=clock, reported=_unheard, arrivals=arrivals)
    events = [
        Event(b"", (f"e{n}",), Inbound("message", Place("1"), ADA, f"{n}", message_id=f"{n}"))
        for n in range(3)
    ]
    for _ in range(5):
        with pytest.raises(StoreError):
            await intake.accept(events)
    store.broken = False
    await intake.accept(events[:2])

    (entry,) = [await arrivals.entry(bot, events[2], inbound) for inbound in [events[2].inbound] if inbound]
    assert isinstance(entry, Entry)
    assert b"busy" in entry.body
    assert len(await store.waiting("bot/1")) == 2


def _unheard(state: AdapterState, detail: str) -> None:
    """Nobody listens."""
    del state, detail
