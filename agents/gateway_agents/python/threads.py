"""Run synchronous agents in threads of their own, so that one that hangs starves nobody."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable, Coroutine
from typing import TypeVar

from gateway.abc.agent import TurnContext
from gateway.errors import AgentError

__all__ = ["BlockingContext", "Threads", "TooManyStuck"]

_T = TypeVar("_T")
_IDLE = 16  # threads kept for the next calls


class TooManyStuck(AgentError):
    """So many abandoned calls still run that no further one may start."""


class BlockingContext:
    """A `TurnContext` for synchronous code: the same verbs, waiting until they are done."""

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._over = False

    def emit(self, text: str) -> None:
        """Show more of the answer.

        Raises:
            AgentError: The turn is over; nothing more is shown.
        """
        self._wait(lambda: self._context.emit(text))

    def before_action(self, name: str) -> None:
        """Commit that a tool with effects is about to start.

        Raises:
            AgentError: The turn is over; the tool must not start.
        """
        self._wait(lambda: self._context.before_action(name))

    def progress(self) -> None:
        """Say that the run is alive."""
        if not self._over:
            self._loop.call_soon_threadsafe(self._context.progress)

    def end(self) -> None:
        """Let nothing through any more; called on the event loop."""
        self._over = True

    def _wait(self, ask: Callable[[], Coroutine[object, object, None]]) -> None:
        if self._over:
            raise AgentError("the turn is over")
        asyncio.run_coroutine_threadsafe(self._on_loop(ask), self._loop).result()

    async def _on_loop(self, ask: Callable[[], Coroutine[object, object, None]]) -> None:
        if self._over:
            raise AgentError("the turn is over")
        await ask()


class Threads:
    """A bounded set of daemon threads, which are used again.

    A call whose turn is cancelled is abandoned: Python cannot stop it, so its place is given to the next
    one at once, its thread is used for nothing else, and it is counted until it ends by itself.

    Args:
        name: Of the agent; the threads are named after it.
        size: Calls that run at once; more wait.
        stuck: Abandoned calls that may still run; at so many, new ones are refused.
    """

    def __init__(self, name: str, *, size: int, stuck: int) -> None:
        self._name = name
        self._places = asyncio.Semaphore(size)
        self._stuck = stuck
        self._idle: list[_Worker] = []
        self._left: set[_Worker] = set()

    @property
    def abandoned(self) -> int:
        """Calls that were given up and still run."""
        self._left = {worker for worker in self._left if worker.is_alive()}
        return len(self._left)

    async def run(self, work: Callable[[], _T]) -> _T:
        """Do the work in a thread that sees this task's context variables.

        Raises:
            TooManyStuck: Too many abandoned calls still run.
        """
        if self._left and self.abandoned >= self._stuck:
            raise TooManyStuck(f"{self.abandoned} abandoned calls of agent {self._name!r} still run")
        async with self._places:
            answer: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
            worker = self._idle.pop() if self._idle else _Worker(f"agent {self._name}")
            seen = contextvars.copy_context()
            worker.do(lambda: seen.run(lambda: _serve(work, answer)))
            try:
                return await answer
            finally:
                if answer.cancelled():
                    worker.leave()
                    self._left.add(worker)
                elif len(self._idle) < _IDLE:
                    self._idle.append(worker)
                else:
                    worker.leave()

    def close(self) -> None:
        """Let the threads that wait end."""
        for worker in self._idle:
            worker.leave()
        self._idle.clear()


class _Worker(threading.Thread):
    """A thread that does one piece of work after the other until it is told to leave."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self.start()

    def do(self, work: Callable[[], None]) -> None:
        """Hand over a piece of work."""
        self._work.put(work)

    def leave(self) -> None:
        """End after what is under way."""
        self._work.put(None)

    def run(self) -> None:
        """The life of the thread."""
        while (work := self._work.get()) is not None:
            work()
            del work  # what it holds may be large, and the next one may be long in coming


def _serve(work: Callable[[], _T], answer: asyncio.Future[_T]) -> None:
    """Do the work, and hand over what came of it."""
    try:
        value = work()
    except Exception as exc:  # noqa: BLE001  # whatever it is belongs to the turn that waits for it
        problem = exc if not isinstance(exc, StopIteration) else AgentError("the agent raised StopIteration")
        _hand_over(answer, lambda: answer.set_exception(problem))
    except BaseException as exc:  # noqa: BLE001  # an exit or a cancellation ends this call, never the gateway
        ended = AgentError(f"the agent raised {type(exc).__name__}")
        ended.__cause__ = exc
        _hand_over(answer, lambda: answer.set_exception(ended))
    else:
        _hand_over(answer, lambda: answer.set_result(value))


def _hand_over(answer: asyncio.Future[_T], settle: Callable[[], None]) -> None:
    def unless_given_up() -> None:
        if not answer.done():
            settle()

    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        answer.get_loop().call_soon_threadsafe(unless_given_up)
