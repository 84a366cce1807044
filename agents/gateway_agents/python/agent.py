"""Run any Python object as an agent."""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
from collections.abc import AsyncGenerator, Collection

from gateway.abc.agent import Agent, TurnContext, TurnRequest, TurnResult
from gateway.completion.model import TurnCompletion
from gateway.errors import AgentError
from gateway_agents._loading import load
from gateway_agents.python.options import Options
from gateway_agents.python.reading import read
from gateway_agents.python.seats import Factory, Seat, seat_for
from gateway_agents.python.threads import Threads, TooManyStuck

__all__ = ["PythonAgent", "create", "wrap"]


def create(options: Options, *, name: str, base: pathlib.Path) -> Agent:
    """An agent around what `target` or `factory` names.

    Raises:
        AgentError: It does not exist, its module cannot be imported, or nobody knows how to ask it.
    """
    reference = options.target or options.factory
    where = f"agent {name!r}: {reference!r}"
    found = load(reference, name=name, base=base)
    threads = Threads(name, size=options.threads, stuck=options.stuck_threads)
    if options.factory:
        factory = Factory(
            found, where=where, keep=options.conversations, threads=threads, stream=options.stream
        )
        return PythonAgent(factory, threads, accepts=options.accepts)
    seat = seat_for(found, where=where, stream=options.stream)
    return PythonAgent(seat, threads, accepts=options.accepts)


def wrap(target: object) -> Agent:
    """An agent around an object that is at hand, with the bounds a configuration would give it.

    Raises:
        AgentError: Nobody knows how to ask it.
    """
    defaults = Options(target="embedded:agent")
    threads = Threads("embedded", size=defaults.threads, stuck=defaults.stuck_threads)
    return PythonAgent(seat_for(target, where=f"agent {type(target).__name__!r}"), threads)


class PythonAgent:
    """One object for everybody, or one for each conversation.

    Attributes:
        accepts: Kinds of files it is given.
        warnings: What an operator should know at the start.
    """

    def __init__(self, source: Seat | Factory, threads: Threads, *, accepts: Collection[str] = ()) -> None:
        self.accepts = frozenset(accepts)
        self._source = source
        self._threads = threads
        self.warnings = source.warnings

    @property
    def reports_actions(self) -> bool:
        """Whether the object promises to call `before_action`, and can."""
        return self._source.reports_actions

    @property
    def abandoned(self) -> int:
        """Synchronous calls whose turn is over and that still run."""
        return self._threads.abandoned

    async def run(self, request: TurnRequest, context: TurnContext) -> TurnResult:
        """Ask the object, and read what it gave back."""
        try:
            async with self._seat(request) as seat:
                result = await seat.asking.ask(request, context, self._threads)
                word = seat.last_word()
        except TooManyStuck:
            return TurnResult(completion=TurnCompletion("busy", site="agent.reply", source="control"))
        except SystemExit as exc:
            raise AgentError("the agent tried to end the process") from exc
        except asyncio.CancelledError as exc:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise AgentError("the agent cancelled itself") from exc
        if isinstance(result, TurnResult):
            return result
        reply = read(result)
        spoken = (
            TurnCompletion(word, site="agent.last_stop_reason", source="metadata", token=word)
            if word
            else None
        )
        return TurnResult(text=reply.text, completion=reply.completion or spoken)

    async def close(self) -> None:
        """Dismiss the objects a factory made, and the threads."""
        self._threads.close()
        if isinstance(self._source, Factory):
            await self._source.close()

    @contextlib.asynccontextmanager
    async def _seat(self, request: TurnRequest) -> AsyncGenerator[Seat]:
        if isinstance(self._source, Seat):
            async with self._source.turn():
                yield self._source
            return
        async with self._source.seat(request.conversation) as seat:
            yield seat
