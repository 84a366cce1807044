"""Run one agent call to an end that is always known, and never wait for it for ever."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from gateway.abc.agent import Agent, TurnRequest, TurnResult
from gateway.completion.model import TurnCompletion
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
    """Owns the tasks of agents, also of those that ignore their cancellation.

    Attributes:
        abandoned: How many calls did not end within their grace time and were left behind.
    """

    def __init__(self) -> None:
        self.abandoned = 0
        self._left: set[asyncio.Task[TurnResult]] = set()

    async def run(self, agent: Agent, request: TurnRequest, running: Running) -> Outcome:
        """Run the agent until it returns, raises, is decided against, or passes a deadline."""
        task = asyncio.create_task(agent.run(request, running), name=f"agent {running.turn}")
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
        while not task.done():
            done, _ = await asyncio.wait({task}, timeout=max(running.patience(), 0.0))
            if done:
                return
            if running.decided is not None and running.patience() <= 0:
                return
            if running.decided is None and running.patience() <= 0:
                which = running.which()
                running.decide(TurnCompletion("timeout", site=f"session.{_SITES[which]}", source="control"))

    def _leave(self, task: asyncio.Task[TurnResult]) -> None:
        self.abandoned += 1
        self._left.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[TurnResult]) -> None:
        self._left.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, so that nothing is reported for a turn that is long decided


_SITES = {"whole": "deadline", "idle": "idle"}


def _outcome(task: asyncio.Task[TurnResult], running: Running) -> Outcome:
    if running.decided is not None or not task.done():
        if task.done() and not task.cancelled():
            task.exception()
        return Outcome()
    if task.cancelled():
        return Outcome(problem=asyncio.CancelledError())
    problem = task.exception()
    return Outcome(problem=problem) if problem is not None else Outcome(result=task.result())
