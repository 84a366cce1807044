"""Which word ends a turn."""

from __future__ import annotations

import asyncio

import pytest

from gateway.abc.agent import TurnResult
from gateway.abc.clock import SystemClock
from gateway.completion.model import TurnCompletion
from gateway.session.ending import conclude, readable
from gateway.session.running import Deadlines, Running
from gateway.session.supervision import Outcome
from tests.unit.session.scene import reply


def _running(text: str = "") -> Running:
    async def commit_action(name: str) -> None:
        del name

    return Running(
        turn="t1",
        lane="bot/1",
        person="ada",
        clock=SystemClock(),
        deadlines=Deadlines(),
        commit_action=commit_action,
        text=text,
    )


def _of(result: TurnResult, *, emitted: str = "") -> TurnCompletion:
    return conclude(_running(emitted), Outcome(result)).completion


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t\r", "\u200b", "\u200b\u200d\ufeff", "\u00a0\u3000", "\u2800", "\x00\x1b", "\u2060\u00ad"],
)
def test_answer_nobody_can_see_is_an_empty_response(text: str) -> None:
    assert not readable(text)
    assert _of(reply(text)).code == "empty_response@session.returned"
    assert _of(reply(text, "completed")).reason == "empty_response"


@pytest.mark.parametrize("text", ["0", ".", "\u200bhello", "👍", "١", "e\u0301"])
def test_answer_with_anything_to_see_is_complete(text: str) -> None:
    assert readable(text)
    assert _of(reply(text)).code == "completed@session.returned"


def test_empty_result_counts_what_was_emitted() -> None:
    ending = conclude(_running("shown"), Outcome(reply("")))

    assert ending.text == "shown"
    assert ending.completion.reason == "completed"


@pytest.mark.parametrize(
    ("raw", "reason", "token"),
    [
        ("Recursion-Limit", "max_steps", "Recursion-Limit"),
        ("MAX TOKENS", "length_truncated", "MAX TOKENS"),
        ("end_turn", "completed", "end_turn"),
        ("max_steps", "max_steps", None),
        ("quota exceeded", "quota_exhausted", "quota exceeded"),
    ],
)
def test_alias_becomes_the_registrys_word_and_stays_as_the_token(
    raw: str, reason: str, token: str | None
) -> None:
    completion = _of(reply("text", raw))

    assert (completion.reason, completion.token, completion.site) == (reason, token, "agent.reply")


def test_alias_leaves_a_token_that_was_there() -> None:
    assert _of(reply("text", "length", token="MAX_TOKENS")).token == "MAX_TOKENS"


def test_unknown_word_is_kept_as_it_is() -> None:
    completion = _of(reply("text", "Moon-Phase"))

    assert completion.reason == "Moon-Phase"
    assert completion.truncated


def test_superseded_is_empty_when_an_agent_says_it_and_nothing_else() -> None:
    """No newer turn answers for it, so the person would be told nothing at all."""
    completion = _of(reply("", "superseded"))

    assert (completion.reason, completion.token) == ("empty_response", "superseded")


def test_specific_word_of_an_empty_answer_stays() -> None:
    assert _of(reply("", "refused")).reason == "refused"


def test_decision_beats_result_and_problem() -> None:
    running = _running("half")
    stop = TurnCompletion("cancelled", site="session.stop")
    running.decided = stop

    assert conclude(running, Outcome(reply("all", "refused"))).completion is stop
    assert conclude(running, Outcome(problem=ValueError("no"))).text == "half"


def test_problem_nobody_recognises_is_an_error_and_kept_for_the_record() -> None:
    problem = ValueError("the plumbing")

    ending = conclude(_running("half"), Outcome(problem=problem))

    assert ending.completion.reason == "error"
    assert ending.completion.source == "exception"
    assert ending.problem is problem
    assert ending.text == "half"


def test_problem_with_a_meaning_is_told_by_it() -> None:
    assert conclude(_running(), Outcome(problem=TimeoutError())).completion.reason == "timeout"
    assert conclude(_running(), Outcome(problem=ConnectionError())).completion.reason == "network_error"


def test_outcome_that_says_nothing_is_an_empty_response() -> None:
    assert conclude(_running(), Outcome()).completion.reason == "empty_response"


async def test_group_of_problems_is_told_by_what_is_in_it() -> None:
    async def fail() -> None:
        raise ConnectionResetError

    group: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(fail())
    except* OSError as caught:
        group = caught

    assert conclude(_running(), Outcome(problem=group)).completion.reason == "network_error"
