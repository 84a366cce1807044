"""The scripted agent: rules, directives, and Continue."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from gateway.abc.agent import PastLine, TurnRequest, TurnResult
from gateway.completion import ENDINGS
from gateway.testing.turn import FakeTurnContext, remember, turn_request
from gateway_agents.scripted.agent import ScriptedAgent, create
from gateway_agents.scripted.options import Options
from gateway_agents.scripted.plan import words
from gateway_agents.scripted.texts import GREETING, SECRET, STORY

_RAISES_OR_HANGS = {"error", "timeout"}


def _agent(**options: object) -> ScriptedAgent:
    agent = create(Options.model_validate({"pace": 0} | options), name="scripted", base=Path())
    assert isinstance(agent, ScriptedAgent)
    return agent


async def _ask(agent: ScriptedAgent, request: TurnRequest | str) -> tuple[TurnResult, FakeTurnContext]:
    context = FakeTurnContext()
    asked = turn_request(request) if isinstance(request, str) else request
    return await agent.run(asked, context), context


async def test_agent_says_the_default_when_no_rule_matches() -> None:
    result, context = await _ask(_agent(), "hello")

    assert result.text == context.text == GREETING
    assert result.completion is not None
    assert result.completion.code == "completed@agent.reply"


async def test_agent_follows_the_first_rule_that_matches_in_any_case() -> None:
    script = [
        {"when": "Weather", "say": "Rain.", "end": "length"},
        {"when": "weather tomorrow", "say": "Sun."},
        {"when": "*", "say": "What?"},
    ]

    result, _ = await _ask(_agent(script=script), "the WEATHER tomorrow, please")
    other, _ = await _ask(_agent(script=script), "anything else")

    assert result.text == "Rain."
    assert result.completion is not None
    assert result.completion.reason == "length"
    assert other.text == "What?"


async def test_rule_claims_its_action_before_it_speaks() -> None:
    script = [{"when": "*", "action": "pay", "say": "Paid.", "end": "max_steps"}]

    result, context = await _ask(_agent(script=script), "pay")

    assert context.actions == ["pay"]
    assert result.completion is not None
    assert result.completion.actions_ran is True


async def test_rule_waits_before_its_first_word() -> None:
    started = time.monotonic()

    await _ask(_agent(script=[{"when": "*", "say": "Late.", "wait": 0.03}]), "hello")

    assert time.monotonic() - started >= 0.03


async def test_rule_reads_its_ending_from_a_payload() -> None:
    payload = {"choices": [{"message": {"content": "Half"}, "finish_reason": "length"}]}

    result, _ = await _ask(_agent(script=[{"when": "*", "say": "Half", "payload": payload}]), "hello")

    assert result.completion is not None
    assert (result.completion.reason, result.completion.token) == ("length_truncated", "length")


async def test_directives_are_ordinary_text_unless_they_are_on() -> None:
    result, _ = await _ask(_agent(), "!max_steps")

    assert result.text == GREETING


@pytest.mark.parametrize("reason", sorted(set(ENDINGS) - _RAISES_OR_HANGS))
async def test_directive_brings_about_every_ending_of_the_registry(reason: str) -> None:
    result, _ = await _ask(_agent(directives=True), f"!{reason}")

    assert result.completion is not None
    assert result.completion.reason == reason


@pytest.mark.parametrize(
    ("message", "reason"),
    [("!empty", "empty_response"), ("! Max-Steps.", "max_steps"), ("!brand_new_word", "brand_new_word")],
)
async def test_directive_takes_aliases_and_unknown_words(message: str, reason: str) -> None:
    result, _ = await _ask(_agent(directives=True), message)

    assert result.completion is not None
    assert result.completion.reason == reason


async def test_directive_without_a_word_is_ordinary_text() -> None:
    result, _ = await _ask(_agent(directives=True), "!!! 30")

    assert result.text == GREETING


async def test_directive_number_is_the_wait_where_nothing_was_said() -> None:
    result, _ = await _ask(_agent(directives=True), "!rate_limited 30")

    assert result.completion is not None
    assert result.completion.retry_after == 30.0
    assert result.text == ""


async def test_directive_number_is_the_words_where_something_was_said() -> None:
    result, context = await _ask(_agent(directives=True), "!action stream_cut 3")

    assert result.text == "The lighthouse keeper"
    assert context.actions == ["send_report"]


@pytest.mark.parametrize("message", ["!error", "!crash", "!error 4"])
async def test_directive_raises_an_error_that_names_a_secret(message: str) -> None:
    """A gateway that shows what was raised would show it."""
    with pytest.raises(RuntimeError, match=SECRET):
        await _ask(_agent(directives=True), message)


@pytest.mark.parametrize("message", ["!timeout", "!hang"])
async def test_directive_hangs_after_half_the_story(message: str) -> None:
    context = FakeTurnContext()
    task = asyncio.create_task(_agent(directives=True).run(turn_request(message), context))
    await asyncio.sleep(0.03)

    assert not task.done()
    assert 0 < len(context.pieces) < len(words(STORY))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_slow_directive_speaks_ten_times_slower() -> None:
    started = time.monotonic()

    await _ask(_agent(directives=True, pace=0.001), "!slow max_steps 4")

    assert time.monotonic() - started >= 0.03


@pytest.mark.parametrize("told", [1, 25, 59])
async def test_continue_finishes_the_sentence(told: int) -> None:
    agent = _agent(directives=True)
    first = turn_request(f"!length_truncated {told}")
    result, context = await _ask(agent, first)
    history = remember(first, result, context)

    rest, _ = await _ask(agent, turn_request("continue", turn="t2", history=history, resume=True))

    assert f"{result.text} {rest.text}" == STORY
    assert rest.completion is not None
    assert not rest.completion.truncated


async def test_continue_goes_on_after_an_answer_that_was_cut_twice() -> None:
    """The second cut came from outside: a stop, a crash of the gateway."""
    parts = STORY.split()
    history = (
        PastLine("user", "!max_steps", "t1"),
        PastLine("assistant", " ".join(parts[:30]), "t1"),
        PastLine("user", "continue", "t2"),
        PastLine("assistant", " ".join(parts[30:40]), "t2"),
    )

    rest, _ = await _ask(
        _agent(directives=True), turn_request("continue", turn="t3", history=history, resume=True)
    )

    assert rest.text.split() == parts[40:]


async def test_continue_says_what_the_rule_says_for_it() -> None:
    agent = _agent(
        script=[{"when": "tell", "say": "Once upon a time", "cut_after": 2, "resume": "And so on."}]
    )
    first = turn_request("tell me")
    result, context = await _ask(agent, first)

    rest, _ = await _ask(
        agent,
        turn_request("continue", turn="t2", history=remember(first, result, context), resume=True),
    )

    assert (result.text, rest.text) == ("Once upon", "And so on.")


async def test_continue_with_nothing_to_go_on_with_is_an_ordinary_message() -> None:
    result, _ = await _ask(_agent(), turn_request("continue", resume=True))

    assert result.text == GREETING


@pytest.mark.parametrize("text", ["", "one", " one  two\n\nthree ", "\n"])
def test_words_together_are_the_text(text: str) -> None:
    assert "".join(words(text)) == text


@pytest.mark.parametrize(
    "options",
    [{"pace": -1}, {"script": [{"say": "x"}]}, {"scripts": []}, {"script": [{"when": "*", "unknown": 1}]}],
)
def test_options_refuse_what_they_do_not_know(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Options.model_validate(options)
