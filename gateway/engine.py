"""What works in one process: turns, control commands, deliveries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass

from gateway.abc.clock import Clock
from gateway.abc.store import Claim, LetterClaim, Store
from gateway.completion.model import TurnCompletion
from gateway.delivery import Sender
from gateway.observability import Metrics
from gateway.ownership import Leases, Ownership, bot_of
from gateway.ownership.queues import NEWS, queue_of
from gateway.roster import Roster
from gateway.session import (
    Afterwards,
    Alerts,
    Lanes,
    News,
    RunningTurns,
    SessionManager,
    control_name,
    is_news,
)
from gateway.stores.working import Worker

__all__ = ["Engine", "Parts", "built"]

_FLUSH = 5.0  # seconds the last answers get to leave
_LEASE = 30.0  # seconds a piece of work is held, where nobody else could take it


@dataclass(frozen=True, slots=True)
class Parts:
    """What the work is made of.

    Attributes:
        worker: This process, for the record.
        share: How many turns may run at once under a name.
        lease: Seconds a piece of work is held; `None` where nobody else could take it.
    """

    store: Store
    worker: str
    roster: Roster
    ownership: Ownership
    manager: SessionManager
    news: News
    alerts: Alerts
    metrics: Metrics
    clock: Clock
    share: Callable[[str], int]
    lease: float | None = None


def built(parts: Parts) -> Engine:
    """The workers of a process."""
    store, roster, metrics, clock = parts.store, parts.roster, parts.metrics, parts.clock

    def waited(claim: Claim) -> None:
        metrics.waited(bot=bot_of(claim.bot), seconds=clock.time() - claim.at)

    async def at_once(claim: Claim) -> None:
        await (parts.news if is_news(claim.bot) else parts.manager).handle(claim)

    def holds(name: str) -> bool:
        return parts.ownership.holds(queue_of(name))

    lanes = Lanes(
        store,
        parts.worker,
        bots=roster.names,
        handle=parts.manager.handle,
        holds=holds,
        share=parts.share,
        waited=waited,
    )
    controls = Lanes(store, parts.worker, bots=roster.control_names, handle=at_once, holds=holds)
    sender = Sender(
        store,
        parts.worker,
        outlets=roster.outlets,
        names=roster.letter_names,
        turn_after=Afterwards(store, bots=roster.bots, clock=clock, metrics=metrics, alerts=parts.alerts),
        clock=clock,
    )
    lease = parts.lease or _LEASE
    return Engine(
        store,
        clock,
        Worker(store, lanes, limit=1024, lease=lease),
        Worker(store, controls, limit=64, lease=lease),
        Worker(store, sender, limit=256, lease=lease),
    )


@dataclass(frozen=True, slots=True)
class Engine:
    """The workers, side by side."""

    store: Store
    clock: Clock
    lanes: Worker[Claim]
    controls: Worker[Claim]
    letters: Worker[LetterClaim]

    def start(self, tasks: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        """Begin to work."""
        return [tasks.create_task(work.run()) for work in (self.lanes, self.controls, self.letters)]

    def works_on(self, queues: Collection[str]) -> bool:
        """Whether anything is being done that waited under these names."""
        names = _all_names(queues)
        return any(work.works_on(names) for work in (self.lanes, self.controls, self.letters))

    def abandon(self, queues: Collection[str]) -> None:
        """Leave what another process does from now on, without a word."""
        names = _all_names(queues)
        for work in (self.lanes, self.controls, self.letters):
            work.abandon(names)

    async def drain(self, running: RunningTurns, ownership: Ownership, *, grace: float) -> None:
        """Finish what runs, end the rest with a note, and let the last answers leave.

        Where others wait for them, partitions are given back one by one as their work is done.
        """
        self.lanes.stop()
        async with asyncio.TaskGroup() as tasks:
            leaving = tasks.create_task(ownership.leave()) if isinstance(ownership, Leases) else None
            await self._until(grace, lambda: not self.lanes.busy)
            running.decide_all(TurnCompletion("aborted", site="session.shutdown", source="control"))
            await self._until(_FLUSH, lambda: not self.lanes.busy)
            self.controls.stop()
            if leaving is not None:
                await self._until(_FLUSH, leaving.done)
                leaving.cancel()
            else:
                await self._flushed()
        self.letters.stop()

    async def _flushed(self) -> None:
        until = self.clock.monotonic() + _FLUSH
        while (await self.store.counts())["outbox"] and self.clock.monotonic() < until:  # noqa: ASYNC110  # other tasks empty it
            await asyncio.sleep(0.02)

    async def _until(self, seconds: float, over: Callable[[], bool]) -> None:
        until = self.clock.monotonic() + seconds
        while not over() and self.clock.monotonic() < until:  # noqa: ASYNC110  # bounded, at a stop only
            await asyncio.sleep(0.02)


def _all_names(queues: Collection[str]) -> frozenset[str]:
    """Everything that waits under the names of partitions."""
    return frozenset(name for queue in queues for name in (queue, control_name(queue), f"{queue}{NEWS}"))
