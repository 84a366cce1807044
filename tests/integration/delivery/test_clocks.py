"""A host whose clock is wrong takes no message for an old one, and an old one for no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.abc.clock import SystemClock
from tests.emulators.telegram import TelegramEmulator
from tests.integration.delivery.platforms import PLATFORMS, SCRIPT, opened, up
from tests.integration.delivery.scene import turns
from tests.integration.inprocess import running
from tests.integration.telegram.scene import config

LATE = "This answer is late"


class _Wrong(SystemClock):
    """A host's clock that is some seconds ahead."""

    def __init__(self, ahead: float) -> None:
        self._ahead = ahead

    def time(self) -> float:
        return super().time() + self._ahead


@pytest.mark.parametrize("ahead", [7200.0, -7200.0])
@pytest.mark.parametrize("platform", PLATFORMS)
async def test_answer_is_not_late_because_the_clock_of_the_host_is_wrong(
    tmp_path: Path, platform: str, ahead: float
) -> None:
    async with opened(platform) as chat, up(tmp_path, chat, chat.yaml(), clock=_Wrong(ahead)):
        chat.say("hi")
        await chat.until(chat.texts)

        assert chat.texts() == ["hello"]
        await chat.until(lambda: turns(tmp_path)[0]["state"] == "delivered")


@pytest.mark.parametrize("ahead", [7200.0, -7200.0])
async def test_answer_is_late_after_an_absence_whatever_the_clock_says(tmp_path: Path, ahead: float) -> None:
    yaml = "delivery: {late_after: 5s}"
    async with TelegramEmulator() as tg:
        async with running(tmp_path, config(tg, bot=yaml, script=SCRIPT), clock=_Wrong(ahead)):
            tg.say("hi")
            await tg.until(lambda: tg.texts(4711))
        tg.say("while you are away")
        await asyncio.sleep(6.5)
        async with running(tmp_path, config(tg, bot=yaml, script=SCRIPT), clock=_Wrong(ahead)):
            await tg.until(lambda: len(tg.texts(4711)) == 2)

        first, second = tg.texts(4711)
        assert LATE not in first
        assert LATE in second


async def test_clock_that_is_wrong_is_told_to_operators(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Once, with what to do."""
    async with (
        TelegramEmulator() as tg,
        running(tmp_path, config(tg, script=SCRIPT), clock=_Wrong(600.0)),
    ):
        for _ in range(2):
            tg.say("hi")
        await tg.until(lambda: len(tg.texts(4711)) == 2)

    told = [record.getMessage() for record in caplog.records if "clock_is_off" in record.getMessage()]
    assert len(told) == 1
    assert "600" in told[0]
