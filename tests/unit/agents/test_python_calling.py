"""Ask objects of every kind, stream what they stream, and keep people apart."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from gateway.abc.agent import TurnContext, TurnRequest
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.errors import AgentError
from gateway.testing.turn import FakeTurnContext, turn_request
from gateway_agents.python.agent import PythonAgent
from gateway_agents.python.seats import seat_for
from gateway_agents.python.threads import BlockingContext, Threads


def _agent(target: object, *, size: int = 4, stuck: int = 2) -> PythonAgent:
    return PythonAgent(seat_for(target, where="agent 'mine'"), Threads("mine", size=size, stuck=stuck))


async def _ask(
    agent: PythonAgent, text: str = "hello", *, conversation: str = "c"
) -> tuple[str, str, list[str]]:
    """The text, the reason (empty for none) and the pieces."""
    context = FakeTurnContext()
    result = await agent.run(turn_request(text, conversation=conversation), context)
    reason = result.completion.reason if result.completion is not None else ""
    return result.text or context.text, reason, context.pieces


class _Chat:
    def chat(self, text: str) -> str:
        return f"chat {text}"


class _Both(_Chat):
    async def achat(self, text: str) -> str:
        return f"achat {text}"


class _Callable:
    async def __call__(self, text: str) -> str:
        return f"called {text}"


class _Invoked:
    def invoke(self, text: str, config: object = None, **more: object) -> dict[str, object]:
        assert (config, more) == (None, {})
        return {"output": f"invoke {text}"}


def _blocking(text: str) -> str:
    return f"sync {text}"


async def _awaiting(text: str) -> str:
    return f"async {text}"


def _returns_awaitable(text: str) -> object:
    return _awaiting(text)


async def _of_request(request: TurnRequest) -> str:
    return f"{request.person.name} {request.text}"


async def _with_context(text: str, context: TurnContext) -> None:
    await context.emit("one ")
    await context.emit(text)


def _with_blocking_context(text: str, context: BlockingContext) -> AgentReply:
    context.progress()
    context.emit("one ")
    context.emit(text)
    return AgentReply(completion=TurnCompletion("max_steps"))


async def _async_pieces(text: str) -> AsyncIterator[object]:
    yield "one "
    yield text
    yield TurnCompletion("length_truncated")


def _pieces(text: str) -> Iterator[object]:
    yield "one "
    yield text
    yield {"text": "", "completion": {"reason": "refused"}}


@pytest.mark.parametrize(
    ("target", "text", "reason"),
    [
        (_Chat(), "chat hello", ""),
        (_Chat().chat, "chat hello", ""),
        (_Both(), "achat hello", ""),
        (_Callable(), "called hello", ""),
        (_Invoked(), "invoke hello", ""),
        (_blocking, "sync hello", ""),
        (_awaiting, "async hello", ""),
        (functools.partial(_awaiting), "async hello", ""),
        (_returns_awaitable, "async hello", ""),
        (_of_request, "Ada hello", ""),
        (_with_context, "one hello", ""),
        (_with_blocking_context, "one hello", "max_steps"),
        (_async_pieces, "one hello", "length_truncated"),
        (_pieces, "one hello", "refused"),
    ],
)
async def test_agent_asks_an_object_in_its_own_way(target: object, text: str, reason: str) -> None:
    answered, ended, _ = await _ask(_agent(target))

    assert (answered, ended) == (text, reason)


@pytest.mark.parametrize("target", [_async_pieces, _pieces])
async def test_agent_streams_what_a_generator_gives(target: object) -> None:
    _, _, pieces = await _ask(_agent(target))

    assert pieces == ["one ", "hello"]


def _two(first: str, second: str) -> str:
    return first + second


def _none() -> str:
    return ""


def _named(text: str, *, key: str) -> str:
    return text + key


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (_Chat, "'_Chat' is a class; name an object, or write 'factory:'"),
        (object(), r"a object can't be asked; give it a method chat\(text\)"),
        (_two, r"it takes \(first, second\); expected"),
        (_none, r"it takes \(\); expected"),
        (_named, r"it takes \(text, key\); expected"),
    ],
)
def test_agent_says_at_the_start_what_it_cannot_ask(target: object, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        _agent(target)


async def test_object_with_its_own_last_word_is_read_right_after_its_turn() -> None:
    class Agent:
        last_stop_reason = "completed"

        async def chat(self, text: str) -> str:
            self.last_stop_reason = text
            await asyncio.sleep(0.001)
            return text

    agent = _agent(Agent())
    words = [f"word{number}" for number in range(20)]

    answers = await asyncio.gather(*(_ask(agent, word) for word in words))

    assert [(text, reason) for text, reason, _ in answers] == [(word, word) for word in words]
    assert "factory:" in agent.warnings[0]


async def test_own_word_of_the_reply_beats_the_last_word_of_the_object() -> None:
    class Agent:
        last_stop_reason = "max_steps"

        async def chat(self, text: str) -> AgentReply:
            return AgentReply(text, TurnCompletion())

    assert await _ask(_agent(Agent())) == ("hello", "completed", [])


@pytest.mark.parametrize(
    ("promises", "target", "reports"),
    [
        (True, _with_context, True),
        (False, _with_context, False),
        (True, _blocking, False),
    ],
)
def test_actions_count_as_reported_only_when_promised_and_possible(
    promises: bool, target: Callable[..., object], reports: bool
) -> None:
    class Agent:
        reports_actions = promises
        chat = staticmethod(target)

    assert _agent(Agent()).reports_actions is reports


async def test_hung_calls_starve_nobody_and_are_counted() -> None:
    release = threading.Event()

    def chat(text: str) -> str:
        if text == "hang":
            release.wait(10.0)
        return text

    agent = _agent(chat, size=1, stuck=2)
    for hung in (1, 2):
        task = asyncio.create_task(_ask(agent, "hang"))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert agent.abandoned == hung
        if hung == 1:
            assert (await _ask(agent))[0] == "hello"

    refused = await _ask(agent)
    release.set()
    async with asyncio.timeout(5.0):
        while agent.abandoned:  # a thread's end is no event of the loop
            await asyncio.sleep(0.005)

    assert refused == ("", "busy", [])
    assert (await _ask(agent))[0] == "hello"


async def test_calls_beyond_the_size_wait_for_a_place() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def chat(text: str) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1
        return text

    agent = _agent(chat, size=3)

    await asyncio.gather(*(_ask(agent) for _ in range(12)))

    assert most == 3


async def test_abandoned_call_can_show_and_start_nothing_more() -> None:
    go, problems = threading.Event(), list[str]()

    def chat(text: str, context: BlockingContext) -> str:
        context.emit(text)
        go.wait(10.0)
        for ask in (context.emit, context.before_action):
            try:
                ask("more")
            except AgentError as exc:
                problems.append(str(exc))
        return text

    agent, context = _agent(chat), FakeTurnContext()
    task = asyncio.create_task(agent.run(turn_request("hello"), context))
    async with asyncio.timeout(5.0):
        while not context.pieces:  # the fake records, it tells nobody
            await asyncio.sleep(0.002)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    async with asyncio.timeout(5.0):
        while agent.abandoned:  # a thread's end is no event of the loop
            await asyncio.sleep(0.002)

    assert (context.pieces, context.actions) == (["hello"], [])
    assert problems == ["the turn is over", "the turn is over"]


def _exits(text: str) -> str:
    raise SystemExit(text)


async def _exits_awaiting(text: str) -> str:
    raise SystemExit(text)


def _stops(text: str) -> str:
    raise StopIteration(text)


async def _cancels_itself(text: str) -> str:
    raise asyncio.CancelledError(text)


def _cancels_blocking(text: str) -> str:
    raise asyncio.CancelledError(text)


@pytest.mark.parametrize("target", [_exits, _exits_awaiting, _stops, _cancels_itself, _cancels_blocking])
async def test_agent_that_exits_or_cancels_itself_fails_its_own_turn_only(target: object) -> None:
    with pytest.raises(AgentError):
        await _ask(_agent(target))


async def test_generator_is_closed_when_its_turn_is_cancelled() -> None:
    closed = asyncio.Event()

    async def chat(text: str) -> AsyncIterator[str]:
        try:
            yield text
            await asyncio.Event().wait()
        finally:
            closed.set()

    task = asyncio.create_task(_ask(_agent(chat)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert closed.is_set()
