"""The built-in agent against a provider that ends in every way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest
from pydantic_ai.toolsets import FunctionToolset

from gateway.abc.agent import TurnRequest
from gateway.completion import classify_exception
from gateway.completion.model import TurnCompletion
from gateway.testing.turn import FakeTurnContext, remember, turn_request
from gateway_agents.builtin.loop import BuiltinAgent
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.provider import model_for
from gateway_agents.builtin.tools import Hand
from tests.emulators.openai import SECRET, Answer, OpenAIEmulator

_LONG = "One two three four five six seven eight nine ten"


@dataclass(frozen=True, slots=True)
class _Ended:
    text: str
    completion: TurnCompletion
    context: FakeTurnContext
    problem: Exception | None = None


@pytest.fixture
async def api() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator() as api:
        yield api


def _agent(api: OpenAIEmulator, **options: object) -> BuiltinAgent:
    def lookup(key: str) -> str:
        return f"value of {key}"

    def fail() -> str:
        raise ValueError(f"cannot reach the database ({SECRET})")

    chosen = Options.model_validate(
        {"model": "openai-chat:small", "api_key": api.key, "base_url": api.base_url, "retries": 0} | options
    )
    tools = FunctionToolset[Hand](tools=[lookup, fail])
    return BuiltinAgent(chosen, model_for(chosen, name="helper"), toolsets=[tools])


async def _ask(agent: BuiltinAgent, request: TurnRequest | str) -> _Ended:
    """Run a turn and conclude it as a gateway would."""
    context = FakeTurnContext()
    asked = turn_request(request) if isinstance(request, str) else request
    try:
        result = await agent.run(asked, context)
    except Exception as exc:  # noqa: BLE001  # whatever it is, it is classified
        return _Ended(context.text, classify_exception(exc), context, exc)
    finally:
        await agent.close()
    assert result.completion is not None
    assert result.text == context.text
    return _Ended(result.text, result.completion, context)


@pytest.mark.parametrize(
    ("marker", "reason", "text"),
    [
        ("completed", "completed", "[[completed]]"),
        ("length", "length_truncated", _LONG),
        ("filter", "content_filtered", ""),
        ("filter_with_text", "content_filtered", "One two"),
        ("refusal", "refused", "I can't help with that."),
        ("empty", "empty_response", ""),
        ("whitespace", "empty_response", " \n\t "),
        ("thoughts", "empty_response", ""),
        ("rate", "rate_limited", ""),
        ("quota", "quota_exhausted", ""),
        ("key", "auth_failed", ""),
        ("model", "model_not_found", ""),
        ("context", "context_overflow", ""),
        ("invalid", "invalid_request", ""),
        ("server", "provider_error", ""),
        ("overloaded", "provider_error", ""),
        ("cut", "stream_cut", _LONG),
        ("eof", "stream_cut", _LONG),
        ("error_frame", "provider_error", "One two"),
        ("cut_tool", "length_truncated", ""),
        ("broken_tools", "tool_error_budget", "Without tools."),
        ("one_tool", "completed", "Let me look.\n\nFound: value of x"),
    ],
)
async def test_turn_ends_as_the_provider_ended_it(
    api: OpenAIEmulator, marker: str, reason: str, text: str
) -> None:
    ended = await _ask(_agent(api), f"[[{marker}]]")

    assert (ended.completion.reason, ended.text) == (reason, text)
    assert api.problems == []


@pytest.mark.parametrize("marker", ["rate", "server", "error_frame", "broken_tool", "broken_tools", "key"])
async def test_turn_shows_nothing_of_what_went_wrong(api: OpenAIEmulator, marker: str) -> None:
    ended = await _ask(_agent(api), f"[[{marker}]]")

    assert SECRET not in ended.text
    assert SECRET not in repr(ended.completion.to_dict())


async def test_failed_tool_reaches_the_model_and_the_turn_goes_on(api: OpenAIEmulator) -> None:
    ended = await _ask(_agent(api), "[[broken_tool]]")

    assert ended.completion.reason == "completed"
    assert "The tool failed (ValueError)." in ended.text


async def test_unknown_word_never_reads_as_completed(api: OpenAIEmulator) -> None:
    ended = await _ask(_agent(api), "[[strange]]")

    assert ended.completion.truncated
    assert ended.completion.token == "cosmic_rays"
    assert ended.text == "One two"


async def test_rate_limit_keeps_the_wait(api: OpenAIEmulator) -> None:
    ended = await _ask(_agent(api), "[[rate]]")

    assert ended.completion.retry_after == 7.0


async def test_line_that_breaks_before_a_word_is_no_answer(api: OpenAIEmulator) -> None:
    ended = await _ask(_agent(api), "[[cut_at_once]]")

    assert ended.completion.reason in {"network_error", "stream_cut"}
    assert ended.text == ""


async def test_step_budget_ends_a_turn_that_calls_tools_for_ever(api: OpenAIEmulator) -> None:
    ended = await _ask(_agent(api, max_steps=3), "[[tools]]")

    assert ended.completion.code == "max_steps@agent.step_budget"
    assert ended.completion.steps == 3
    assert ended.completion.actions_ran
    assert len(api.requests) == 3
    assert ended.context.actions == ["lookup", "lookup", "lookup"]


async def test_same_call_again_and_again_is_stopped_before_the_budget_is_spent(api: OpenAIEmulator) -> None:
    ended = await _ask(_agent(api), "[[tools]]")

    assert ended.completion.code == "tool_loop_guard@agent.tool"
    assert len(api.requests) == 6


@pytest.mark.parametrize(
    ("marker", "setting", "text"),
    [("hang", "request_timeout", "One two"), ("deaf", "first_event_timeout", "")],
)
async def test_silence_of_the_provider_is_a_timeout(
    api: OpenAIEmulator, marker: str, setting: str, text: str
) -> None:
    ended = await _ask(_agent(api, **{setting: "250ms"}), f"[[{marker}]]")

    assert ended.completion.reason == "timeout"
    assert ended.text == text


async def test_stopped_turn_keeps_what_was_shown(api: OpenAIEmulator) -> None:
    agent, context = _agent(api), FakeTurnContext()
    task = asyncio.create_task(agent.run(turn_request("[[hang]]"), context))
    async with asyncio.timeout(5.0):
        while "two" not in context.text:  # the provider is real and tells no event
            await asyncio.sleep(0.01)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await agent.close()

    assert context.text == "One two"


async def test_connection_refused_is_a_network_error(api: OpenAIEmulator) -> None:
    agent = _agent(api, base_url="http://127.0.0.1:9/v1")

    ended = await _ask(agent, "hello")

    assert ended.completion.reason == "network_error"


async def test_failed_request_is_sent_again_when_the_operator_says_so(api: OpenAIEmulator) -> None:
    api.next("server", Answer("There you are."))

    ended = await _ask(_agent(api, retries=1), "hello")

    assert (ended.completion.reason, ended.text) == ("completed", "There you are.")


async def test_continue_sends_the_interrupted_answer_and_asks_for_the_rest(api: OpenAIEmulator) -> None:
    agent, context = _agent(api, max_steps=2), FakeTurnContext()
    first = turn_request("[[tools]]")
    history = remember(first, await agent.run(first, context), context)
    api.next("rest")

    ended = await _ask(agent, turn_request("continue", turn="t2", history=history, resume=True))

    assert ended.text == "eleven twelve."
    assert api.problems == []
    roles = [message["role"] for message in api.requests[-1]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "user"]
    assert "exactly where it stopped" in api.requests[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("marker", ["tools", "broken_tools", "cut", "eof", "length", "cut_tool"])
async def test_continue_is_a_request_the_provider_takes(api: OpenAIEmulator, marker: str) -> None:
    """However the turn broke off: no tool call stays without its result, no message is empty."""
    agent, context = _agent(api), FakeTurnContext()
    first = turn_request(f"[[{marker}]]")
    history = remember(first, await agent.run(first, context), context)
    api.next("rest")

    ended = await _ask(agent, turn_request("continue", turn="t2", history=history, resume=True))

    assert (ended.text, api.problems) == ("eleven twelve.", [])


async def test_history_without_state_is_sent_as_text(api: OpenAIEmulator) -> None:
    first = turn_request("What is up?")
    history = remember(first, None, FakeTurnContext(pieces=["The sky"]))

    await _ask(_agent(api), turn_request("And down?", turn="t2", history=history))

    said = [(message["role"], message["content"]) for message in api.requests[-1]["messages"]]
    assert said == [("user", "What is up?"), ("assistant", "The sky"), ("user", "And down?")]


async def test_instructions_of_the_agent_and_of_the_route_reach_the_model(api: OpenAIEmulator) -> None:
    agent = _agent(api, instructions="Be brief.", max_tokens=50, temperature=0.0)

    await _ask(agent, turn_request("hello", instructions="Speak as the captain."))

    asked = api.requests[-1]
    system = " ".join(str(message["content"]) for message in asked["messages"] if message["role"] == "system")
    assert "Be brief." in system
    assert "Speak as the captain." in system
    assert asked["temperature"] == 0.0
    assert 50 in (asked.get("max_tokens"), asked.get("max_completion_tokens"))


async def test_usage_is_reported(api: OpenAIEmulator) -> None:
    agent = _agent(api)

    result = await agent.run(turn_request("[[one_tool]]"), FakeTurnContext())
    await agent.close()

    assert dict(result.usage) == {"requests": 2, "input_tokens": 22, "output_tokens": 14}
