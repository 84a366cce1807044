"""The objects that answer: one for everybody, or one for each conversation."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from gateway.abc.agent import TurnContext, TurnRequest
from gateway.errors import AgentError
from gateway_agents.python.calling import call_of
from gateway_agents.python.frameworks import framework_of
from gateway_agents.python.threads import Threads

__all__ = ["Factory", "Seat", "seat_for"]

_ALONE = (
    "how a turn ended is kept on the object (last_stop_reason), so it answers one person at a time; "
    "write 'factory:' and name a function that makes one object for each conversation"
)
_NO_STREAM = (
    "'stream' is for agents of LangGraph, LangChain, pydantic-ai and the OpenAI Agents SDK; "
    "others yield pieces of text, or call context.emit"
)
_DISMISSAL = 2.0  # seconds an object gets to close itself


class _Asking(Protocol):
    """How an object is asked; see `Call`."""

    @property
    def hears(self) -> bool: ...
    @property
    def awaits(self) -> bool: ...
    async def ask(self, request: TurnRequest, context: TurnContext, threads: Threads) -> object: ...


@dataclass(frozen=True, slots=True)
class Seat:
    """One object, and how it is asked.

    Attributes:
        alone: Held while it is asked, where its word for the ending is only found on the object itself.
    """

    target: object
    asking: _Asking
    alone: asyncio.Lock | None
    where: str

    @property
    def reports_actions(self) -> bool:
        """Whether the object promises to report its actions and is given the means to."""
        return self.asking.hears and getattr(self.target, "reports_actions", False) is True

    @property
    def warnings(self) -> tuple[str, ...]:
        """What an operator should know."""
        if self.alone is None:
            return ()
        return (f"{self.where}: {_ALONE}",)

    def turn(self) -> AbstractAsyncContextManager[object]:
        """The right to ask it now."""
        return self.alone or contextlib.nullcontext()

    def last_word(self) -> str:
        """What the object itself says about how its latest turn ended; empty for nothing."""
        with contextlib.suppress(Exception):  # a foreign property may raise anything
            word: object = getattr(self.target, "last_stop_reason", None)
            return word if isinstance(word, str) else ""
        return ""


def seat_for(target: object, *, where: str, shared: bool = True, stream: bool = False) -> Seat:
    """Seat an object that everybody shares, or one conversation has for itself.

    Raises:
        AgentError: Nobody knows how to ask it, or how to let its answer be seen while it grows.
    """
    framework = framework_of(target, stream=stream)
    if stream and framework is None:
        raise AgentError(f"{where}: {_NO_STREAM}")
    asking: _Asking = framework or call_of(target, where=where)
    alone = asyncio.Lock() if shared and hasattr(target, "last_stop_reason") else None
    return Seat(target, asking, alone, where)


class Factory:
    """Makes an object for each conversation and keeps the latest ones.

    Args:
        make: Called with nothing, or with the conversation's key where it takes one argument.
        keep: Objects kept; of those that are not being asked, the one used longest ago goes first.
        stream: Whether their answers are shown while they grow.
    """

    warnings: tuple[str, ...] = ()

    def __init__(
        self, make: object, *, where: str, keep: int, threads: Threads, stream: bool = False
    ) -> None:
        if not callable(make):
            raise AgentError(f"{where}: a {type(make).__name__} makes nothing; name a function or a class")
        self._make: Callable[..., object] = make
        self._takes_key = _takes_key(make, where=where)
        self._where = where
        self._keep = keep
        self._threads = threads
        self._stream = stream
        self._seats: OrderedDict[str, Seat] = OrderedDict()
        self._asked: Counter[str] = Counter()

    @property
    def reports_actions(self) -> bool:
        """What the factory promises for its objects; held against each that it makes."""
        return getattr(self._make, "reports_actions", False) is True

    @contextlib.asynccontextmanager
    async def seat(self, conversation: str) -> AsyncGenerator[Seat]:
        """The conversation's object, made when it has none."""
        self._asked[conversation] += 1
        try:
            seat = await self._seated(conversation)
            try:
                yield seat
            except asyncio.CancelledError:
                if not seat.asking.awaits:  # a thread still works in the object; it must not be asked again
                    self._seats.pop(conversation, None)
                raise
        finally:
            self._asked[conversation] -= 1
            if not self._asked[conversation]:
                del self._asked[conversation]
        await self._trim()

    async def close(self) -> None:
        """Dismiss every object."""
        while self._seats:
            _, seat = self._seats.popitem(last=False)
            await self._dismiss(seat.target)

    async def _seated(self, conversation: str) -> Seat:
        seat = self._seats.get(conversation)
        if seat is None:
            arguments = (conversation,) if self._takes_key else ()
            if inspect.iscoroutinefunction(self._make):
                target: object = await self._make(*arguments)
            else:
                target = await self._threads.run(lambda: self._make(*arguments))
            seat = self._seats[conversation] = self._promised(
                seat_for(target, where=self._where, shared=False, stream=self._stream)
            )
        self._seats.move_to_end(conversation)
        return seat

    def _promised(self, seat: Seat) -> Seat:
        if self.reports_actions and not seat.asking.hears:
            raise AgentError(f"{self._where}: it promises to report actions, but its objects take no context")
        return seat

    async def _trim(self) -> None:
        idle = [key for key in self._seats if key not in self._asked] if len(self._seats) > self._keep else []
        for key in idle[: len(self._seats) - self._keep]:
            await self._dismiss(self._seats.pop(key).target)

    async def _dismiss(self, target: object) -> None:
        for name in ("aclose", "close"):
            close: object = getattr(target, name, None)
            if callable(close):
                with contextlib.suppress(Exception):  # a failed farewell is nobody's ending
                    async with asyncio.timeout(_DISMISSAL):
                        await self._closed(close)
                return

    async def _closed(self, close: Callable[[], object]) -> None:
        result = close() if inspect.iscoroutinefunction(close) else await self._threads.run(close)
        if inspect.isawaitable(result):
            await result


def _takes_key(make: Callable[..., object], *, where: str) -> bool:
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return False
    required = [one for one in parameters if one.default is one.empty and one.kind not in _SPREAD]
    if len(required) > 1 or any(one.kind is one.KEYWORD_ONLY for one in required):
        raise AgentError(f"{where}: a factory takes nothing, or the conversation's key")
    return bool(required)


_SPREAD = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
