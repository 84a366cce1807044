"""The composition root: settings become bots that run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gateway import plugins
from gateway.abc.adapter import Adapter, AdapterState
from gateway.abc.agent import Agent
from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import Claim, LetterClaim, Store
from gateway.access import Door
from gateway.completion.model import TurnCompletion
from gateway.delivery import Outlet, Sender
from gateway.errors import AdapterError, ConfigError, LastwordError, StoreError, Unauthorised
from gateway.http import Server
from gateway.notes import Notebook, NoteSettings, validate_overrides
from gateway.observability import Metrics, get_logger, watch_loop
from gateway.session import (
    Afterwards,
    Bot,
    Deadlines,
    Intake,
    Lanes,
    Nursery,
    RunningTurns,
    SessionManager,
)
from gateway.settings import BotSettings, Settings
from gateway.stores import open_store
from gateway.stores.working import Worker

__all__ = ["Runtime"]

_GRACE = 20.0  # seconds running turns get at a stop before they are ended with a note
_KEEP = 180 * 86_400.0  # seconds that records, delivered answers and dead letters are kept
_TIDY_EVERY, _TIDY_PAUSE, _TIDY_STEP = 3600.0, 0.2, 500  # seconds, seconds, rows
_FLUSH = 5.0  # seconds the last answers get to leave
_RESTART_CEILING = 30.0  # seconds between two starts of an adapter that keeps breaking


@dataclass(slots=True)
class _Standing:
    """How an adapter stands, for readiness."""

    state: AdapterState = "connecting"
    detail: str = ""


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
    _standing: dict[str, _Standing] = field(default_factory=dict[str, _Standing])
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
        agents = {name: self._agent(name) for name in self._used_agents()}
        log = get_logger("runtime")
        try:
            self.bots.update({bot.name: self._bot(bot, agents, store) for bot in self.settings.bots.values()})
            lanes, controls, letters = self._workers(store, worker, await _salt(store))
            async with self._served() as base, asyncio.TaskGroup() as tasks:
                receiving = [tasks.create_task(self._receive(bot, store)) for bot in self.bots.values()]
                working = [tasks.create_task(work.run()) for work in (lanes, controls, letters)]
                watching = [
                    tasks.create_task(watch_loop(self.metrics)),
                    tasks.create_task(self._tidy(store)),
                    *(tasks.create_task(self._announce(bot)) for bot in self.bots.values()),
                ]
                self.ready(base)
                await self._stop.wait()
                log.info("runtime.stopping", running=len(self.running))
                for task in receiving:
                    task.cancel()
                await self._drain(lanes, controls, letters, store)
                _, late = await asyncio.wait(working, timeout=_FLUSH)
                for task in late:
                    task.cancel()
                for task in watching:
                    task.cancel()
        finally:
            await self._close(agents)

    def _used_agents(self) -> list[str]:
        return sorted({bot.agent for bot in self.settings.bots.values()})

    def _agent(self, name: str) -> Agent:
        chosen = self.settings.agents[name]
        agent = plugins.create_agent(chosen.kind, chosen.options, name=name, base=self.settings.folder)
        for warning in getattr(agent, "warnings", ()):
            get_logger("runtime").warning("agent.warned", agent=name, warning=warning)
        return agent

    def _bot(self, chosen: BotSettings, agents: Mapping[str, Agent], store: Store) -> Bot:
        problems = [
            f"{self.settings.where(('bots', chosen.name, 'notes', 'texts', *path))}:"
            f" bots.{chosen.name}.notes.texts.{'.'.join(path)}: {text}"
            for path, text in validate_overrides(chosen.notes.texts)
        ]
        if problems:
            raise ConfigError(problems)
        of_agent = self.settings.agents[chosen.agent]
        return Bot(
            name=chosen.name,
            platform=chosen.platform,
            adapter=plugins.create_adapter(chosen.platform, chosen.options, bot=chosen.name),
            agent=agents[chosen.agent],
            agent_name=chosen.agent,
            door=Door(chosen.access, store, self.clock, chosen.name),
            notebook=Notebook(chosen.notes.texts, fallback=chosen.fallback_language),
            notes=NoteSettings(
                surface=chosen.surface_completion_reason,
                never_silent=chosen.never_silent,
                contact=chosen.notes.contact,
                reference=chosen.notes.reference,
            ),
            language="" if chosen.language == "auto" else chosen.language,
            fallback=chosen.fallback_language,
            deadlines=Deadlines(of_agent.timeout, of_agent.idle_timeout),
            history=chosen.session.history,
            streaming=chosen.streaming != "off",
            groups=chosen.access.groups,
            on_restart=chosen.on_restart,
        )

    def _workers(
        self, store: Store, worker: str, salt: int
    ) -> tuple[Worker[Claim], Worker[Claim], Worker[LetterClaim]]:
        manager = SessionManager(
            store,
            bots=lambda: self.bots,
            clock=self.clock,
            running=self.running,
            nursery=self.nursery,
            metrics=self.metrics,
            salt=salt,
        )
        lanes = Lanes(
            store,
            worker,
            bots=lambda: tuple(self.bots),
            handle=manager.handle,
            share=lambda bot: self.settings.agents[self.settings.bots[bot].agent].max_concurrent,
            waited=self._waited,
        )
        controls = Lanes(
            store, worker, bots=lambda: [f"{name}!" for name in self.bots], handle=manager.handle
        )
        sender = Sender(
            store,
            worker,
            outlets=self._outlets,
            turn_after=Afterwards(store, clock=self.clock, metrics=self.metrics),
            clock=self.clock,
        )
        return (
            Worker(store, lanes, limit=1024),
            Worker(store, controls, limit=64),
            Worker(store, sender, limit=256),
        )

    def _waited(self, claim: Claim) -> None:
        self.metrics.waited(bot=claim.bot, seconds=self.clock.time() - claim.at)

    def _outlets(self) -> Mapping[str, Outlet]:
        outlets = {bot.name: Outlet(bot.name, bot.platform, bot.adapter) for bot in self.bots.values()}
        return outlets | {f"{name}!": outlet for name, outlet in outlets.items()}

    async def _receive(self, bot: Bot, store: Store) -> None:
        """Keep one adapter running; its trouble stays its own."""
        log = get_logger("adapter").bind(bot=bot.name)
        intake = Intake(
            lambda: self.bots[bot.name],
            bot.name,
            store=store,
            clock=self.clock,
            reported=lambda state, detail: self._report(bot.name, state, detail),
            public_url=self.settings.public_url,
        )
        delay = 1.0
        while True:
            began = self.clock.monotonic()
            try:
                await bot.adapter.run(intake)
            except Unauthorised as exc:
                self._report(bot.name, "misconfigured", str(exc))
                return
            except Exception:
                log.exception("adapter.broke")
                self._report(bot.name, "deaf", "the connection broke; starting it again")
            else:
                return
            delay = 1.0 if self.clock.monotonic() - began > 60 else min(delay * 2, _RESTART_CEILING)
            await self.clock.sleep(delay)

    def _report(self, name: str, state: AdapterState, detail: str) -> None:
        standing = self._standing.setdefault(name, _Standing())
        if (standing.state, standing.detail) == (state, detail):
            return
        standing.state, standing.detail = state, detail
        log = get_logger("adapter")
        report = log.info if state in ("up", "connecting", "stopped") else log.error
        report("adapter.state_changed", bot=name, state=state, detail=detail)
        if state in ("misconfigured", "conflict"):
            _tell_operator(f"Bot {name!r} does not work: {detail}")

    async def _announce(self, bot: Bot) -> None:
        """Once the bot is connected, tell the operator how to claim it; never in the log."""
        while self._standing.setdefault(bot.name, _Standing()).state != "up":  # noqa: ASYNC110  # ends with the process
            await asyncio.sleep(0.05)
        code = await bot.door.owner_code()
        if code:
            get_logger("runtime").info("access.owner_code_offered", bot=bot.name)
            _tell_operator(
                f"Bot {bot.name!r} has no owner yet. Send it this message to claim it: /start {code}"
            )

    @contextlib.asynccontextmanager
    async def _served(self) -> AsyncGenerator[str]:
        """The shared server, where anything needs it."""
        routes: list[BaseRoute] = [*self.routes]
        for bot in self.bots.values():
            routes.extend(bot.adapter.routes())
        routes += [
            Route("/healthz", _alive),
            Route("/readyz", self._readiness),
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

    async def _readiness(self, _: Request) -> Response:
        states = {name: standing.state for name, standing in self._standing.items()}
        ready = all(state == "up" for state in states.values()) and len(states) == len(self.bots)
        return JSONResponse({"ready": ready, "bots": states}, status_code=200 if ready else 503)

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

    async def _close(self, agents: Mapping[str, Agent]) -> None:
        await self.nursery.close()
        owned: list[Adapter | Agent] = [*(bot.adapter for bot in self.bots.values()), *agents.values()]
        for closing in owned:
            with contextlib.suppress(AdapterError, Exception):
                async with asyncio.timeout(5.0):
                    await closing.close()


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


def handle_signals(runtime: Runtime) -> None:
    """Stop on SIGTERM or SIGINT; at once on the second."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    heard = 0

    def on_signal() -> None:
        nonlocal heard
        heard += 1
        if heard == 1:
            runtime.stop()
        elif task is not None:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal)
