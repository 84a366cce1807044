"""What reaches each provider, and what is counted."""

from __future__ import annotations

import json

import pytest

from gateway.testing.turn import turn_request
from tests.emulators.providers.answers import SECRET, Answer
from tests.emulators.providers.server import Emulator
from tests.integration.agents.providers.asking import DIALECTS, ask, settings

_BOTH = pytest.mark.parametrize("streamed", [True, False])
_ALL = pytest.mark.parametrize("provider", DIALECTS)


@_BOTH
@_ALL
async def test_settings_and_instructions_reach_the_model(provider: str, streamed: bool) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        written = settings(api, stream=streamed, instructions="Be brief.", max_tokens=4321, temperature=0.625)
        await ask(written, turn_request("hello", instructions="Speak as the captain."))

    asked = json.dumps(api.requests[-1])
    assert all(word in asked for word in ("Be brief.", "Speak as the captain.", "4321", "0.625"))


@_BOTH
@_ALL
async def test_usage_of_every_request_is_counted(provider: str, streamed: bool) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        ended = await ask(settings(api, stream=streamed), "[[one_tool]]")

    assert ended.result is not None
    assert dict(ended.result.usage) == {"requests": 2, "input_tokens": 22, "output_tokens": 14}
    assert (ended.completion.steps, ended.completion.actions_ran) == (2, True)


@_BOTH
@_ALL
async def test_tool_call_that_was_cut_off_is_never_run(provider: str, streamed: bool) -> None:
    """Even where what is left of its arguments reads as whole."""
    token = DIALECTS[provider].answers["cut_tool"].token
    async with Emulator(DIALECTS[provider]) as api:
        api.next(Answer("", call=("lookup", '{"key": "half"}'), token=token))
        ended = await ask(settings(api, stream=streamed), "hello")

    assert (ended.completion.code, ended.completion.token) == ("length_truncated@provider.response", token)
    assert (ended.context.actions, len(api.requests)) == ([], 1)


@_BOTH
@pytest.mark.parametrize(
    ("provider", "token"),
    [("openai-chat", "content_filter"), ("google", "SAFETY"), ("bedrock", "content_filtered")],
)
async def test_tool_call_that_was_filtered_is_never_run(provider: str, token: str, streamed: bool) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        api.next(Answer("", call=("lookup", '{"key": "half"}'), token=token))
        ended = await ask(settings(api, stream=streamed), "hello")

    assert (ended.completion.code, ended.completion.token) == ("content_filtered@provider.response", token)
    assert (ended.context.actions, len(api.requests)) == ([], 1)


@_BOTH
@_ALL
async def test_failed_tool_tells_the_model_no_secret(provider: str, streamed: bool) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        ended = await ask(settings(api, stream=streamed), "[[broken_tools]]")

    assert ended.completion.code == "tool_error_budget@agent.tool"
    assert "The tool failed (ValueError)." in json.dumps(api.requests[-1])
    assert SECRET not in json.dumps(api.requests) + ended.text
    assert ended.context.actions == ["fail"] * 5


@_BOTH
@_ALL
async def test_failure_that_passes_is_asked_again_by_us_and_not_by_the_library(
    provider: str, streamed: bool
) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        api.next("server", "unavailable")
        ended = await ask(settings(api, stream=streamed, retries=1), "hello")

    assert (ended.completion.reason, len(api.requests)) == ("provider_error", 2)
