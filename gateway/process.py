"""One gateway process, for as long as it has its store: everything put together and set going."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Collection, Mapping, Sequence

from starlette.routing import BaseRoute

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.chores import end_if_broken, tidy
from gateway.engine import Parts, built
from gateway.errors import StoreError
from gateway.face import Face
from gateway.fleet import Fleet
from gateway.messages import Inbound
from gateway.observability import Metrics, get_logger, watch_loop
from gateway.ownership import Leases, Ownership, Sole, Stake, bot_of
from gateway.reports import Reports
from gateway.roster import Roster
from gateway.session import (
    Alerts,
    Arrivals,
    Bot,
    Intake,
    News,
    Nursery,
    RunningTurns,
    SessionManager,
    Signs,
    Watch,
    chosen_language,
)
from gateway.settings import Settings
from gateway.stores import is_shared

__all__ = ["Process", "replica_name"]

_FLUSH = 5.0  # seconds that what still works gets to end


def replica_name() -> str:
    """What operators know this process by."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Process:
    """A gateway process that holds its store.

    Args:
        settings: What it runs, read anew after each reload.
        store: Opened.
        clock: Where time comes from.
        running: The turns under way.
        nursery: Owns the calls of agents.
        metrics: The numbers of this process.
        bots: Takes the bots that run, by name.
        salt: The store's own number, from which references to its turns derive.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        store: Store,
        clock: Clock,
        *,
        running: RunningTurns,
        nursery: Nursery,
        metrics: Metrics,
        bots: dict[str, Bot],
        salt: int,
    ) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._running = running
        self._nursery = nursery
        self._metrics = metrics
        self._worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._reports: Reports | None = None
        self._changes = asyncio.Event()
        self._gained: list[str] = []
        self._ownership = self._owned()
        self.fleet = Fleet(
            settings(), store, clock, running, intake=self._intake, ownership=self._ownership, bots=bots
        )
        self._roster = Roster(self.fleet.answering, self._ownership, clock=clock)
        self._alerts = Alerts(store, clock=clock, watch=self._watched)
        self._signs = Signs(
            store,
            clock=clock,
            running=running,
            language=self._language,
            queue_of=self._ownership.queue_of,
        )
        self._arrivals = Arrivals(
            store,
            clock=clock,
            running=running,
            signs=self._signs,
            salt=salt,
            ownership=self._ownership,
            bots=self._roster.bots,
        )
        self._engine = built(self._parts(salt))

    async def run(
        self,
        stop: asyncio.Event,
        ready: Callable[[str], None],
        *,
        routes: Sequence[BaseRoute],
        sockets: Sequence[socket.socket] | None,
        grace: float,
    ) -> None:
        """Run until told to stop.

        Args:
            stop: Set when nothing more is to be received.
            ready: Called once everything is up, with the base address of the server.
            routes: More routes for the shared server.
            sockets: Listening sockets to serve on instead of binding the configured address.
            grace: Seconds running turns get at a stop before they are ended with a note.
        """
        self.fleet.build()
        await self._alerts.load()
        face = Face(
            self.fleet, self._metrics, lambda: self._nursery.abandoned, routes=routes, sockets=sockets
        )
        async with face.served(self._settings()) as base, asyncio.TaskGroup() as tasks:
            reports = self._reports = Reports(tasks, self.fleet.standings, self._alerts, self._ownership)
            self.fleet.connected = reports.greet
            working = self._engine.start(tasks)
            beside = self._start_beside(tasks)
            await self.fleet.heed()
            ready(base)
            await stop.wait()
            get_logger("runtime").info("runtime.stopping", running=len(self._running))
            await self.fleet.stop_receiving()
            await self._engine.drain(self._running, self._ownership, grace=grace)
            _, late = await asyncio.wait(working, timeout=_FLUSH)
            reports.close()
            for task in (*late, *beside):
                task.cancel()

    async def close(self) -> None:
        """Let go of everything."""
        await self._signs.close()
        await self._nursery.close()
        await self.fleet.close()
        if isinstance(self._ownership, Leases):
            await self._ownership.close()

    def _start_beside(self, tasks: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        shared = self._ownership.shared
        work = [
            watch_loop(self._metrics),
            tidy(
                self._store,
                self._clock,
                worker=self._worker,
                shared=shared,
                retention=lambda: self._settings().retention,
            ),
            self._follow(),
        ]
        if isinstance(self._ownership, Leases):
            work.append(self._ownership.run())
        else:
            work.append(end_if_broken(self._store, self._clock))
            self._change(self._roster.names(), ())
        return [tasks.create_task(one) for one in work]

    def _owned(self) -> Ownership:
        settings = self._settings()
        if not is_shared(settings.store):
            return Sole()
        return Leases(
            self._store,
            clock=self._clock,
            stakes=self._stakes,
            busy=self._busy,
            changed=self._change,
            ttl=settings.lease,
            name=replica_name(),
        )

    def _busy(self, queues: Collection[str]) -> bool:
        return self._engine.works_on(queues)

    def _stakes(self) -> Mapping[str, Stake]:
        return self.fleet.stakes()

    def _change(self, gained: Sequence[str], lost: Collection[str]) -> None:
        """Leave what is not ours any more at once, and see to the rest in a moment."""
        if lost:
            self._engine.abandon(lost)
        self._gained = [queue for queue in self._gained if queue not in lost] + list(gained)
        self._changes.set()

    async def _follow(self) -> None:
        """Receive for what is ours, and put in order what whoever held it before left behind."""
        while True:
            await self._changes.wait()
            self._changes.clear()
            await self.fleet.heed()
            gained, self._gained = self._gained, []
            try:
                if gained:
                    await self._alerts.load()
                for queue in gained:
                    bot = self._roster.bots().get(queue)
                    if bot is not None:
                        await self._signs.adopt(bot, queue)
            except StoreError as exc:
                get_logger("runtime").warning("runtime.leftovers_stand", problem=str(exc))

    def _watched(self) -> Watch | None:
        chosen = self._settings().alerts
        return Watch(chosen.bot, chosen.chat) if chosen is not None else None

    async def _language(self, bot: Bot, inbound: Inbound) -> str:
        return bot.negotiated(inbound, chosen=await chosen_language(self._store, bot, inbound))

    def _intake(self, name: str) -> Intake:
        return Intake(
            lambda: self._roster.bot(name),
            name,
            store=self._store,
            clock=self._clock,
            reported=lambda state, detail: self._reports.take(name, state, detail) if self._reports else None,
            public_url=self._settings().public_url,
            arrivals=self._arrivals,
            ownership=self._ownership,
        )

    def _parts(self, salt: int) -> Parts:
        manager = SessionManager(
            self._store,
            bots=self._roster.bots,
            clock=self._clock,
            running=self._running,
            nursery=self._nursery,
            metrics=self._metrics,
            signs=self._signs,
            alerts=self._alerts,
            salt=salt,
        )
        return Parts(
            store=self._store,
            worker=self._worker,
            roster=self._roster,
            ownership=self._ownership,
            manager=manager,
            news=News(self._store, self._arrivals, bots=self._roster.bots),
            alerts=self._alerts,
            metrics=self._metrics,
            clock=self._clock,
            share=self._share,
            lease=self._settings().lease if self._ownership.shared else None,
        )

    def _share(self, queue: str) -> int:
        """How many turns may run at once of a partition."""
        bot = bot_of(queue)
        stake = self._stakes().get(bot)
        return max(1, self.fleet.share(bot) // (stake.partitions if self._ownership.shared and stake else 1))
