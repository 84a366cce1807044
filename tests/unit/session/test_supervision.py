"""However an agent behaves, its call comes to an end that is known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.abc.clock import SystemClock
from gateway.completion.model import TurnCompletion
from gateway.errors import AgentError
from gateway.session.ending import conclude
from gateway.session.running import Deadlines, Running
from gateway.session.supervision import Nursery, Outcome
from gateway.testing.turn import turn_request
from tests.unit.session.scene import Answering

STOP = TurnCompletion("cancelled", site="session.stop")
PATIENT = Deadlines(whole=30, idle=30, grace=0.03)


class _Oddity(BaseException):
    """Nothing a sensible agent raises."""


def _running(deadlines: Deadlines) -> Running:
    async def commit_action(name: str) -> None:
        del name

    running = Running(
        turn="t1",
        lane="bot/1",
        person="ada",
        clock=SystemClock(),
        deadlines=deadlines,
        commit_action=commit_action,
    )
    running.start()
    return running


async def _hang(_: TurnRequest, context: TurnContext) -> TurnResult:
    await context.emit("half")
    await asyncio.Event().wait()
    raise AssertionError


async def _deaf(_: TurnRequest, context: TurnContext) -> TurnResult:
    """Ignores its cancellation for a while, and goes on talking."""
    await context.emit("half")
    until = asyncio.get_running_loop().time() + 0.3
    while (left := until - asyncio.get_running_loop().time()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            await context.emit(" and more")
    return TurnResult("all of it")


async def _run(
    answer: Callable[[TurnRequest, TurnContext], Awaitable[TurnResult]],
    deadlines: Deadlines,
    *,
    stop_after: float | None = None,
    nursery: Nursery | None = None,
) -> tuple[Running, Outcome]:
    running = _running(deadlines)
    if stop_after is not None:
        asyncio.get_running_loop().call_later(stop_after, running.decide, STOP)
    outcome = await (nursery or Nursery()).run(Answering(answer), turn_request("hello"), running)
    return running, outcome


async def test_whole_deadline_ends_a_turn_and_keeps_what_was_said() -> None:
    running, outcome = await _run(_hang, Deadlines(whole=0.02, idle=30, grace=1))

    ending = conclude(running, outcome)
    assert ending.completion.code == "timeout@session.deadline"
    assert ending.text == "half"


async def test_idle_time_out_ends_a_turn_with_no_sign_of_life() -> None:
    running, _ = await _run(_hang, Deadlines(whole=30, idle=0.02, grace=1))

    assert running.decided is not None
    assert running.decided.code == "timeout@session.idle"


async def test_idle_time_out_waits_for_a_lively_turn() -> None:
    async def lively(_: TurnRequest, context: TurnContext) -> TurnResult:
        for _beat in range(5):
            await asyncio.sleep(0.02)
            context.progress()
        return TurnResult("done")

    running, outcome = await _run(lively, Deadlines(whole=30, idle=0.08, grace=1))

    assert running.decided is None
    assert outcome.result == TurnResult("done")


async def test_stop_beats_the_deadline_that_passes_after_it() -> None:
    """While a stopped agent cleans up, its deadline passes; it stays stopped."""
    running, outcome = await _run(_deaf, Deadlines(whole=0.06, idle=30, grace=0.2), stop_after=0.01)

    assert conclude(running, outcome).completion is STOP


async def test_deadline_beats_the_stop_that_comes_after_it() -> None:
    running, outcome = await _run(_deaf, Deadlines(whole=0.01, idle=30, grace=0.1), stop_after=0.05)

    assert conclude(running, outcome).completion.reason == "timeout"


async def test_stop_beats_what_the_agent_returns_while_it_cleans_up() -> None:
    async def tidy(_: TurnRequest, context: TurnContext) -> TurnResult:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await context.emit("too late")
        return TurnResult("too late", TurnCompletion("completed"))

    running, outcome = await _run(tidy, PATIENT, stop_after=0.01)

    ending = conclude(running, outcome)
    assert ending.completion is STOP
    assert ending.text == ""


async def test_stop_beats_what_the_agent_raises_while_it_cleans_up() -> None:
    async def clumsy(_: TurnRequest, __: TurnContext) -> TurnResult:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as exc:
            raise ValueError("clumsy") from exc
        return TurnResult()

    running, outcome = await _run(clumsy, PATIENT, stop_after=0.01)

    assert conclude(running, outcome).completion is STOP


async def test_agent_that_ignores_its_cancellation_is_left_behind_after_the_grace_time() -> None:
    """Not after the idle time-out, which may be minutes away when the person says stop."""
    nursery = Nursery()
    loop = asyncio.get_running_loop()
    began = loop.time()

    running, outcome = await _run(_deaf, PATIENT, stop_after=0.01, nursery=nursery)

    assert loop.time() - began < 0.2
    assert conclude(running, outcome).text == "half"
    assert nursery.abandoned == 1
    await asyncio.sleep(0.35)
    assert nursery.abandoned == 0


async def test_close_cancels_what_was_left_behind() -> None:
    freed = asyncio.Event()

    async def stubborn(_: TurnRequest, __: TurnContext) -> TurnResult:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await freed.wait()
        return TurnResult()

    nursery = Nursery()
    await _run(stubborn, PATIENT, stop_after=0.0, nursery=nursery)

    await nursery.close()

    assert nursery.abandoned == 0


async def test_run_that_is_cancelled_itself_takes_the_agent_with_it() -> None:
    ended = asyncio.Event()

    async def cleaning(_: TurnRequest, __: TurnContext) -> TurnResult:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return TurnResult()

    task = asyncio.create_task(_run(cleaning, PATIENT))
    await asyncio.sleep(0.01)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(1):
        await ended.wait()


async def test_decision_before_the_start_keeps_the_agent_from_starting() -> None:
    agent = Answering(_hang)
    running = _running(PATIENT)
    running.decide(STOP)

    outcome = await Nursery().run(agent, turn_request("hello"), running)

    assert agent.requests == []
    assert conclude(running, outcome).completion is STOP


@pytest.mark.parametrize(
    "raised", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), _Oddity("odd")]
)
async def test_odd_exception_of_an_agent_ends_its_own_turn_only(raised: BaseException) -> None:
    """None of these may end the process, and none counts as stopped by a person."""

    async def odd(_: TurnRequest, context: TurnContext) -> TurnResult:
        await context.emit("half")
        await asyncio.sleep(0)
        raise raised

    running, outcome = await _run(odd, PATIENT)

    ending = conclude(running, outcome)
    assert ending.problem is not None
    assert ending.completion.reason == "error"
    assert ending.text == "half"


async def test_agent_that_tries_to_end_the_process_is_named_so() -> None:
    async def leaving(_: TurnRequest, __: TurnContext) -> TurnResult:
        raise SystemExit(1)

    _, outcome = await _run(leaving, PATIENT)

    assert isinstance(outcome.problem, AgentError)
