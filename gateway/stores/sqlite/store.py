"""The store over its file: each call is one operation of the writer or the reader, or a glance."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import (
    Claim,
    Commit,
    DeadLetter,
    Entry,
    Erasure,
    Fact,
    Letter,
    LetterClaim,
    LetterState,
    Line,
    PartRow,
    Turn,
    Waiting,
)
from gateway.errors import StoreError
from gateway.stores.named import NamedLeases
from gateway.stores.sqlite import erasing, inbox, lanes, outbox, records
from gateway.stores.sqlite import facts as stored
from gateway.stores.sqlite.file import FileLock, Synchronous, connect, connect_to_read, copy
from gateway.stores.sqlite.heads import Heads, Lanes
from gateway.stores.sqlite.reading import Glance, Reader
from gateway.stores.sqlite.transactions import Access, Held
from gateway.stores.sqlite.writer import Writer
from gateway.stores.tails import Tails
from gateway.stores.wake import Wake

__all__ = ["SqliteStore"]

P = ParamSpec("P")
T = TypeVar("T")


class SqliteStore:
    """A `Store` in one file, held by one gateway at a time.

    Every write is on disk when its call returns: with `FULL` it survives the death of the host, with `NORMAL`
    that of the process. A process that opens the file after another died has its leases at once.

    Args:
        path: The file; created, with its folder, when it is missing.
        synchronous: What a commit waits for.
        clock: Where time comes from; leases are kept by its monotonic side, everything else by unix time.
        read_only: Read beside the gateway that holds the file; every write is refused.
    """

    def __init__(
        self,
        path: Path,
        *,
        synchronous: Synchronous = "FULL",
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> None:
        self._path = path.resolve()
        self._read_only = read_only
        self._clock: Clock = clock or SystemClock()
        self._lock = FileLock(self._path)
        self._wake = Wake()
        self._leases = NamedLeases(self._clock)
        self._tails = Tails()
        name, heads = str(self._path), Heads.unknown()
        self._heads = heads
        self._writer = Writer(
            Held(name, self._clock, heads),
            partial(connect, self._path),
            woken=self._wake.set,
            log=self._path.with_name(f"{self._path.name}-wal"),
            waits=synchronous == "FULL",
        )
        reading = partial(connect_to_read, self._path)
        self._reader = Reader(name, reading, clock=self._clock, heads=heads)
        self._glance = Glance(name, reading, clock=self._clock, heads=heads, better=self._writer.look)

    @property
    def groups(self) -> int:
        """Write transactions so far; concurrent calls share one."""
        return self._writer.groups

    @property
    def syncs(self) -> int:
        """How often the disk was awaited so far."""
        return self._writer.syncs

    async def open(self) -> None:
        """Take the file; see `Store`."""
        if not self._read_only:
            self._lock.take()
        try:
            if not self._read_only:
                await self._writer.open()
                await self._writer.run(lanes.load, aside=True)
            await self._reader.open()
            await self._glance.open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Finish what was begun and let the file go; see `Store`."""
        self._glance.close()
        await self._reader.close()
        await self._writer.close()
        self._lock.drop()
        self._wake.set()

    async def backup(self, target: Path) -> None:
        """Copy the store as it is now to a new file, while it is in use.

        Raises:
            StoreError: The target exists already or cannot be written; nothing is left of it.
        """
        await asyncio.to_thread(copy, self._path, target)

    async def put(self, entries: Sequence[Entry]) -> tuple[bool, ...]:
        """Keep events; see `Store`."""
        return await self._write(lambda access: inbox.put(access, entries))

    async def claim(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[Claim, ...]:
        """Lease heads of lanes; see `Store`."""
        _ = worker  # leases end with the process: there is no record to keep it in
        self._wake.look()
        if not self._may_claim(self._heads.inbox, bots):
            return ()
        claiming = partial(inbox.claim, bots=bots, limit=limit, lease=lease, skip=skip)
        return await self._write_for_now(claiming)

    async def extend(self, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
        """Renew leases; see `Store`."""
        return await self._write_for_now(partial(inbox.extend, claims=claims, lease=lease))

    async def record(self, claim: Claim, turn: Turn) -> None:
        """Write a running turn's record; see `Store`."""
        await self._write(lambda access: inbox.record(access, claim, turn))

    async def commit(self, claim: Claim, commit: Commit) -> None:
        """End an entry; see `Store`."""
        with self._tails.writing(claim.lane, commit.history, anew=bool(commit.forget or commit.clear)):
            ending = partial(inbox.commit, claim=claim, commit=commit)
            await self._write(ending, aside=commit.clear)  # a long history takes a while to go

    async def retry(self, claim: Claim, *, delay: float) -> None:
        """Free a lane for later; see `Store`."""
        await self._write(lambda access: inbox.retry(access, claim, delay=delay))

    async def waiting(self, lane: str) -> tuple[Waiting, ...]:
        """Entries that wait; see `Store`."""
        return await self._read(inbox.waiting, lane)

    async def lanes(self, prefix: str) -> tuple[str, ...]:
        """Lanes with something open; see `Store`."""
        return await self._read(inbox.lanes, prefix)

    async def cover(self, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """End waiting entries; see `Store`."""
        return await self._write(lambda access: inbox.cover(access, lane, turns))

    async def claim_letters(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[LetterClaim, ...]:
        """Lease heads of outboxes; see `Store`."""
        _ = worker  # leases end with the process: there is no record to keep it in
        self._wake.look()
        if not self._may_claim(self._heads.outbox, bots):
            return ()
        claiming = partial(outbox.claim, bots=bots, limit=limit, lease=lease, skip=skip)
        return await self._write_for_now(claiming)

    async def extend_letters(self, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
        """Renew letter leases; see `Store`."""
        return await self._write_for_now(partial(outbox.extend, claims=claims, lease=lease))

    async def plan(self, claim: LetterClaim, parts: Sequence[PartRow], *, anew: bool = False) -> None:
        """Keep rendered parts; see `Store`."""
        await self._write(lambda access: outbox.plan(access, claim, parts, anew=anew))

    async def advance(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
        """Write the state of parts; see `Store`."""
        await self._write(lambda access: outbox.advance(access, claim, changes))

    async def settle(
        self,
        claim: LetterClaim,
        state: LetterState,
        *,
        changes: Sequence[tuple[int, PartRow]] = (),
        turn: Turn | None = None,
        facts: Sequence[Fact] = (),
    ) -> None:
        """Close a letter; see `Store`."""
        await self._write(
            lambda access: outbox.settle(access, claim, state, changes=changes, turn=turn, facts=facts)
        )

    async def retry_letter(
        self, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]] = ()
    ) -> None:
        """Free a letter for later; see `Store`."""
        await self._write(lambda access: outbox.retry(access, claim, delay=delay, changes=changes))

    async def dead(self, *, bot: str = "", limit: int = 100) -> tuple[tuple[Letter, LetterState], ...]:
        """Letters that were not delivered; see `Store`."""
        return await self._read(outbox.dead, bot=bot, limit=limit)

    async def dead_letter(self, name: str) -> DeadLetter | None:
        """A letter that was not delivered; see `Store`."""
        return await self._read(outbox.dead_letter, name)

    async def revive(self, name: str, at: float, *, turn: Turn | None = None) -> bool:
        """Owe a dead letter again; see `Store`."""
        return await self._sweep(lambda access: outbox.revive(access, name, at, turn=turn))

    async def drop_letter(self, name: str) -> bool:
        """Forget a dead letter; see `Store`."""
        return await self._sweep(lambda access: outbox.drop(access, name))

    async def history(self, lane: str, *, limit: int) -> tuple[Line, ...]:
        """The last lines of a lane; see `Store`."""
        kept = self._tails.get(lane, limit)
        if kept is None:
            kept = self._glance.run(lambda access: records.history(access, lane, limit=limit))
            self._tails.keep(lane, limit, kept)
        return kept

    async def turn(self, key: str) -> Turn | None:
        """A turn by id or reference; see `Store`."""
        return self._glance.run(lambda access: records.turn(access, key))

    async def turns(
        self, *, bot: str = "", lane: str = "", reason: str = "", state: str = "", limit: int = 50
    ) -> tuple[Turn, ...]:
        """Turns that match; see `Store`."""
        return await self._read(records.turns, bot=bot, lane=lane, reason=reason, state=state, limit=limit)

    async def counts(self) -> dict[str, int]:
        """How many rows wait where; see `Store`."""
        return await self._read(records.counts)

    async def get(self, key: str) -> bytes | None:
        """A fact; see `Store`."""
        return self._glance.run(lambda access: stored.get(access, key))

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Write a fact; see `Store`."""
        await self._write(lambda access: stored.write_facts(access, (Fact(key, value, ttl),)))

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        """Write a fact if it is as expected; see `Store`."""
        return await self._write(lambda access: stored.swap(access, expect, Fact(key, value, ttl)))

    async def scan(self, prefix: str, *, limit: int = 1000) -> tuple[tuple[str, bytes], ...]:
        """Facts by prefix; see `Store`."""
        return await self._read(stored.scan, prefix, limit=limit)

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take or renew a named lease; see `Store`.

        Named leases live in the process: nobody else can write to the file while it holds it.
        """
        self._refuse_read_only()
        return self._leases.take(name, owner, ttl)

    async def release(self, name: str, owner: str) -> None:
        """Give a named lease back; see `Store`."""
        self._refuse_read_only()
        self._leases.release(name, owner)

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Remove what has grown old; see `Store`."""
        return await self._sweep(lambda access: records.trim(access, before, limit=limit))

    async def fade(self, before: float, *, limit: int = 1000) -> int:
        """Remove what was said before a time; see `Store`."""
        return await self._sweep(lambda access: erasing.fade(access, before, limit=limit))

    async def aged(self, before: float, *, after: float = 0.0, limit: int = 100) -> tuple[Turn, ...]:
        """Records between two times; see `Store`."""
        return await self._read(erasing.aged, before, after=after, limit=limit)

    async def rewrite(self, turns: Sequence[Turn]) -> None:
        """Write records over; see `Store`."""
        await self._sweep(lambda access: erasing.rewrite(access, turns))

    async def erase(self, erasure: Erasure) -> int:
        """Remove what is named, from the file itself too; see `Store`."""
        gone = await self._sweep(lambda access: erasing.erase(access, erasure))
        await self._writer.between(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
        return gone

    async def wait(self, timeout: float, *, of: Collection[str] = ()) -> None:
        """Wait for something to claim; see `Store`."""
        await self._wake.wait(timeout, of)

    def nudge(self, of: Collection[str]) -> None:
        """Let whoever waits look again; see `Store`."""
        self._wake.set(of)

    async def _write(self, operation: Callable[[Access], T], *, aside: bool = False) -> T:
        """Write what adds no line of history, or says so to those that are kept in memory."""
        self._refuse_read_only()
        return await self._writer.run(operation, aside=aside)

    async def _sweep(self, operation: Callable[[Access], T]) -> T:
        """Write what may touch many rows, and lines in any lane."""
        try:
            return await self._write(operation, aside=True)
        finally:
            self._tails.clear()

    async def _write_for_now(self, operation: Callable[[Access], T]) -> T:
        """Write what nobody misses after the death of the host: leases end with the process anyway."""
        self._refuse_read_only()
        return await self._writer.run(operation, lasting=False)

    async def _read(
        self, operation: Callable[Concatenate[Access, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        return await self._reader.run(lambda access: operation(access, *args, **named))

    def _may_claim(self, lanes: Lanes, bots: Sequence[str]) -> bool:
        """Whether there may be something; what a thread works on just now is not looked at."""
        self._refuse_read_only()
        if self._writer.look() is None:
            return True
        lanes.lapse(now=self._clock.time(), monotonic=self._clock.monotonic())
        return lanes.has_free(bots)

    def _refuse_read_only(self) -> None:
        if self._read_only:
            raise StoreError(f"store {str(self._path)!r} is open for reading only")
