"""A real model gives real words for how it ended, over real streams."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

from gateway.completion import classify_exception
from gateway.testing.turn import FakeTurnContext, remember, turn_request
from gateway_agents.builtin.loop import BuiltinAgent
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.provider import model_for
from tests.integration.small_model import NoModelError, install, serve

pytestmark = pytest.mark.slow

_REQUIRED = os.environ.get("LASTWORD_REQUIRE") == "all"


@pytest.fixture(scope="module")
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the model listens; skipped where it was not asked for or cannot be installed."""
    if not _REQUIRED and "slow" not in str(request.config.getoption("markexpr")):
        pytest.skip("a real model is only run with LASTWORD_REQUIRE=all or -m slow")
    try:
        weights = install()
    except NoModelError as exc:
        if _REQUIRED:
            pytest.fail(f"the small model is required here and cannot be installed: {exc}")
        pytest.skip(f"the small model cannot be installed: {exc}")
    with serve(weights) as address:
        yield address


def _agent(address: str, **options: object) -> BuiltinAgent:
    chosen = Options.model_validate(
        {"model": "openai-chat:smollm2", "base_url": address, "temperature": 0.0, "retries": 0} | options
    )
    return BuiltinAgent(chosen, model_for(chosen, name="small"))


async def test_real_answer_that_hits_its_limit_is_truncated_and_goes_on(address: str) -> None:
    agent, first, context = (
        _agent(address, max_tokens=16),
        turn_request("Tell me a story."),
        FakeTurnContext(),
    )
    result = await agent.run(first, context)
    history = remember(first, result, context)

    rest = await agent.run(
        turn_request("continue", turn="t2", history=history, resume=True), FakeTurnContext()
    )
    await agent.close()

    assert result.completion is not None
    assert (result.completion.reason, result.completion.token) == ("length_truncated", "length")
    assert len(context.pieces) > 1
    assert context.text == result.text
    assert result.usage["output_tokens"] == 16
    assert rest.text.strip()


async def test_real_answer_that_ends_by_itself_is_completed(address: str) -> None:
    agent, context = _agent(address, max_tokens=128), FakeTurnContext()

    result = await agent.run(turn_request("Say hi."), context)
    await agent.close()

    assert result.completion is not None
    assert (result.completion.reason, result.completion.token) == ("completed", "stop")
    assert result.text.strip()


async def test_real_prompt_beyond_the_window_is_a_context_overflow(address: str) -> None:
    agent = _agent(address)

    with pytest.raises(Exception, match=r"(?s).*") as caught:
        await agent.run(turn_request("word " * 1500), FakeTurnContext())
    await agent.close()

    assert classify_exception(caught.value).reason == "context_overflow"


async def test_real_answer_that_is_stopped_keeps_what_was_said(address: str) -> None:
    agent, context = _agent(address, max_tokens=400), FakeTurnContext()
    task = asyncio.create_task(agent.run(turn_request("Write a very long story about a ship."), context))
    async with asyncio.timeout(60.0):
        while len(context.pieces) < 4:  # the fake records, it tells nobody
            await asyncio.sleep(0.005)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await agent.close()

    assert context.text.strip()
