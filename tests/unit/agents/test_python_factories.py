"""Factories: one object for each conversation, bounded, dismissed in time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from gateway.errors import AgentError
from gateway.testing.turn import FakeTurnContext, turn_request
from gateway_agents.python.agent import PythonAgent
from gateway_agents.python.seats import Factory
from gateway_agents.python.threads import Threads


def _factory(make: object, *, keep: int = 10) -> PythonAgent:
    threads = Threads("mine", size=4, stuck=2)
    return PythonAgent(Factory(make, where="agent 'mine'", keep=keep, threads=threads), threads)


async def _ask(
    agent: PythonAgent, text: str = "hello", *, conversation: str = "c"
) -> tuple[str, str, list[str]]:
    """The text, the reason (empty for none) and the pieces."""
    context = FakeTurnContext()
    result = await agent.run(turn_request(text, conversation=conversation), context)
    reason = result.completion.reason if result.completion is not None else ""
    return result.text or context.text, reason, context.pieces


def _two(first: str, second: str) -> str:
    return first + second


class _Chat:
    def chat(self, text: str) -> str:
        return f"chat {text}"


class _Counting:
    made = 0

    def __init__(self, conversation: str) -> None:
        type(self).made += 1
        self.conversation = conversation
        self.turns = 0
        self.closed = False

    def chat(self, text: str) -> str:
        self.turns += 1
        return f"{self.conversation} {self.turns} {text}"

    def close(self) -> None:
        self.closed = True


async def test_factory_makes_one_object_for_each_conversation() -> None:
    agent = _factory(_Counting)

    answers = [(await _ask(agent, "x", conversation=key))[0] for key in ("a", "b", "a")]

    assert answers == ["a 1 x", "b 1 x", "a 2 x"]
    await agent.close()


async def test_factory_forgets_and_closes_the_object_used_longest_ago() -> None:
    made = dict[str, _Counting]()

    async def make(conversation: str) -> _Counting:
        made[conversation] = _Counting(conversation)
        return made[conversation]

    agent = _factory(make, keep=2)
    for key in ("a", "b", "a", "c"):
        await _ask(agent, conversation=key)

    assert {key: one.closed for key, one in made.items()} == {"a": False, "b": True, "c": False}
    await agent.close()
    assert all(one.closed for one in made.values())


async def test_factory_object_with_a_stuck_thread_is_not_asked_again() -> None:
    release = threading.Event()

    class Agent:
        def chat(self, text: str) -> str:
            if text == "hang":
                release.wait(10.0)
            return str(id(self))

    kept = list[Agent]()

    def make() -> Agent:
        kept.append(Agent())
        return kept[-1]

    agent = _factory(make)
    task = asyncio.create_task(_ask(agent, "hang"))
    await asyncio.sleep(0.03)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    answer, _, _ = await _ask(agent)
    release.set()

    assert answer == str(id(kept[1]))


async def test_factory_that_promises_reports_is_held_to_it() -> None:
    class Deaf(_Chat):
        reports_actions = True

    agent = _factory(Deaf)

    assert agent.reports_actions
    with pytest.raises(AgentError, match="take no context"):
        await _ask(agent)


@pytest.mark.parametrize("make", [_two, "not callable"])
def test_factory_says_at_the_start_what_it_cannot_call(make: object) -> None:
    with pytest.raises(AgentError, match="agent 'mine'"):
        _factory(make)
