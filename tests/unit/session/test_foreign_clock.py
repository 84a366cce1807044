"""How far the host's clock is from the platform's, as the platform's answers say."""

from __future__ import annotations

import itertools

import pytest

from gateway.abc.adapter import AdapterState
from gateway.messages import Event, Inbound, Place
from gateway.session import Arrivals, Intake, Signs
from gateway.session.envelope import unseal
from gateway.stores.memory import MemoryStore
from gateway.testing.clock import ManualClock
from tests.unit.session.scene import ADA, Answering, Scene

_NOW = 1_800_000_000.0


class _Bot:
    """One bot's way in, and the platform that it hears of the time from."""

    def __init__(self) -> None:
        self.clock = ManualClock(start=_NOW)
        self.store = MemoryStore(clock=self.clock)
        scene = Scene(Answering([]), clock=self.clock)
        signs = Signs(self.store, clock=self.clock, running=scene.running, language=_english)
        arrivals = Arrivals(self.store, clock=self.clock, running=scene.running, signs=signs)
        self.intake = Intake(
            lambda: scene.bot,
            "bot",
            store=self.store,
            clock=self.clock,
            reported=_unheard,
            arrivals=arrivals,
        )
        self._numbers = itertools.count()

    def answers(self, *behind: float) -> None:
        """The platform's clock is so many seconds behind ours, each time that it is looked at."""
        for one in behind:
            self.intake.heard_time(float(int(self.clock.time() - one)))

    async def kept(self, behind: float) -> float:
        """When something was said just now, by our clock, as it is kept."""
        number = f"{next(self._numbers)}"
        said = Inbound("message", Place("1"), ADA, "hi", message_id=number, at=self.clock.time() - behind)
        await self.intake.accept([Event(b"", (number,), said)])
        inbound = unseal((await self.store.waiting("bot/1"))[-1].body).inbound
        assert inbound is not None
        return inbound.at


async def _english(*_: object) -> str:
    return "en"


def _unheard(state: AdapterState, detail: str) -> None:
    del state, detail


@pytest.mark.parametrize("behind", [7200.0, -7200.0])
async def test_times_are_told_by_our_clock(behind: float) -> None:
    bot = _Bot()
    bot.answers(behind)

    assert abs(await bot.kept(behind) - _NOW) < 1.0


async def test_clocks_that_agree_leave_times_as_they_are() -> None:
    bot = _Bot()
    bot.answers(1.0)

    assert await bot.kept(1.0) == _NOW - 1.0


async def test_one_odd_date_moves_nothing_and_a_clock_that_was_set_is_followed() -> None:
    bot = _Bot()
    bot.answers(0.0, 7200.0, 0.0)
    assert await bot.kept(0.0) == _NOW

    bot.answers(600.0, 600.0)
    assert abs(await bot.kept(600.0) - _NOW) < 1.0


async def test_wrong_clock_is_told_once_until_it_is_right_again(caplog: pytest.LogCaptureFixture) -> None:
    bot = _Bot()
    bot.answers(61.0, 59.0, 61.0, 59.0, 61.0)
    assert len([one for one in caplog.records if "clock_is_off" in one.getMessage()]) == 1

    bot.answers(0.0, 0.0, 90.0, 90.0)
    assert len([one for one in caplog.records if "clock_is_off" in one.getMessage()]) == 2
