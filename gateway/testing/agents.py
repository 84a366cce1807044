"""The exam every agent runtime passes, ours and other people's alike.

Subclass `AgentContract` in a test module, give it `make` and the messages that bring your agent into each
situation, and run pytest with `asyncio_mode = "auto"`.
"""

from __future__ import annotations

import asyncio
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from gateway.abc.agent import Agent, TurnRequest, TurnResult
from gateway.testing.turn import FakeTurnContext, remember, turn_request

__all__ = ["AgentContract"]

_USERS = 200
_PATIENCE = 1.0  # seconds an agent may take to clean up


class AgentContract(ABC):
    """What the gateway relies on in an agent.

    Attributes:
        plain: A message that gets an ordinary answer.
        failing: A message whose run raises.
        hanging: A message whose run never ends by itself.
        streams: Whether the answer to `plain` comes in several pieces.
        secret: A text in the exception of `failing` that must never be emitted; empty for none.
        early: How a turn that ends early is asked for, and the reason it carries; `None` when the agent
            cannot know why it ended.
        recalling: A message whose answer holds what the person said before; `None` when it keeps none.
        resuming: A message whose answer stops early and goes on with Continue; `None` when it cannot.
        acting: A message on which it starts a tool with effects; `None` when it has none.
    """

    plain: str = "hello"
    failing: str
    hanging: str
    streams: bool = True
    secret: str = ""
    early: tuple[str, str] | None = None
    recalling: str | None = None
    resuming: str | None = None
    acting: str | None = None

    @abstractmethod
    async def make(self) -> Agent:
        """A new agent."""

    def echo(self, token: str) -> str:
        """A message whose answer holds `token` and nothing of other people's messages."""
        return f"say {token}"

    @asynccontextmanager
    async def agent(self) -> AsyncGenerator[Agent]:
        """An agent that is closed afterwards."""
        agent = await self.make()
        try:
            yield agent
        finally:
            await agent.close()

    async def test_run_answers_with_readable_text(self) -> None:
        """An ordinary message gets an answer a person can read."""
        async with self.agent() as agent:
            text, _ = await _ask(agent, turn_request(self.plain))

        assert text.strip()

    async def test_run_emits_exactly_the_text_it_returns(self) -> None:
        """Nothing that was shown disappears, and nothing appears that was not shown."""
        context = FakeTurnContext()

        async with self.agent() as agent:
            result = await agent.run(turn_request(self.plain), context)

        if context.pieces and result.text:
            assert context.text == result.text

    async def test_run_shows_the_answer_while_it_grows(self) -> None:
        """A streaming agent emits several pieces; `streams` says whether this one does."""
        context = FakeTurnContext()

        async with self.agent() as agent:
            await agent.run(turn_request(self.plain), context)

        assert (len(context.pieces) > 1) is self.streams

    async def test_run_lets_exceptions_out(self) -> None:
        """The caller classifies what was raised; an agent that swallows it hides the ending."""
        context = FakeTurnContext()

        async with self.agent() as agent:
            with pytest.raises(Exception, match=r"(?s).*"):
                await agent.run(turn_request(self.failing), context)

        assert not self.secret or self.secret not in context.text

    async def test_run_ends_within_a_second_when_it_is_cancelled(self) -> None:
        """Stop and deadlines cancel the run; swallowing that leaves a person waiting."""
        async with self.agent() as agent:
            context = FakeTurnContext()
            task = asyncio.create_task(_run(agent, turn_request(self.hanging), context))
            await _settled(lambda: bool(context.pieces or context.signs or context.actions), seconds=0.3)

            task.cancel()
            done, _ = await asyncio.wait({task}, timeout=_PATIENCE)

            assert done
            assert task.cancelled()

    async def test_run_shows_nothing_more_after_it_was_cancelled(self) -> None:
        """What comes after the end belongs to no turn."""
        async with self.agent() as agent:
            context = FakeTurnContext()
            task = asyncio.create_task(_run(agent, turn_request(self.hanging), context))
            await _settled(lambda: bool(context.pieces), seconds=0.3)
            task.cancel()
            await asyncio.wait({task}, timeout=_PATIENCE)
            shown = context.text

            await asyncio.sleep(0.05)

            assert context.text == shown

    async def test_run_never_mixes_conversations(self) -> None:
        """Many people at once: each gets the answer and the ending of their own turn."""
        async with self.agent() as agent:
            answers = await asyncio.gather(*(self._visit(agent, number) for number in range(_USERS)))

        assert [answer for answer in answers if answer] == []

    async def test_run_knows_what_was_said_before(self) -> None:
        """The history that is handed in reaches the answer."""
        if self.recalling is None:
            pytest.skip("this agent keeps no history")
        async with self.agent() as agent:
            first = turn_request("my number is 4711")
            context = FakeTurnContext()
            history = remember(first, await agent.run(first, context), context)

            text, _ = await _ask(agent, turn_request(self.recalling, turn="t2", history=history))

        assert "4711" in text

    async def test_run_goes_on_where_it_stopped(self) -> None:
        """Continue adds to the answer; it does not repeat it."""
        if self.resuming is None:
            pytest.skip("this agent cannot resume")
        async with self.agent() as agent:
            first = turn_request(self.resuming)
            context = FakeTurnContext()
            result = await agent.run(first, context)
            history = remember(first, result, context)

            again = turn_request("continue", turn="t2", history=history, resume=True)
            text, _ = await _ask(agent, again)

        assert result.completion is not None
        assert result.completion.truncated
        assert text.strip()
        assert text.strip() not in context.text

    async def test_run_ignores_state_it_cannot_read(self) -> None:
        """What was kept with a turn may come from an older version, or be damaged."""
        first = turn_request(self.plain)
        history = remember(
            first, TurnResult(text="An earlier answer.", data=b"\x00{not ours"), FakeTurnContext()
        )

        async with self.agent() as agent:
            text, _ = await _ask(agent, turn_request(self.plain, turn="t2", history=history))

        assert text.strip()

    async def test_actions_are_reported_before_they_start(self) -> None:
        """An agent that says it reports actions does."""
        if self.acting is None:
            pytest.skip("this agent has no tools")
        context = FakeTurnContext()

        async with self.agent() as agent:
            await agent.run(turn_request(self.acting), context)
            reports = agent.reports_actions

        assert reports
        assert context.actions

    async def test_close_may_be_called_twice(self) -> None:
        """Closing again is harmless."""
        async with self.agent() as agent:
            await agent.run(turn_request(self.plain), FakeTurnContext())

            await agent.close()
            await agent.close()

    async def test_nothing_is_left_running(self) -> None:
        """Neither a task nor a thread outlives the agent."""
        tasks, threads = asyncio.all_tasks(), set(threading.enumerate())

        async with self.agent() as agent:
            await agent.run(turn_request(self.plain), FakeTurnContext())
        await _settled(lambda: not asyncio.all_tasks() - tasks, seconds=_PATIENCE)
        await _settled(lambda: not self._left(threads), seconds=_PATIENCE)

        assert asyncio.all_tasks() - tasks == set()
        assert self._left(threads) == set()

    def _left(self, before: set[threading.Thread]) -> set[threading.Thread]:
        """Threads that are new, the event loop's own pool aside."""
        return {
            thread for thread in set(threading.enumerate()) - before if not thread.name.startswith("asyncio_")
        }

    async def _visit(self, agent: Agent, number: int) -> str:
        """What was wrong with one person's turn; empty for nothing."""
        token = f"token{number:04d}"
        wanted = "completed"
        message = self.echo(token)
        if self.early is not None and number % 3 == 0:
            message, wanted = self.early
        request = turn_request(message, turn=f"t{number}", conversation=f"bot/{number}")
        text, result = await _ask(agent, request)
        reason = result.completion.reason if result.completion is not None else "completed"
        if reason != wanted:
            return f"{token}: ended {reason}, not {wanted}"
        foreign = set(re.findall(r"token\d{4}", text)) - {token}
        if foreign or (wanted == "completed" and token not in text):
            return f"{token}: was answered {text!r}"
        return ""


async def _ask(agent: Agent, request: TurnRequest) -> tuple[str, TurnResult]:
    context = FakeTurnContext()
    result = await agent.run(request, context)
    return result.text or context.text, result


async def _run(agent: Agent, request: TurnRequest, context: FakeTurnContext) -> TurnResult:
    return await agent.run(request, context)


async def _settled(check: Callable[[], bool], *, seconds: float) -> None:
    """Wait until the check holds, at most so long."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while not check() and loop.time() < until:  # noqa: ASYNC110  # what is waited for knows no event
        await asyncio.sleep(0.005)
