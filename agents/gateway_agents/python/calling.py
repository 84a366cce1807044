"""Find out how an object wants to be asked, and ask it."""

from __future__ import annotations

import contextlib
import inspect
import typing
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

from gateway.abc.agent import TurnContext, TurnRequest
from gateway.completion.model import AgentReply, TurnCompletion
from gateway.errors import AgentError
from gateway_agents.python.reading import read
from gateway_agents.python.threads import BlockingContext, Threads

__all__ = ["Call", "call_of"]

_VERBS = ("achat", "chat", "arun", "run", "ainvoke", "invoke")
_CONTEXT_NAMES = frozenset({"context", "ctx", "turn"})
_REQUEST_NAMES = frozenset({"request", "turn_request"})
_EXPECTED = "expected (text), (text, context) or (request)"


@dataclass(frozen=True, slots=True)
class Call:
    """How one object is asked.

    Attributes:
        function: What is called.
        first: What its first parameter takes.
        takes_context: Whether a second one takes the turn's context.
        awaits: Whether it runs on the event loop; otherwise it gets a thread.
    """

    function: Callable[..., object]
    first: Literal["text", "request"]
    takes_context: bool
    awaits: bool

    @property
    def hears(self) -> bool:
        """Whether the turn's context reaches the object."""
        return self.takes_context

    async def ask(self, request: TurnRequest, context: TurnContext, threads: Threads) -> object:
        """Ask, show the pieces of a streamed answer, and give back what came of it."""
        if self.awaits:
            return await _awaited(self.function(*self._arguments(request, context)), context)
        blocking = BlockingContext(context)
        try:
            result = await threads.run(lambda: self._in_thread(request, blocking))
        finally:
            blocking.end()
        return await _awaited(result, context)

    def _in_thread(self, request: TurnRequest, context: BlockingContext) -> object:
        result = self.function(*self._arguments(request, context))
        if not isinstance(result, Iterator):
            return result
        return _drain(cast("Iterator[object]", result), context)

    def _arguments(self, request: TurnRequest, context: object) -> tuple[object, ...]:
        first = request.text if self.first == "text" else request
        return (first, context) if self.takes_context else (first,)


def call_of(target: object, *, where: str) -> Call:
    """How an object is asked.

    Raises:
        AgentError: It is a class, it has nothing to call, or it asks for parameters nobody can give it.
    """
    if inspect.isclass(target):
        raise AgentError(f"{where}: {target.__name__!r} is a class; name an object, or write 'factory:'")
    function = _function_of(target)
    if function is None:
        raise AgentError(f"{where}: a {type(target).__name__} can't be asked; give it a method chat(text)")
    first, takes_context = _parameters(function, where=where)
    awaits = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    return Call(function, first, takes_context, awaits)


def _function_of(target: object) -> Callable[..., object] | None:
    if inspect.isroutine(target):
        return target
    for verb in _VERBS:
        method: object = getattr(target, verb, None)
        if callable(method):
            return method
    if not callable(target):
        return None
    call: object = getattr(target, "__call__")  # noqa: B004,B009  # the bound method, which says whether it awaits
    return target if not inspect.ismethod(call) else call


def _parameters(function: Callable[..., object], *, where: str) -> tuple[Literal["text", "request"], bool]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function of an extension module: it is taken to want the text
        return "text", False
    hints = _hints(function)
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one for one in positional if one.default is one.empty]
    named = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    takes_context = len(positional) > 1 and _is_context(positional[1], hints)
    spread = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    if named or len(required) > 1 + takes_context or not (positional or spread):
        listed = ", ".join(one.name for one in parameters)
        raise AgentError(f"{where}: it takes ({listed}); {_EXPECTED}")
    return "request" if positional and _is_request(positional[0], hints) else "text", takes_context


def _is_context(parameter: inspect.Parameter, hints: dict[str, object]) -> bool:
    """An optional `context` of some framework means something else, so only a required one counts."""
    hint = hints.get(parameter.name, parameter.annotation)
    if hint in (TurnContext, BlockingContext, "TurnContext"):
        return True
    return parameter.default is parameter.empty and parameter.name in _CONTEXT_NAMES


def _is_request(parameter: inspect.Parameter, hints: dict[str, object]) -> bool:
    hint = hints.get(parameter.name, parameter.annotation)
    if hint is parameter.empty:
        return parameter.name in _REQUEST_NAMES
    return hint in (TurnRequest, "TurnRequest")


def _hints(function: Callable[..., object]) -> dict[str, object]:
    with contextlib.suppress(Exception):  # annotations may name what only a type checker imports
        return dict[str, object](typing.get_type_hints(function))
    return {}


async def _awaited(result: object, context: TurnContext) -> object:
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterable):
        return await _stream(aiter(cast("AsyncIterable[object]", result)), context)
    return result


async def _stream(pieces: AsyncIterator[object], context: TurnContext) -> AgentReply:
    told = _Told()
    try:
        async for piece in pieces:
            text = told.take(piece)
            if text:
                await context.emit(text)
    finally:
        close: object = getattr(pieces, "aclose", None)
        if callable(close):
            await cast("Callable[[], typing.Awaitable[None]]", close)()
    return told.reply()


def _drain(pieces: Iterator[object], context: BlockingContext) -> AgentReply:
    told = _Told()
    try:
        for piece in pieces:
            text = told.take(piece)
            if text:
                context.emit(text)
    finally:
        close: object = getattr(pieces, "close", None)
        if callable(close):
            close()
    return told.reply()


class _Told:
    """What a streamed answer said so far; a last piece that is no text may say how it ended."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._completion: TurnCompletion | None = None

    def take(self, piece: object) -> str:
        """The text of a piece."""
        if isinstance(piece, TurnCompletion):
            self._completion = piece
            return ""
        reply = read(piece)
        self._completion = reply.completion or self._completion
        self._texts.append(reply.text)
        return reply.text

    def reply(self) -> AgentReply:
        """The whole answer."""
        return AgentReply("".join(self._texts), self._completion)
