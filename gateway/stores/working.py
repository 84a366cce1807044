"""Claim leased work from a store and do it, many pieces at once and bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from functools import partial
from typing import Generic, TypeVar

from gateway.abc.store import Store
from gateway.errors import LeaseLost, StoreError
from gateway.observability import get_logger

__all__ = ["Work", "Worker"]

T = TypeVar("T")

_POLL = 0.5  # seconds; wake-ups are hints, this is the truth
_BATCH = 64
_BACKOFF = 60.0  # seconds, at most, before work that broke is tried again


class Work(Generic[T]):
    """A kind of work: what the worker calls.

    Subclasses fill in the methods.
    """

    name: str = "work"
    short: bool = False  # whether something may have been left for want of a place

    def key(self, claim: T) -> str:
        """What a lost lease is reported by."""
        raise NotImplementedError

    def names(self) -> Collection[str]:
        """What the store is asked to wait for; everything by default."""
        return ()

    def queue(self, claim: T) -> str:
        """The name it was claimed under."""
        raise NotImplementedError

    async def claim(self, limit: int, lease: float) -> Sequence[T]:
        """Lease up to `limit` pieces."""
        raise NotImplementedError

    async def extend(self, claims: Sequence[T], lease: float) -> Sequence[str]:
        """Renew leases; the keys that were lost."""
        raise NotImplementedError

    async def do(self, claim: T) -> None:
        """Do one piece to its end."""
        raise NotImplementedError

    def over(self, claim: T) -> None:
        """Take note that a claimed piece is worked on no more, though its doing may never have begun."""

    async def give_back(self, claim: T, delay: float) -> None:
        """Free a piece whose doing broke, to be tried again after `delay` seconds."""
        raise NotImplementedError

    def attempts(self, claim: T) -> int:
        """How often the piece was claimed."""
        raise NotImplementedError


class Worker(Generic[T]):
    """Does one kind of work until stopped, each piece in a task of its own.

    Args:
        store: Where the work waits.
        work: What to do.
        limit: Pieces at once.
        lease: Seconds a piece is held before it must be renewed.
    """

    def __init__(self, store: Store, work: Work[T], *, limit: int, lease: float = 30.0) -> None:
        self._store = store
        self._job = work
        self._limit = limit
        self._lease = lease
        self._held: dict[str, tuple[T, asyncio.Task[None]]] = {}
        self._stopping = self._short = False
        self._log = get_logger(work.name)

    @property
    def busy(self) -> int:
        """Pieces being worked on."""
        return len(self._held)

    def works_on(self, names: Collection[str]) -> bool:
        """Whether anything is being done that was claimed under one of these names."""
        return any(self._job.queue(claim) in names for claim, _ in self._held.values())

    def abandon(self, names: Collection[str]) -> None:
        """Leave what was claimed under these names as it is: it is another process's now."""
        for claim, task in self._held.values():
            if self._job.queue(claim) in names:
                task.cancel()

    def stop(self) -> None:
        """Claim nothing more; `run` ends when what is held has ended."""
        self._stopping = True

    async def run(self) -> None:
        """Claim and work until stopped."""
        async with asyncio.TaskGroup() as tasks:
            renewing = tasks.create_task(self._renew())
            while not self._stopping:
                if not await self._round(tasks):
                    await self._pause()
            while self._held:
                await asyncio.wait([task for _, task in self._held.values()])
            renewing.cancel()

    async def _round(self, tasks: asyncio.TaskGroup) -> bool:
        """One claim; whether it may have left something: what comes after it wakes us."""
        most = min(self._limit - len(self._held), _BATCH)
        self._short = most <= 0
        if self._short:
            return False
        try:
            claims = await self._job.claim(most, self._lease)
        except StoreError as exc:
            self._log.error("store.claim_failed", work=self._job.name, problem=str(exc))
            await asyncio.sleep(_POLL)
            return False
        for claim in claims:
            key = self._job.key(claim)
            task = tasks.create_task(self._do(claim), name=f"{self._job.name} {key}")
            self._held[key] = (claim, task)
            # A task that is cancelled before its first step runs nothing of its own, not even a `finally`.
            task.add_done_callback(partial(self._over, claim))
        self._short = self._job.short
        return len(claims) >= most

    async def _pause(self) -> None:
        try:
            await self._store.wait(_POLL, of=self._job.names())
        except StoreError:
            await asyncio.sleep(_POLL)

    async def _do(self, claim: T) -> None:
        try:
            await self._job.do(claim)
        except LeaseLost:
            self._log.warning("store.lease_lost", work=self._job.name)
        except Exception as exc:  # noqa: BLE001  # one piece's trouble stays its own
            self._log.exception("store.work_broke", work=self._job.name, problem=type(exc).__name__)
            await self._return(claim)

    def _over(self, claim: T, _: asyncio.Task[None]) -> None:
        key = self._job.key(claim)
        if key in self._held and self._held[key][0] is claim:  # or it was abandoned, and claimed anew
            del self._held[key]
        self._job.over(claim)
        if self._short:
            self._short = False
            self._store.nudge(self._job.names())

    async def _return(self, claim: T) -> None:
        try:
            await self._job.give_back(claim, min(2.0 ** min(self._job.attempts(claim), 10), _BACKOFF))
        except StoreError as exc:
            self._log.error("store.give_back_failed", work=self._job.name, problem=str(exc))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._lease / 3)
            claims = [claim for claim, _ in self._held.values()]
            if not claims:
                continue
            try:
                lost = await self._job.extend(claims, self._lease)
            except StoreError as exc:
                self._log.error("store.renew_failed", work=self._job.name, problem=str(exc))
                continue
            for key in lost:
                if key in self._held:
                    self._held[key][1].cancel()
