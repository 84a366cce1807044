"""Run one agent call to an end that is always known, and never wait for it for ever."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from gateway.abc.agent import Agent, TurnRequest, TurnResult
from gateway.completion.model import TurnCompletion
from gateway.errors import AgentError
from gateway.session.running import Running

__all__ = ["Nursery", "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the call itself ended; at most one of the two is set.

    Neither is set when the turn was decided from outside.
    """

    result: TurnResult | None = None
    problem: BaseException | None = None


class Nursery:
    """Owns the tasks of agents, also of those that ignore their cancellation."""

    def __init__(self) -> None:
        self._left: set[asyncio.Task[TurnResult]] = set()

    @property
    def abandoned(self) -> int:
        """How many calls did not end within their grace time and still run."""
        return len(self._left)

    async def run(self, agent: Agent, request: TurnRequest, running: Running) -> Outcome:
        """Run the agent until it returns, raises, is decided against, or passes a deadline."""
        task = asyncio.create_task(_contained(agent, request, running), name=f"agent {running.turn}")
        running.task = task
        if running.decided is not None:
            task.cancel()
        try:
            await self._watch(task, running)
        finally:
            if not task.done():
                task.cancel()
                self._leave(task)
        return _outcome(task, running)

    async def close(self) -> None:
        """Cancel what was left behind and give it a moment."""
        for task in self._left:
            task.cancel()
        if self._left:
            await asyncio.wait(self._left, timeout=1.0)

    async def _watch(self, task: asyncio.Task[TurnResult], running: Running) -> None:
        decided: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        running.on_decided = lambda: decided.set_result(None)
        if running.decided is not None:
            decided.set_result(None)
        both: set[asyncio.Future[Any]] = {task, decided}
        while not (task.done() or decided.done()):
            await asyncio.wait(
                both, timeout=max(running.patience(), 0.0), return_when=asyncio.FIRST_COMPLETED
            )
            if not (task.done() or decided.done()) and running.patience() <= 0:
                site = f"session.{_SITES[running.which()]}"
                running.decide(TurnCompletion("timeout", site=site, source="control"))
        await asyncio.wait({task}, timeout=max(running.patience(), 0.0))

    def _leave(self, task: asyncio.Task[TurnResult]) -> None:
        self._left.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[TurnResult]) -> None:
        self._left.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, so that nothing is reported for a turn that is long decided


async def _contained(agent: Agent, request: TurnRequest, running: Running) -> TurnResult:
    """The agent's call, whose attempt to end the process ends this turn alone."""
    try:
        return await agent.run(request, running)
    except (SystemExit, KeyboardInterrupt) as exc:
        raise AgentError("the agent tried to end the process") from exc


_SITES = {"whole": "deadline", "idle": "idle"}


def _outcome(task: asyncio.Task[TurnResult], running: Running) -> Outcome:
    if running.decided is not None or not task.done():
        if task.done() and not task.cancelled():
            task.exception()
        return Outcome()
    if task.cancelled():
        return Outcome(problem=AgentError("the agent cancelled itself"))
    problem = task.exception()
    return Outcome(problem=problem) if problem is not None else Outcome(result=task.result())
