"""Running an adapter under test, and looking at what came of it."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager

from gateway.abc.adapter import Adapter
from gateway.messages import Answer, Event, Part
from gateway.testing.context import FakeAdapterContext
from gateway.testing.harness import AdapterHarness

__all__ = ["PATIENCE", "deliver", "listening", "meaningful", "settled", "told"]

PATIENCE = 1.0
"""Seconds an adapter may take to end."""


@asynccontextmanager
async def listening(
    adapter: Adapter, context: FakeAdapterContext | None = None
) -> AsyncGenerator[FakeAdapterContext]:
    """An adapter that runs."""
    context = context or FakeAdapterContext()
    task = asyncio.create_task(adapter.run(context))
    try:
        yield context
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def deliver(platform: AdapterHarness, answer: Answer) -> tuple[Part, ...]:
    """Render an answer and send all of it."""
    parts = platform.adapter.render(answer, key="k")
    for part in parts:
        await platform.adapter.send(platform.place, part)
    return parts


def meaningful(context: FakeAdapterContext) -> list[Event]:
    """The events that were kept and mean something, repetitions included."""
    return [event for event in context.events if event.inbound is not None]


def told(error: BaseException | None) -> Iterator[str]:
    """Everything an error could show, and what is chained behind it."""
    while error is not None:
        yield from (str(error), repr(error), repr(vars(error)), repr(error.args))
        whole = traceback.TracebackException.from_exception(error, capture_locals=True)
        yield "".join(whole.format())
        error = error.__cause__ or error.__context__


async def settled(holds: Callable[[], bool]) -> None:
    """Wait until something holds, at most as long as patience lasts."""
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while not holds() and loop.time() < until:  # noqa: ASYNC110  # what is waited for knows no event
        await asyncio.sleep(0.005)
