"""The composition root: settings become bots that run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gateway.abc.adapter import AdapterState
from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import Claim, LetterClaim, Store
from gateway.completion.model import TurnCompletion
from gateway.delivery import Outlet, Sender
from gateway.errors import LastwordError, StoreError
from gateway.fleet import Fleet, Standing
from gateway.http import LiveRoutes, Server
from gateway.messages import Inbound
from gateway.observability import Metrics, get_logger, watch_loop
from gateway.readiness import Readiness
from gateway.session import (
    Afterwards,
    Alerts,
    Arrivals,
    Bot,
    Intake,
    Lanes,
    Nursery,
    RunningTurns,
    SessionManager,
    Signs,
    Watch,
    chosen_language,
)
from gateway.settings import Settings
from gateway.stores import open_store
from gateway.stores.working import Worker

__all__ = ["Runtime"]

_GRACE = 20.0  # seconds running turns get at a stop before they are ended with a note
_KEEP = 180 * 86_400.0  # seconds that records, delivered answers and dead letters are kept
_TIDY_EVERY, _TIDY_PAUSE, _TIDY_STEP = 3600.0, 0.2, 500  # seconds, seconds, rows
_FLUSH = 5.0  # seconds the last answers get to leave


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
    _tasks: asyncio.TaskGroup | None = None
    _greeting: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])
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
        worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        salt = await _salt(store)
        alerts = Alerts(store, clock=self.clock, watch=self._watched)
        await alerts.load()
        signs = Signs(store, clock=self.clock, running=self.running, language=self._language(store))
        arrivals = Arrivals(store, clock=self.clock, running=self.running, signs=signs, salt=salt)
        fleet = Fleet(
            self.settings,
            store,
            self.clock,
            self.running,
            intake=lambda name: self._intake(name, store, arrivals, alerts),
            connected=self._greet,
            bots=self.bots,
        )
        self.fleet = fleet
        try:
            fleet.build()
            lanes, controls, letters = self._workers(store, worker, salt=salt, alerts=alerts, signs=signs)
            async with self._served() as base, asyncio.TaskGroup() as tasks:
                working = [tasks.create_task(work.run()) for work in (lanes, controls, letters)]
                watching = [
                    tasks.create_task(watch_loop(self.metrics)),
                    tasks.create_task(self._tidy(store)),
                ]
                self._tasks = tasks
                fleet.start()
                self.ready(base)
                await self._stop.wait()
                get_logger("runtime").info("runtime.stopping", running=len(self.running))
                await fleet.stop_receiving()
                await self._drain(lanes, controls, letters, store)
                _, late = await asyncio.wait(working, timeout=_FLUSH)
                for task in (*late, *watching, *self._greeting):
                    task.cancel()
        finally:
            self.fleet = None
            await signs.close()
            await self.nursery.close()
            await fleet.close()

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
        return {"bots": self.fleet.status(), "counts": await self.fleet.store.counts()}

    def _watched(self) -> Watch | None:
        chosen = self.settings.alerts
        return Watch(chosen.bot, chosen.chat) if chosen is not None else None

    def _language(self, store: Store) -> Callable[[Bot, Inbound], Awaitable[str]]:
        async def language(bot: Bot, inbound: Inbound) -> str:
            return bot.negotiated(inbound, chosen=await chosen_language(store, bot, inbound))

        return language

    def _intake(self, name: str, store: Store, arrivals: Arrivals, alerts: Alerts) -> Intake:
        return Intake(
            lambda: self.bots[name],
            name,
            store=store,
            clock=self.clock,
            reported=lambda state, detail: self._report(name, state, detail, alerts),
            public_url=self.settings.public_url,
            arrivals=arrivals,
        )

    def _workers(
        self, store: Store, worker: str, *, salt: int, alerts: Alerts, signs: Signs
    ) -> tuple[Worker[Claim], Worker[Claim], Worker[LetterClaim]]:
        manager = SessionManager(
            store,
            bots=self._answering,
            clock=self.clock,
            running=self.running,
            nursery=self.nursery,
            metrics=self.metrics,
            signs=signs,
            alerts=alerts,
            salt=salt,
        )
        lanes = Lanes(
            store,
            worker,
            bots=lambda: tuple(self._answering()),
            handle=manager.handle,
            share=lambda bot: self.fleet.share(bot) if self.fleet is not None else 0,
            waited=self._waited,
        )
        controls = Lanes(
            store, worker, bots=lambda: [f"{name}!" for name in self._answering()], handle=manager.handle
        )
        sender = Sender(
            store,
            worker,
            outlets=self._outlets,
            turn_after=Afterwards(
                store, bots=self._answering, clock=self.clock, metrics=self.metrics, alerts=alerts
            ),
            clock=self.clock,
        )
        return (
            Worker(store, lanes, limit=1024),
            Worker(store, controls, limit=64),
            Worker(store, sender, limit=256),
        )

    def _answering(self) -> Mapping[str, Bot]:
        """The bots that take work: those that run, and those that were removed and owe answers."""
        leaving = self.fleet.leaving if self.fleet is not None else {}
        return {**leaving, **self.bots}

    def _waited(self, claim: Claim) -> None:
        self.metrics.waited(bot=claim.bot, seconds=self.clock.time() - claim.at)

    def _outlets(self) -> Mapping[str, Outlet]:
        outlets = {
            bot.name: Outlet(bot.name, bot.platform, bot.adapter, bot.ttl, bot.late_after)
            for bot in self._answering().values()
        }
        return outlets | {f"{name}!": outlet for name, outlet in outlets.items()}

    def _report(self, name: str, state: AdapterState, detail: str, alerts: Alerts) -> None:
        standing = self.fleet.standings.setdefault(name, Standing()) if self.fleet is not None else Standing()
        changed = standing.state != state
        if self._tasks is not None and (changed or state not in ("up", "connecting")):
            self._beside(self._tasks, alerts.stands(name, state))
        if (standing.state, standing.detail) == (state, detail):
            return
        standing.state, standing.detail = state, detail
        log = get_logger("adapter")
        report = log.info if state in ("up", "connecting", "stopped") else log.error
        report("adapter.state_changed", bot=name, state=state, detail=detail)
        if state in ("misconfigured", "conflict"):
            _tell_operator(f"Bot {name!r} does not work: {detail}")

    def _beside(self, tasks: asyncio.TaskGroup, telling: Coroutine[object, object, None]) -> None:
        """Let something be told, unless everything is ending."""
        try:
            tasks.create_task(telling)
        except RuntimeError:  # the group takes no more tasks
            telling.close()

    def _greet(self, bot: Bot) -> None:
        if self._tasks is not None:
            task = self._tasks.create_task(self._announce(bot))
            self._greeting.add(task)
            task.add_done_callback(self._greeting.discard)

    async def _announce(self, bot: Bot) -> None:
        """Once the bot is connected, tell the operator how to claim it; never in the log."""
        while (standing := self._standing(bot.name)) is not None and standing.state != "up":  # noqa: ASYNC110  # ends with the bot
            await asyncio.sleep(0.05)
        code = await bot.door.owner_code() if standing is not None else ""
        if code:
            get_logger("runtime").info("access.owner_code_offered", bot=bot.name)
            _tell_operator(
                f"Bot {bot.name!r} has no owner yet. Send it this message to claim it: /start {code}"
            )

    def _standing(self, name: str) -> Standing | None:
        return self.fleet.standings.get(name) if self.fleet is not None else None

    @contextlib.asynccontextmanager
    async def _served(self) -> AsyncGenerator[str]:
        """The shared server, where anything needs it."""
        fleet = self.fleet
        ready = Readiness(lambda: fleet.store if fleet is not None else None, self._states)
        routes: list[BaseRoute] = [
            *self.routes,
            LiveRoutes(lambda: fleet.routes() if fleet is not None else ()),
            Route("/healthz", _alive),
            Route("/readyz", ready.answer),
            Route("/metrics", self._exposed),
        ]
        chosen = self.settings.server
        server = Server(
            chosen.host,
            chosen.port,
            routes,
            trusted_proxies=chosen.trusted_proxies,
            sockets=self.sockets,
            public_url=self.settings.public_url,
        )
        async with server:
            yield server.address

    def _states(self) -> dict[str, AdapterState]:
        standings = self.fleet.standings if self.fleet is not None else {}
        return {name: standings[name].state if name in standings else "connecting" for name in self.bots}

    async def _exposed(self, _: Request) -> Response:
        for name, agent in {bot.agent_name: bot.agent for bot in self.bots.values()}.items():
            stuck = getattr(agent, "abandoned", 0)
            self.metrics.threads(agent=name, abandoned=stuck + self.nursery.abandoned)
        return PlainTextResponse(self.metrics.render(), media_type="text/plain; version=0.0.4")

    async def _tidy(self, store: Store) -> None:
        """Remove, now and then and a little at a time, what is over and old."""
        while True:
            await self.clock.sleep(_TIDY_EVERY)
            try:
                while await store.trim(self.clock.time() - _KEEP, limit=_TIDY_STEP) >= _TIDY_STEP:
                    await self.clock.sleep(_TIDY_PAUSE)
            except StoreError as exc:
                get_logger("runtime").warning("store.trim_failed", problem=str(exc))

    async def _drain(
        self, lanes: Worker[Claim], controls: Worker[Claim], letters: Worker[LetterClaim], store: Store
    ) -> None:
        """Finish what runs, end the rest with a note, and let the last answers leave."""
        lanes.stop()
        await self._until(self.grace, lambda: not lanes.busy)
        self.running.decide_all(TurnCompletion("aborted", site="session.shutdown", source="control"))
        await self._until(_FLUSH, lambda: not lanes.busy)
        controls.stop()
        until = self.clock.monotonic() + _FLUSH
        while (await store.counts())["outbox"] and self.clock.monotonic() < until:  # noqa: ASYNC110  # other tasks empty it
            await asyncio.sleep(0.02)
        letters.stop()

    async def _until(self, seconds: float, over: Callable[[], bool]) -> None:
        until = self.clock.monotonic() + seconds
        while not over() and self.clock.monotonic() < until:  # noqa: ASYNC110  # bounded, at a stop only
            await asyncio.sleep(0.02)


def _ours(group: ExceptionGroup[Exception]) -> LastwordError | None:
    """The first error of ours in a group of tasks that ended together; it says what to do."""
    found: Exception | None = group.subgroup(LastwordError)
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    return found if isinstance(found, LastwordError) else None


def _tell_operator(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # what the operator must read, on standard output, not in the log


async def _salt(store: Store) -> int:
    """The store's own number, drawn once."""
    known = await store.get("salt")
    if known is None:
        await store.swap("salt", None, str(secrets.randbits(25)).encode())
        known = await store.get("salt")
    return int(known or b"0")


async def _alive(_: Request) -> Response:
    return PlainTextResponse("ok\n")


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
