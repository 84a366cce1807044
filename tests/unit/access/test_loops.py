"""Two bots that answer each other come to an end."""

from __future__ import annotations

from gateway.access.loops import Loops
from gateway.messages import Inbound, Person, Place
from gateway.testing.clock import ManualClock


def _robot(chat: str = "5", bot: str = "7") -> Inbound:
    return Inbound("message", Place(chat), Person(bot, bot=True), text="hi")


def test_bot_that_talks_on_and_on_is_not_heard_for_a_while() -> None:
    clock = ManualClock()
    loops = Loops(clock)

    assert [loops.too_many(_robot()) for _ in range(7)] == [False] * 5 + [True] * 2
    clock.advance(601)
    assert not loops.too_many(_robot())


def test_bot_that_talks_now_and_then_is_heard() -> None:
    clock = ManualClock()
    loops = Loops(clock)

    for _ in range(20):
        clock.advance(20)
        assert not loops.too_many(_robot())


def test_other_bot_and_other_chat_are_counted_apart() -> None:
    loops = Loops(ManualClock())
    for _ in range(6):
        loops.too_many(_robot())

    assert loops.too_many(_robot())
    assert not loops.too_many(_robot(chat="6"))
    assert not loops.too_many(_robot(bot="8"))
