"""The one decision that ends a turn early: the first one stands."""

from __future__ import annotations

import asyncio

import pytest

from gateway.completion.model import TurnCompletion
from gateway.messages import Person
from gateway.session.running import Deadlines, Running, RunningTurns
from gateway.testing.clock import ManualClock

STOP = TurnCompletion("cancelled", site="session.stop")
LATE = TurnCompletion("timeout", site="session.deadline")


def _running(clock: ManualClock, deadlines: Deadlines | None = None, *, lane: str = "bot/1") -> Running:
    async def commit_action(name: str) -> None:
        del name

    running = Running(
        turn="t1",
        lane=lane,
        person="ada",
        clock=clock,
        deadlines=deadlines or Deadlines(whole=300, idle=120, grace=5),
        commit_action=commit_action,
    )
    running.start()
    return running


def test_decide_takes_the_first_and_refuses_later_ones() -> None:
    running = _running(ManualClock())

    assert running.decide(STOP, by=Person("ada"))
    assert not running.decide(LATE)
    assert running.decided is STOP
    assert running.stopped_by == Person("ada")


def test_decide_is_refused_once_the_ending_is_being_committed() -> None:
    running = _running(ManualClock())
    running.committed = True

    assert not running.decide(STOP)
    assert running.decided is None


def test_patience_is_what_is_left_of_the_whole_turn_however_lively_it_is() -> None:
    clock = ManualClock()
    running = _running(clock)

    for _ in range(5):
        clock.advance(59)
        running.progress()

    assert running.patience() == pytest.approx(5)
    clock.advance(5)
    assert running.patience() == pytest.approx(0)
    assert running.which() == "whole"


def test_patience_is_the_idle_time_out_while_nothing_happens() -> None:
    clock = ManualClock()
    running = _running(clock)

    clock.advance(121)

    assert running.patience() == pytest.approx(-1)
    assert running.which() == "idle"


async def test_patience_starts_anew_with_text_and_with_actions() -> None:
    clock = ManualClock()
    running = _running(clock)

    clock.advance(100)
    await running.emit("a")
    after_text = running.patience()
    clock.advance(50)
    await running.before_action("send")

    assert after_text == pytest.approx(120)
    assert running.patience() == pytest.approx(120)


def test_patience_is_the_grace_time_once_it_was_decided() -> None:
    clock = ManualClock()
    running = _running(clock)
    clock.advance(10)

    running.decide(STOP)
    clock.advance(3)

    assert running.patience() == pytest.approx(2)


@pytest.mark.parametrize("over", ["decided", "committed"])
async def test_emit_is_dropped_once_the_turn_is_over(over: str) -> None:
    running = _running(ManualClock())
    await running.emit("before")
    if over == "decided":
        running.decide(STOP)
    else:
        running.committed = True

    await running.emit(" after")

    assert running.text == "before"


async def test_before_action_stops_a_tool_that_would_start_after_the_end() -> None:
    running = _running(ManualClock())
    running.decide(STOP)

    with pytest.raises(asyncio.CancelledError):
        await running.before_action("pay")

    assert running.actions == []


def test_decide_all_ends_every_turn_and_counts_those_it_ended() -> None:
    clock = ManualClock()
    turns = RunningTurns()
    first, second = _running(clock), _running(clock, lane="bot/2")
    turns.add(first)
    turns.add(second)
    first.decide(STOP)

    count = turns.decide_all(TurnCompletion("aborted"))

    assert count == 1
    assert first.decided is STOP
    assert second.decided == TurnCompletion("aborted")


def test_remove_leaves_a_newer_turn_of_the_lane_alone() -> None:
    clock = ManualClock()
    turns = RunningTurns()
    older, newer = _running(clock), _running(clock)
    turns.add(older)
    turns.add(newer)

    turns.remove(older)

    assert turns.at("bot/1") is newer
