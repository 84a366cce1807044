"""Turns of an agent on trial: the gateway's own straight line, and what can be seen from beside it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, cast

from gateway.abc.agent import Agent, TurnContext, TurnRequest, TurnResult
from gateway.completion.model import TurnCompletion
from gateway.embedded import BotSessionManager

__all__ = ["Trial", "Turn"]

_TICK = 0.02  # seconds
_GRACE = 1.0  # seconds an agent may take to end after it was stopped


@dataclass(slots=True)
class Turn:
    """One turn as it is seen from outside.

    Attributes:
        text: What is visible of the answer.
        pieces: What was shown while it grew.
        returned: What the agent gave back; `None` when it raised or was stopped.
        raised: What came out of the agent instead.
        problem: The traceback, secrets masked.
        seconds: How long it took.
        lag: Seconds for which nothing else could run meanwhile, at worst.
    """

    text: str = ""
    completion: TurnCompletion = field(default_factory=TurnCompletion)
    pieces: list[str] = field(default_factory=list[str])
    returned: TurnResult | None = None
    raised: BaseException | None = None
    problem: str = ""
    seconds: float = 0.0
    lag: float = 0.0


class Trial:
    """Asks an agent as a bot would.

    Args:
        patience: Seconds one turn may take.
    """

    def __init__(self, agent: Agent, *, patience: float) -> None:
        self.agent = agent
        self._patience = patience
        self._sessions = self._within(patience)

    async def turn(self, person: str, text: str, *, deadline: float | None = None) -> Turn:
        """One message and what came of it; with a deadline, of a conversation of its own."""
        sessions = self._sessions if deadline is None else self._within(deadline)
        turn = Turn()
        began = time.monotonic()
        async with _ticking(turn):
            record = await sessions.chat_record(self._through(turn), person, text)
        turn.seconds = time.monotonic() - began
        turn.text, turn.problem = record.partial, record.problem
        turn.completion = TurnCompletion.from_dict(record.completion)
        return turn

    async def stop(self, person: str, text: str, *, after: float) -> tuple[_Fate, Turn]:
        """Stop a turn after some seconds; what the agent made of it."""
        turn, over = Turn(), asyncio.Event()
        ask = self._through(turn, over)
        began = time.monotonic()
        task = asyncio.create_task(self._within(self._patience).chat_record(ask, person, text))
        await asyncio.wait({task}, timeout=after)
        if over.is_set():
            await task
            return "too late", turn
        task.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                await over.wait()
        turn.seconds = time.monotonic() - began
        fate: _Fate = "goes on"
        if over.is_set():
            fate = "stopped" if isinstance(turn.raised, asyncio.CancelledError) else "ignored"
        await asyncio.wait({task}, timeout=_GRACE)
        return fate, turn

    def _within(self, seconds: float) -> BotSessionManager:
        return BotSessionManager(platform="test", timeout=seconds, idle_timeout=seconds)

    def _through(
        self, turn: Turn, over: asyncio.Event | None = None
    ) -> Callable[[TurnRequest, TurnContext], Awaitable[TurnResult]]:
        """The agent, overheard."""

        async def ask(request: TurnRequest, context: TurnContext) -> TurnResult:
            try:
                turn.returned = await self.agent.run(request, cast("TurnContext", _Overheard(context, turn)))
            except BaseException as exc:
                turn.raised = exc
                raise
            finally:
                if over is not None:
                    over.set()
            return turn.returned

        return ask


_Fate = Literal["stopped", "ignored", "goes on", "too late"]


class _Overheard:
    """A turn's context that keeps the pieces which are shown through it."""

    def __init__(self, context: TurnContext, turn: Turn) -> None:
        self._context = context
        self._turn = turn

    async def emit(self, text: str) -> None:
        """Show more, and keep it."""
        self._turn.pieces.append(text)
        await self._context.emit(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)


@contextlib.asynccontextmanager
async def _ticking(turn: Turn) -> AsyncGenerator[None]:
    """Measure how long the event loop is held meanwhile."""

    async def tick() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_TICK)
            turn.lag = max(turn.lag, time.monotonic() - began - _TICK)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0)
    try:
        yield
    finally:
        await asyncio.sleep(0)  # lets a tick that is overdue be counted
        ticking.cancel()
        await asyncio.wait({ticking})
