"""What the built-in agent puts right by itself, against a provider that fails and then does not."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic_ai.toolsets import FunctionToolset

from gateway.abc.agent import PastLine, TurnRequest
from gateway.completion import classify_exception
from gateway.completion.model import TurnCompletion
from gateway.testing.turn import FakeTurnContext, turn_request
from gateway_agents.builtin.loop import BuiltinAgent
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.provider import model_for
from gateway_agents.builtin.tools import Hand
from tests.emulators.openai import Answer, OpenAIEmulator

_LONG = "One two three four five six seven eight nine ten"
_SOON = Answer(
    status=429, error={"message": "Slow down.", "code": "rate_limit_exceeded"}, headers={"Retry-After": "0"}
)


@dataclass(frozen=True, slots=True)
class _Ended:
    text: str
    completion: TurnCompletion
    context: FakeTurnContext
    summary: str = ""

    @property
    def remedies(self) -> list[str]:
        return [remedy.kind for remedy in self.context.remedies]


@pytest.fixture
async def api() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator() as api:
        yield api


@pytest.fixture
async def other() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator(key="sk-other") as api:
        yield api


@pytest.fixture(params=[True, False], ids=["streamed", "whole"])
def stream(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def _agent(api: OpenAIEmulator, **options: object) -> BuiltinAgent:
    calls: list[str] = []

    def lookup(key: str) -> str:
        calls.append(key)
        return f"value of {key}, number {len(calls)}"

    chosen = Options.model_validate(
        {"model": "openai-chat:small", "api_key": api.key, "base_url": api.base_url} | options
    )
    return BuiltinAgent(
        chosen,
        model_for(chosen, name="helper"),
        toolsets=[FunctionToolset[Hand](tools=[lookup])],
        others=[model_for(one, name="helper") for one in chosen.others()],
    )


async def _ask(
    agent: BuiltinAgent, request: TurnRequest | str, *, context: FakeTurnContext | None = None
) -> _Ended:
    context = context or FakeTurnContext()
    asked = turn_request(request) if isinstance(request, str) else request
    try:
        result = await agent.run(asked, context)
    except Exception as exc:  # noqa: BLE001  # whatever it is, it is classified
        return _Ended(context.text, classify_exception(exc), context)
    finally:
        await agent.close()
    assert result.completion is not None
    assert result.text == context.text
    return _Ended(result.text, result.completion, context, result.summary)


def _said(body: dict[str, Any]) -> str:
    return "\n".join(str(message.get("content")) for message in body["messages"])


@pytest.mark.parametrize(
    "fault", [_SOON, "server", "overloaded", "cut_at_once", "cut", "eof", "error_frame", "empty"]
)
async def test_failure_that_passes_leaves_nothing_behind(
    api: OpenAIEmulator, fault: Answer | str, stream: bool
) -> None:
    api.next(fault, Answer("All is well."))

    ended = await _ask(_agent(api, stream=stream), "hello")

    assert (ended.text, ended.completion.reason) == ("All is well.", "completed")
    assert ended.remedies == ["retry"]
    assert ended.context.remedies[0].after.split("@")[0] != "completed"
    assert api.problems == []


async def test_failure_that_stays_is_told_as_it_is(api: OpenAIEmulator, stream: bool) -> None:
    api.next(_SOON, _SOON, "server", "completed")

    ended = await _ask(_agent(api, stream=stream), "hello")

    assert (ended.text, ended.completion.reason) == ("", "provider_error")
    assert len(api.requests) == 3


async def test_wait_is_kept_to_inside_the_deadline_only(api: OpenAIEmulator) -> None:
    api.next("rate", "completed")

    ended = await _ask(_agent(api), "hello", context=FakeTurnContext(seconds=8.0))

    assert (ended.completion.reason, ended.completion.retry_after) == ("rate_limited", 7.0)
    assert ended.remedies == []


async def test_wait_that_was_asked_for_is_waited(api: OpenAIEmulator) -> None:
    api.next(
        Answer(status=429, error={"message": "Wait."}, headers={"retry-after-ms": "120"}), Answer("Here.")
    )

    ended = await _ask(_agent(api), "hello")

    assert ended.text == "Here."
    assert ended.context.remedies[0].waited == pytest.approx(0.12)


async def test_retry_after_tools_repeats_no_tool(api: OpenAIEmulator, stream: bool) -> None:
    call = Answer("Let me look.", call=("lookup", '{"key": "x"}'), token="tool_calls")
    api.next(call, "server", Answer("It is x."))

    ended = await _ask(_agent(api, stream=stream), "hello")

    assert ended.context.actions == ["lookup"]
    assert (ended.text, ended.completion.reason) == ("Let me look.\n\nIt is x.", "completed")
    assert "value of x, number 1" in _said(api.requests[-1])


async def test_retry_takes_back_only_what_the_failed_request_showed(api: OpenAIEmulator) -> None:
    call = Answer("Let me look.", call=("lookup", '{"key": "x"}'), token="tool_calls")
    api.next(call, Answer("It is", token=None, cut=True), Answer("It was x."))

    ended = await _ask(_agent(api), "hello")

    assert (ended.text, ended.completion.reason) == ("Let me look.\n\nIt was x.", "completed")


async def test_retry_that_gets_less_far_loses_nothing_that_was_seen(api: OpenAIEmulator) -> None:
    api.next("cut", Answer("One", token=None, cut=True), "server")

    ended = await _ask(_agent(api), "hello")

    assert ended.text == _LONG
    assert ended.completion.reason in ("stream_cut", "provider_error")


@pytest.mark.parametrize("fault", ["key", "quota", "model", "rate", "server"])
async def test_other_model_answers_in_place_of_the_first(
    api: OpenAIEmulator, other: OpenAIEmulator, fault: str, stream: bool
) -> None:
    api.next(*[fault] * 5)
    fallback = {"model": "openai-chat:large", "api_key": other.key, "base_url": other.base_url}

    ended = await _ask(_agent(api, fallback=[fallback], retries=0, stream=stream), "hello")

    assert (ended.text, ended.completion.reason) == ("hello", "completed")
    assert ended.remedies == ["fallback"]
    assert ended.context.remedies[0].detail == "large"
    assert [body["model"] for body in other.requests] == ["large"]


async def test_models_are_asked_in_order_and_the_first_ending_is_told(api: OpenAIEmulator) -> None:
    api.next("quota", "key", "model")
    agent = _agent(api, fallback=["openai-chat:second", "openai-chat:third"])

    ended = await _ask(agent, "hello")

    assert [body["model"] for body in api.requests] == ["small", "second", "third"]
    assert ended.completion.reason == "quota_exhausted"


async def test_other_model_that_is_cut_is_told_of_its_own_answer(api: OpenAIEmulator) -> None:
    api.next("quota", "length")

    ended = await _ask(_agent(api, fallback=["openai-chat:second"]), "hello")

    assert (ended.text, ended.completion.reason) == (_LONG, "length_truncated")


def _history(count: int) -> tuple[PastLine, ...]:
    lines: list[PastLine] = []
    for number in range(count):
        lines.append(PastLine("user", f"My number {number} is a long story.", f"t{number}"))
        lines.append(PastLine("assistant", f"I keep number {number}.", f"t{number}"))
    return tuple(lines)


async def test_overflow_is_summed_up_and_asked_once_more(api: OpenAIEmulator, stream: bool) -> None:
    api.next("context", Answer("They told numbers."), Answer("It was four."))

    ended = await _ask(
        _agent(api, stream=stream), turn_request("Which was the last?", turn="t9", history=_history(5))
    )

    assert (ended.text, ended.completion.reason) == ("It was four.", "completed")
    assert ended.remedies == ["compact"]
    assert ended.summary == "They told numbers."
    last = _said(api.requests[-1])
    assert "They told numbers." in last
    assert "number 4" in last
    assert "number 0" not in last
    assert last.endswith("Which was the last?")
    assert api.problems == []


async def test_overflow_that_stays_is_told(api: OpenAIEmulator) -> None:
    api.next("context", Answer("They told numbers."), "context")

    ended = await _ask(_agent(api), turn_request("And?", turn="t9", history=_history(5)))

    assert (ended.text, ended.completion.reason) == ("", "context_overflow")


async def test_overflow_whose_summary_fails_goes_on_with_the_ends(api: OpenAIEmulator) -> None:
    api.next("context", "context", Answer("Fine."))

    ended = await _ask(_agent(api), turn_request("And?", turn="t9", history=_history(5)))

    assert (ended.text, ended.completion.reason) == ("Fine.", "completed")
    assert "number 0" in ended.summary


_CALL = Answer("", call=("lookup", '{"key": "x"}'), token="tool_calls")


@pytest.mark.parametrize(
    ("answers", "reason"), [([_CALL, Answer("")], "completed"), ([_CALL, _CALL], "max_steps")]
)
async def test_turn_of_tools_alone_is_given_a_last_word(
    api: OpenAIEmulator, answers: Sequence[Answer], reason: str, stream: bool
) -> None:
    api.next(*answers, Answer("It is x."))

    ended = await _ask(_agent(api, max_steps=2, stream=stream), "hello")

    assert (ended.text, ended.completion.reason) == ("It is x.", reason)
    assert ended.remedies == ["finalise"]
    assert api.requests[-1].get("tool_choice", "none") == "none"
    assert api.problems == []


@pytest.mark.parametrize("rest", ["eleven twelve.", " eleven twelve.", "nine ten eleven twelve."])
async def test_long_answer_is_gone_on_with_and_shows_no_seam(
    api: OpenAIEmulator, rest: str, stream: bool
) -> None:
    api.next("length", Answer(rest))

    ended = await _ask(_agent(api, auto_continue=2, stream=stream), "count")

    assert (ended.text, ended.completion.reason) == (f"{_LONG} eleven twelve.", "completed")
    assert ended.remedies == ["auto_continue"]
    assert "".join(ended.context.pieces) == ended.text


async def test_long_answer_is_gone_on_with_a_bounded_number_of_times(api: OpenAIEmulator) -> None:
    api.next("length", Answer("eleven", token="length"), Answer("twelve", token="length"), "completed")

    ended = await _ask(_agent(api, auto_continue=2), "count")

    assert (ended.text, ended.completion.reason) == (f"{_LONG} eleven twelve", "length_truncated")
    assert len(api.requests) == 3


async def test_continuation_that_fails_keeps_what_there_is(api: OpenAIEmulator) -> None:
    api.next("length", "server", Answer("nine ten eleven"), "completed")

    ended = await _ask(_agent(api, auto_continue=1), "count")

    assert (ended.text, ended.completion.reason) == (f"{_LONG} eleven", "completed")
    assert ended.remedies == ["auto_continue", "retry"]


async def test_joined_answer_is_one_answer_in_the_history(api: OpenAIEmulator) -> None:
    api.next("length", Answer("eleven twelve."), "completed")
    agent = _agent(api, auto_continue=1)
    context = FakeTurnContext()

    result = await agent.run(turn_request("count"), context)
    history = (PastLine("user", "count", "t1"), PastLine("assistant", result.text, "t1", data=result.data))
    await agent.run(turn_request("and?", turn="t2", history=history), FakeTurnContext())
    await agent.close()

    said = [message for message in api.requests[-1]["messages"] if message["role"] == "assistant"]
    assert [message["content"] for message in said] == [f"{_LONG} eleven twelve."]
