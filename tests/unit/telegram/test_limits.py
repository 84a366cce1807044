"""The pace of a bot, on a clock that stands until it is moved."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import RateLimited
from gateway_adapters.telegram.limits import PACED, Limiter
from gateway_adapters.telegram.options import Rates

PERSON, GROUP = "4711", "-100500"


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
        await asyncio.sleep(0)


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


@pytest.fixture
def limiter(clock: _Clock) -> Limiter:
    return Limiter(Rates(), clock)


async def _wait(limiter: Limiter, chat: str) -> float:
    """Seconds that an answer would be put off; 0 where it may go, at once or after a moment."""
    try:
        await limiter.admitted(chat)
    except RateLimited as exc:
        return exc.retry_after if exc.status == PACED else float("nan")
    return 0.0


async def test_answers_leave_evenly_at_what_a_second_takes(limiter: Limiter, clock: _Clock) -> None:
    for number in range(75):
        await limiter.admitted(str(number))

    assert clock.slept == pytest.approx([0.2 * (number // 5) for number in range(5, 75)])


async def test_answers_beyond_patience_are_put_off_and_take_nobodys_turn(
    limiter: Limiter, clock: _Clock
) -> None:
    for number in range(75):
        await limiter.admitted(str(number))

    waits = [await _wait(limiter, f"late {number}") for number in range(100)]
    clock.now += 3.0

    assert waits == pytest.approx([3.0] * 100)
    assert [await _wait(limiter, f"late {number}") for number in range(75)] == [0.0] * 75


async def test_person_gets_a_long_answer_at_once_and_then_one_message_a_second(
    limiter: Limiter, clock: _Clock
) -> None:
    at_once = [await _wait(limiter, PERSON) for _ in range(8)]
    evenly = max(clock.slept)
    clock.slept.clear()
    soon = [await _wait(limiter, PERSON) for _ in range(2)]
    put_off = await _wait(limiter, PERSON)
    clock.now += 3.7

    assert at_once == [0.0] * 8
    assert evenly < 0.5
    assert soon == [0.0, 0.0]
    assert clock.slept == pytest.approx([1.2, 2.4], abs=0.3)
    assert put_off == pytest.approx(3.6, abs=0.3)
    assert await _wait(limiter, PERSON) == 0.0


async def test_person_who_was_left_alone_gets_a_long_answer_at_once_again(
    limiter: Limiter, clock: _Clock
) -> None:
    for _ in range(2):
        clock.now += 60.0
        assert [await _wait(limiter, PERSON) for _ in range(8)] == [0.0] * 8
        assert max(clock.slept) < 0.5


async def test_group_gets_twenty_a_minute_and_holds_up_nobody_else(limiter: Limiter, clock: _Clock) -> None:
    for number in range(20):
        assert await _wait(limiter, GROUP) == 0.0
        clock.now += 1.0 if number else 0.0

    assert await _wait(limiter, GROUP) == pytest.approx(61.0 - 19.0)
    assert await _wait(limiter, PERSON) == 0.0
    assert await _wait(limiter, "-100501") == 0.0


@pytest.mark.parametrize("counted", [True, False])
async def test_what_is_shown_leaves_room_for_answers_and_is_dropped_not_queued(
    limiter: Limiter, clock: _Clock, counted: bool
) -> None:
    shown = [limiter.admits(str(number), "preview", counted=counted) for number in range(40)]
    typed = [limiter.admits(str(number), "typing", counted=False) for number in range(40)]
    answers = [await _wait(limiter, str(number)) for number in range(2)]

    assert shown == [True] * 3 + [False] * 37
    assert typed == [False] * 40
    assert answers == [0.0] * 2
    assert clock.slept == []


def test_typing_gives_way_before_previews_do(limiter: Limiter) -> None:
    typed = [limiter.admits(str(number), "typing", counted=False) for number in range(20)]

    assert typed == [True] * 2 + [False] * 18
    assert limiter.admits("x", "preview")


async def test_previews_in_a_group_leave_answers_their_share(limiter: Limiter, clock: _Clock) -> None:
    shown = 0
    for _ in range(19):
        shown += limiter.admits(GROUP, "preview")
        clock.now += 3.0

    assert shown == 12
    assert [await _wait(limiter, GROUP) for _ in range(8)] == [0.0] * 8


def test_typing_counts_towards_no_group(limiter: Limiter, clock: _Clock) -> None:
    for _ in range(100):
        assert limiter.admits(GROUP, "typing", counted=False)
        clock.now += 1.0

    assert limiter.admits(GROUP, "preview")


async def test_chat_that_must_wait_waits_alone(limiter: Limiter, clock: _Clock) -> None:
    limiter.refused(GROUP, 17.0, "final")

    assert await _wait(limiter, GROUP) == 17.0
    assert not limiter.admits(GROUP, "preview")
    assert not limiter.admits(GROUP, "typing", counted=False)
    assert await _wait(limiter, PERSON) == 0.0
    assert limiter.admits(PERSON, "typing", counted=False)
    clock.now += 17.0
    assert await _wait(limiter, GROUP) == 0.0


async def test_refusal_of_what_is_shown_holds_back_no_answer(limiter: Limiter) -> None:
    limiter.refused(PERSON, 30.0, "preview")

    assert not limiter.admits(PERSON, "preview")
    assert not limiter.admits(PERSON, "typing", counted=False)
    assert await _wait(limiter, PERSON) == 0.0


async def test_several_chats_slowed_down_at_once_slow_down_the_bot(limiter: Limiter, clock: _Clock) -> None:
    for chat in ("1", "1", "2"):
        limiter.refused(chat, 5.0, "final")
    assert await _wait(limiter, PERSON) == 0.0

    limiter.refused("3", 5.0, "final")

    assert await _wait(limiter, PERSON) == 5.0
    clock.now += 5.0
    assert await _wait(limiter, PERSON) == 0.0


async def test_previews_slowed_down_everywhere_hold_back_no_answer(limiter: Limiter) -> None:
    for chat in ("1", "2", "3"):
        limiter.refused(chat, 30.0, "preview")

    assert not limiter.admits(PERSON, "preview")
    assert not limiter.admits(PERSON, "typing", counted=False)
    assert await _wait(limiter, PERSON) == 0.0


async def test_chats_slowed_down_now_and_then_slow_down_nobody(limiter: Limiter, clock: _Clock) -> None:
    for chat in ("1", "2", "3", "4"):
        limiter.refused(chat, 5.0, "final")
        clock.now += 11.0

    assert await _wait(limiter, PERSON) == 0.0


async def test_rates_of_nothing_leave_it_to_telegram(clock: _Clock) -> None:
    limiter = Limiter(Rates(overall=0, chat=0, group=0), clock)

    waits = [await _wait(limiter, chat) for chat in (PERSON, GROUP) for _ in range(200)]

    assert set(waits) == {0.0}
    assert clock.slept == []


async def test_no_second_ever_holds_more_than_it_may(limiter: Limiter, clock: _Clock) -> None:
    """Answers that wait for their chat do not open a gap that others fill twice."""
    went: list[float] = []
    for step in range(400):
        before = len(clock.slept)
        if await _wait(limiter, str(step % 7)) == 0.0:
            went.append(clock.now + sum(clock.slept[before:]))
        clock.now += 0.01
    went.sort()

    assert all(later - earlier >= 1.0 - 1e-6 for earlier, later in zip(went, went[30:], strict=False))


async def test_chats_that_are_quiet_again_are_forgotten(limiter: Limiter, clock: _Clock) -> None:
    for number in range(10_000):
        limiter.admits(str(number), "typing", counted=False)
        clock.now += 1.0

    assert len(limiter._chats) <= 4097  # pyright: ignore[reportPrivateUsage]  # nothing else shows it
