"""The pace of a bot: answers wait, previews give way."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import RateLimited
from gateway_adapters.slack.limits import PACED, Limiter
from gateway_adapters.slack.options import Rates

CHAT, OTHER = "C1", "C2"


class _Clock:
    """Moves as far as somebody sleeps, and notes how long that was."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds
        await asyncio.sleep(0)


def _limiter(clock: _Clock, *, overall: int = 0, chat: float = 0, edits: int = 0) -> Limiter:
    return Limiter(Rates(overall=overall, chat=chat, edits=edits), clock)


async def test_channel_takes_a_few_at_once_and_then_one_a_second() -> None:
    clock = _Clock()
    limiter = _limiter(clock, chat=1.0)
    for _ in range(4):
        await limiter.admitted(CHAT)
    assert clock.slept == []

    with pytest.raises(RateLimited) as caught:
        await limiter.admitted(CHAT)
    await limiter.admitted(OTHER)

    assert (caught.value.status, caught.value.retry_after) == (PACED, 4.0)


async def test_short_wait_is_waited_here() -> None:
    clock = _Clock()
    limiter = _limiter(clock, chat=2.0)
    for _ in range(5):
        await limiter.admitted(CHAT)

    assert clock.slept == [2.0]


async def test_edits_are_counted_over_all_channels_and_not_as_messages() -> None:
    clock = _Clock()
    limiter = _limiter(clock, chat=1.0, edits=10)
    for number in range(10):
        await limiter.admitted(str(number % 2), edit=True)

    with pytest.raises(RateLimited):
        await limiter.admitted(CHAT, edit=True)
    await limiter.admitted(CHAT)


async def test_previews_leave_room_for_answers() -> None:
    clock = _Clock()
    limiter = _limiter(clock, edits=10)

    shown = [limiter.admits(str(number), edit=True) for number in range(10)]
    for number in range(4):
        await limiter.admitted(str(number), edit=True)

    assert shown == [True] * 6 + [False] * 4
    assert clock.slept == []


async def test_refusal_holds_a_channel_back_and_no_other() -> None:
    clock = _Clock()
    limiter = _limiter(clock)
    limiter.refused(CHAT, 30.0, "final")

    with pytest.raises(RateLimited) as caught:
        await limiter.admitted(CHAT)
    await limiter.admitted(OTHER)

    assert caught.value.retry_after == 30.0
    assert not limiter.admits(CHAT)
    assert limiter.admits(OTHER)


async def test_refused_preview_holds_no_answer_back() -> None:
    clock = _Clock()
    limiter = _limiter(clock)
    limiter.refused(CHAT, 30.0, "preview")

    await limiter.admitted(CHAT)

    assert clock.slept == []
    assert not limiter.admits(CHAT)
    clock.now += 31
    assert limiter.admits(CHAT)


async def test_refusals_of_several_channels_hold_everybody_back() -> None:
    clock = _Clock()
    limiter = _limiter(clock)
    for number in range(3):
        limiter.refused(str(number), 20.0, "final")

    with pytest.raises(RateLimited):
        await limiter.admitted(OTHER)


async def test_whole_workspace_takes_so_many_a_minute() -> None:
    clock = _Clock()
    limiter = _limiter(clock, overall=100)
    for number in range(100):
        await limiter.admitted(str(number))

    with pytest.raises(RateLimited) as caught:
        await limiter.admitted(CHAT)

    assert caught.value.retry_after == 60.0


async def test_idle_channels_are_forgotten() -> None:
    clock = _Clock()
    limiter = _limiter(clock, chat=1.0)
    for number in range(5000):
        clock.now += 10.0
        assert limiter.admits(str(number))

    assert len(limiter._chats) <= 4097  # pyright: ignore[reportPrivateUsage]  # what it keeps is what is tried
