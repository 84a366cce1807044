"""The embedded store: one SQLite file, one writer thread, durable when a call returns."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import (
    Claim,
    Commit,
    Entry,
    Fact,
    Letter,
    LetterClaim,
    LetterState,
    Line,
    PartRow,
    Turn,
    Waiting,
)
from gateway.errors import StoreError, StoreLocked
from gateway.stores import tables
from gateway.stores.entries import claim_entries, cover_entries, put_entries, waiting_entries
from gateway.stores.outbox import advance_parts, claim_posts, held_letter, plan_parts, settle_letter
from gateway.stores.queues import INBOX, OUTBOX
from gateway.stores.ready import Ready
from gateway.stores.schema import prepare
from gateway.stores.threads import DatabaseThread
from gateway.stores.wake import Wake

__all__ = ["SqliteStore"]

T = TypeVar("T")
_CACHE_KIB = 16 * 1024


class SqliteStore:
    """A `Store` in one file, held by one gateway at a time.

    Args:
        path: The file; created when it is missing.
        synchronous: `FULL` survives the death of the host, `NORMAL` that of the process.
        read_only: Read beside the gateway that holds the file; every write is refused.
    """

    def __init__(
        self,
        path: Path,
        *,
        synchronous: Literal["FULL", "NORMAL"] = "FULL",
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> None:
        self._path = path
        self._synchronous = synchronous
        self._clock: Clock = clock or SystemClock()
        self._read_only = read_only
        self._lock: int | None = None
        self._writer = DatabaseThread(self._connect, grouped=True, name="store writer")
        self._reader = DatabaseThread(self._connect_to_read, grouped=False, name="store reader")
        self._wake = Wake()
        self._ready = Ready()
        self._ready_out = Ready()

    @property
    def commits(self) -> int:
        """Write transactions so far."""
        return self._writer.commits

    async def open(self) -> None:
        """Take the file; see `Store`."""
        if not self._read_only:
            self._take_lock()
            try:
                await self._writer.open()
            except BaseException:
                self._drop_lock()
                raise
        await self._reader.open()

    async def close(self) -> None:
        """Let the file go; see `Store`."""
        await self._reader.close()
        await self._writer.close()
        self._drop_lock()
        self._wake.set()

    def _take_lock(self) -> None:
        name = f"{self._path}.lock"
        try:
            lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise StoreError(f"store {str(self._path)!r} cannot be written: {exc.strerror}") from exc
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "another process"
            os.close(lock)
            raise StoreLocked(
                f"store {str(self._path)!r} is held by process {holder}; one gateway per file:"
                " stop that one, or give this one another file under `store:`"
            ) from exc
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        self._lock = lock

    def _drop_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _connect(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {self._synchronous}")
            db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            db.execute("PRAGMA busy_timeout = 5000")
            prepare(db, name=str(self._path))
        except sqlite3.Error as exc:
            raise StoreError(f"store {str(self._path)!r} cannot be opened: {exc}") from exc
        return db

    def _connect_to_read(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(
                f"{self._path.absolute().as_uri()}?mode=ro",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            db.execute("PRAGMA busy_timeout = 5000")
            prepare(db, name=str(self._path))
        except sqlite3.Error as exc:
            raise StoreError(f"store {str(self._path)!r} cannot be read: {exc}") from exc
        return db

    async def _write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        if self._read_only:
            raise StoreError("the store was opened to read only")
        return await self._writer.run(operation)

    async def put(self, entries: Sequence[Entry]) -> tuple[bool, ...]:
        """Keep events; see `Store`."""
        fresh = await self._write(lambda db: put_entries(db, entries))
        self._ready.mark({entry.bot for entry in entries if entry.lane})
        self._wake.set()
        return fresh

    async def claim(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[Claim, ...]:
        """Lease heads of lanes; see `Store`."""
        _ = worker
        now = self._clock.time()
        if not self._ready.look(bots, now):
            return ()
        claims = await self._write(
            lambda db: claim_entries(db, bots=bots, skip=skip, now=now, until=now + lease, limit=limit)
        )
        if len(claims) >= limit:
            self._ready.mark(bots)
        return claims

    async def extend(self, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
        """Renew leases; see `Store`."""
        until = self._clock.time() + lease
        return await self._write(
            lambda db: tuple(one.lane for one in claims if not INBOX.renew(db, one.lane, one.token, until))
        )

    async def record(self, claim: Claim, turn: Turn) -> None:
        """Write a running turn; see `Store`."""

        def write(db: sqlite3.Connection) -> None:
            INBOX.hold(db, claim.lane, claim.entry, claim.token)
            tables.write_turn(db, turn)

        await self._write(write)

    async def commit(self, claim: Claim, commit: Commit) -> None:
        """End an entry; see `Store`."""
        now = self._clock.time()

        def write(db: sqlite3.Connection) -> bool:
            INBOX.hold(db, claim.lane, claim.entry, claim.token)
            tables.apply(db, claim.lane, commit, now)
            return INBOX.pop(db, claim.lane, claim.entry)

        if await self._write(write):
            self._ready.mark([claim.bot])
        self._ready_out.mark({letter.bot for letter in commit.letters})
        self._wake.set()

    async def retry(self, claim: Claim, *, delay: float) -> None:
        """Free a lane for later; see `Store`."""
        due = self._clock.time() + delay

        def write(db: sqlite3.Connection) -> None:
            INBOX.hold(db, claim.lane, claim.entry, claim.token)
            INBOX.release(db, claim.lane, claim.token, due)

        await self._write(write)
        self._ready.mark([claim.bot])
        self._wake.set()

    async def waiting(self, lane: str) -> tuple[Waiting, ...]:
        """Entries that wait; see `Store`."""
        now = self._clock.time()
        return await self._reader.run(lambda db: waiting_entries(db, lane, now))

    async def cover(self, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """End waiting entries; see `Store`."""
        now = self._clock.time()
        return await self._write(lambda db: cover_entries(db, lane, turns, now))

    async def claim_letters(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[LetterClaim, ...]:
        """Lease heads of outboxes; see `Store`."""
        _ = worker
        now = self._clock.time()
        if not self._ready_out.look(bots, now):
            return ()
        claims = await self._write(
            lambda db: claim_posts(db, bots=bots, skip=skip, now=now, until=now + lease, limit=limit)
        )
        if len(claims) >= limit:
            self._ready_out.mark(bots)
        return claims

    async def extend_letters(self, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
        """Renew letter leases; see `Store`."""
        until = self._clock.time() + lease
        return await self._write(
            lambda db: tuple(
                one.letter.id for one in claims if not OUTBOX.renew(db, one.letter.lane, one.token, until)
            )
        )

    async def plan(self, claim: LetterClaim, parts: Sequence[PartRow]) -> None:
        """Keep rendered parts; see `Store`."""
        await self._write(lambda db: plan_parts(db, claim, parts))

    async def advance(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
        """Write parts; see `Store`."""
        await self._write(lambda db: advance_parts(db, claim, changes))

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
        _ = changes  # the parts go with the letter; a dead one keeps its answer, not its rendering
        now = self._clock.time()

        def write(db: sqlite3.Connection) -> bool:
            if turn is not None:
                tables.write_turn(db, turn)
            tables.write_facts(db, facts, now)
            return settle_letter(db, claim, state)

        if await self._write(write):
            self._ready_out.mark([claim.letter.bot])
            self._wake.set()

    async def retry_letter(
        self, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]] = ()
    ) -> None:
        """Free a letter for later; see `Store`."""
        due = self._clock.time() + delay

        def write(db: sqlite3.Connection) -> None:
            held_letter(db, claim)
            advance_parts(db, claim, changes)
            OUTBOX.release(db, claim.letter.lane, claim.token, due)

        await self._write(write)
        self._ready_out.mark([claim.letter.bot])
        self._wake.set()

    async def dead(self, *, bot: str = "", limit: int = 100) -> tuple[tuple[Letter, LetterState], ...]:
        """Letters that were not delivered; see `Store`."""
        return await self._reader.run(lambda db: tables.dead(db, bot, limit))

    async def history(self, lane: str, *, limit: int) -> tuple[Line, ...]:
        """The last lines; see `Store`."""
        return await self._reader.run(lambda db: tables.history(db, lane, limit))

    async def turn(self, key: str) -> Turn | None:
        """A turn; see `Store`."""
        return await self._reader.run(lambda db: tables.turn(db, key))

    async def turns(
        self, *, bot: str = "", lane: str = "", reason: str = "", state: str = "", limit: int = 50
    ) -> tuple[Turn, ...]:
        """Turns that match; see `Store`."""
        return await self._reader.run(
            lambda db: tables.turns(db, bot=bot, lane=lane, reason=reason, state=state, limit=limit)
        )

    async def counts(self) -> dict[str, int]:
        """How many rows; see `Store`."""
        now = self._clock.time()
        return await self._reader.run(lambda db: tables.counts(db) | {"claimed": INBOX.claimed(db, now)})

    async def get(self, key: str) -> bytes | None:
        """A fact; see `Store`."""
        now = self._clock.time()
        return await self._reader.run(lambda db: tables.fact(db, key, now))

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Write a fact; see `Store`."""
        now = self._clock.time()
        await self._write(lambda db: tables.write_facts(db, [Fact(key, value, ttl)], now))

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        """Write a fact if it is as expected; see `Store`."""
        now = self._clock.time()
        return await self._write(lambda db: tables.swap(db, expect, Fact(key, value, ttl), now))

    async def scan(self, prefix: str, *, limit: int = 1000) -> tuple[tuple[str, bytes], ...]:
        """Facts by prefix; see `Store`."""
        now = self._clock.time()
        return await self._reader.run(lambda db: tables.scan(db, prefix, limit, now))

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take a named lease; see `Store`."""
        now = self._clock.time()
        return await self._write(lambda db: tables.lease(db, name, owner, now=now, ttl=ttl))

    async def release(self, name: str, owner: str) -> None:
        """Give a named lease back; see `Store`."""
        await self._write(lambda db: tables.release(db, name, owner))

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Remove what is old; see `Store`."""
        now = self._clock.time()
        return await self._write(lambda db: tables.trim(db, before, limit, now))

    async def wait(self, timeout: float) -> None:
        """Wait for work; see `Store`."""
        await self._wake.wait(timeout)
