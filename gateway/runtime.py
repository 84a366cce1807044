"""The composition root: settings become bots that run."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from starlette.routing import BaseRoute

from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import Store
from gateway.chores import salt_of
from gateway.errors import LastwordError
from gateway.fleet import Fleet
from gateway.observability import Metrics, get_logger
from gateway.process import Process, replica_name
from gateway.session import Bot, Nursery, RunningTurns
from gateway.settings import Settings
from gateway.stores import open_store

__all__ = ["Runtime", "handle_signals"]

_GRACE = 20.0  # seconds running turns get at a stop before they are ended with a note


@dataclass(slots=True)
class Runtime:
    """One gateway process.

    Args:
        settings: What to run.
        sockets: Listening sockets to serve on instead of binding the configured address.
        routes: More routes for the shared server (the demo's page, the admin page).
        ready: Called once everything is up, with the base address of the server.
        grace: Seconds running turns get at a stop before they are ended with a note.
        beside: Entered while the store is held (the control socket).
    """

    settings: Settings
    sockets: Sequence[socket.socket] | None = None
    routes: Sequence[BaseRoute] = ()
    ready: Callable[[str], None] = lambda _: None
    clock: Clock = field(default_factory=SystemClock)
    grace: float = _GRACE
    beside: AbstractAsyncContextManager[object] | None = None
    metrics: Metrics = field(default_factory=Metrics)
    running: RunningTurns = field(default_factory=RunningTurns)
    nursery: Nursery = field(default_factory=Nursery)
    bots: dict[str, Bot] = field(default_factory=dict[str, Bot])
    fleet: Fleet | None = None
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Begin to stop: receive nothing more, finish what runs within the grace time."""
        self._stop.set()

    async def run(self) -> None:
        """Run until stopped.

        Raises:
            ConfigError: Something the settings name cannot be built.
            StoreError: The store cannot be opened.
        """
        store = open_store(self.settings.store, base=self.settings.folder, clock=self.clock)
        await store.open()
        try:
            async with self.beside or contextlib.nullcontext():
                await self._with_store(store)
        except ExceptionGroup as group:
            ours = _ours(group)
            if ours is None:
                raise
            raise ours from group
        finally:
            await store.close()

    async def _with_store(self, store: Store) -> None:
        process = Process(
            lambda: self.settings,
            store,
            self.clock,
            running=self.running,
            nursery=self.nursery,
            metrics=self.metrics,
            bots=self.bots,
            salt=await salt_of(store),
        )
        self.fleet = process.fleet
        try:
            await process.run(
                self._stop, self.ready, routes=self.routes, sockets=self.sockets, grace=self.grace
            )
        finally:
            self.fleet = None
            await process.close()

    async def reload(self, settings: Settings) -> tuple[str, ...]:
        """Take new settings over, bot by bot; what could not be taken over, a line each.

        Raises:
            LastwordError: The gateway is not up.
        """
        if self.fleet is None:
            raise LastwordError("The gateway is starting or stopping; try again in a moment.")
        problems = await self.fleet.reload(settings)
        self.settings = settings
        log = get_logger("runtime")
        for problem in problems:
            log.error("runtime.not_taken_over", problem=problem)
        log.info("runtime.reloaded", bots=len(self.bots), problems=len(problems))
        return problems

    async def status(self) -> dict[str, object]:
        """How every bot stands, and what waits, as JSON-ready facts.

        Raises:
            LastwordError: The gateway is not up.
        """
        if self.fleet is None:
            raise LastwordError("The gateway is starting or stopping; try again in a moment.")
        told: dict[str, object] = {"bots": self.fleet.status(), "counts": await self.fleet.store.counts()}
        return told | ({"replica": replica_name()} if self.fleet.ownership.shared else {})


def _ours(group: ExceptionGroup[Exception]) -> LastwordError | None:
    """The first error of ours in a group of tasks that ended together; it says what to do."""
    found: Exception | None = group.subgroup(LastwordError)
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    return found if isinstance(found, LastwordError) else None


def handle_signals(runtime: Runtime, *, stopping: Callable[[], None] = lambda: None) -> None:
    """Stop on SIGTERM or SIGINT, after saying so; at once on the second."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    heard = 0

    def on_signal() -> None:
        nonlocal heard
        heard += 1
        if heard == 1:
            stopping()
            runtime.stop()
        elif task is not None:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
