"""The connection that writes: in the event loop, the disk awaited beside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

from gateway.errors import StoreBroken, StoreError
from gateway.observability import get_logger
from gateway.stores.sqlite.transactions import Access, Held, Request, transact, translated

__all__ = ["Writer"]

T = TypeVar("T")

_GROUP = 128  # operations in one transaction, at most; the event loop stands still for so many
_PATIENCE = 5_000  # milliseconds to wait for a foreign tool that holds SQLite's own lock
_PAGES = 2_000  # pages of the log after which it is worked into the file, about; a checkpoint tells how many
_CHANGES = 2_000  # changed rows that are taken for so many pages at first
_GROWTH = 8 * 1024 * 1024  # bytes by which the log may outgrow its greatest size, however few rows changed

Names = Collection[str]
Done = Callable[[Names, Exception | None], None]


class Writer:
    """Runs operations in order, those that wait together in one transaction.

    An operation is some microseconds in memory and in the kernel's cache; what takes long is the disk. So
    transactions are made in the event loop, without a way to a thread and back and without two threads that
    contend for the interpreter, and only the disk is awaited on a thread: a commit appends to the write-ahead
    log without waiting (`synchronous = NORMAL`), and callers are answered when an `fdatasync` of the log that
    began after it has ended. The log is read in order, so what survives is always all up to some commit;
    that is what `synchronous = FULL` gives. What comes meanwhile shares the next transaction.

    Operations that may take long, and those that meet another program's lock, run on the thread.

    Args:
        held: The file.
        connect: Opens the connection, on the thread.
        woken: Told the names under which a commit made something claimable.
        log: The write-ahead log; `None` for a file without one.
        waits: Whether commits wait for the disk.

    Attributes:
        groups: Transactions so far.
        syncs: How often the disk was awaited.
    """

    def __init__(
        self,
        held: Held,
        connect: Callable[[], sqlite3.Connection],
        *,
        woken: Callable[[Names], None],
        log: Path | None = None,
        waits: bool = True,
    ) -> None:
        self._held = held
        self._name = held.name
        self._connect = connect
        self._woken = woken
        self._path = log
        self._waits = waits
        self._log: int | None = None
        self._db: sqlite3.Connection | None = None
        self._thread: WorkerThread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: list[Request] = []
        self._called = self._busy = self._away = self._closing = False
        self._broken: StoreBroken | None = None
        self._checked, self._size, self._changes = 0, 0, _CHANGES
        self.groups = self.syncs = 0

    async def open(self) -> None:
        """Open the connection.

        Raises:
            StoreError: It cannot be opened.
        """
        self._loop = loop = asyncio.get_running_loop()
        self._waiting, self._broken = [], None
        self._called = self._closing = False
        self._thread = WorkerThread("store")
        opened: asyncio.Future[None] = loop.create_future()
        self._busy = self._away = True
        self._thread.do(self._open, loop, partial(self._opened, opened))
        try:
            await opened
        except BaseException:
            await self.close()
            raise

    def _open(self) -> Names:
        self._db = self._connect()
        self._db.execute("PRAGMA busy_timeout = 0")
        if self._path is not None:
            self._log = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        return ()

    def _opened(self, opened: asyncio.Future[None], _: Names, problem: Exception | None) -> None:
        self._busy = self._away = False
        if opened.done():
            return
        if problem is None:
            opened.set_result(None)
        else:
            opened.set_exception(translated(problem, self._name))

    async def close(self) -> None:
        """Finish what was asked for and close the connection."""
        thread = self._thread
        if thread is None or self._closing:
            return
        self._closing = True
        if self._loop is asyncio.get_running_loop():
            while self._waiting or self._busy:  # noqa: ASYNC110  # a moment at the end
                await asyncio.sleep(0.001)
        await asyncio.to_thread(thread.stop)
        self._thread = None
        db, self._db = self._db, None
        log, self._log = self._log, None
        if log is not None:
            os.close(log)
        if db is not None:
            await asyncio.to_thread(db.close)

    async def run(self, operation: Callable[[Access], T], *, lasting: bool = True, aside: bool = False) -> T:
        """Run one operation; committed when it returns.

        Args:
            operation: What to run.
            lasting: Whether it must survive the death of the host; what need not, survives that of the
                process all the same.
            aside: Whether it may take long.

        Raises:
            StoreError: It failed and nothing of it was kept, or the store is not open.
        """
        future = self._future()
        self._ask(Request(operation, future, lasting=lasting, aside=aside))
        return cast("T", await future)

    async def between(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run something on the connection while no transaction is open.

        Raises:
            StoreError: It failed, or the store is not open.
        """
        future = self._future()
        self._ask(Request(_nothing, future, bare=operation))
        return cast("T", await future)

    def look(self) -> sqlite3.Connection | None:
        """The connection, to read from at once; `None` while the thread has it, or where there is none.

        What it knows of the file's pages is right as it is: nobody else changes them.

        Raises:
            StoreError: The disk refused what was written: what is read may not last.
        """
        if self._broken is not None:
            raise self._broken
        return None if self._away else self._db

    def _future(self) -> asyncio.Future[object]:
        if self._thread is None or self._loop is None or self._closing:
            raise StoreError(f"store {self._name!r} is not open")
        if self._broken is not None:
            raise self._broken
        return self._loop.create_future()

    def _ask(self, request: Request) -> None:
        self._waiting.append(request)
        self._call()

    def _call(self) -> None:
        """Go on when the event loop has run what is due now: it may ask for more."""
        if self._waiting and not self._busy and not self._called and self._loop is not None:
            self._called = True
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._called = False
        if self._busy or not self._waiting or self._db is None:
            return
        group = self._next()
        if group[0].aside:
            self._set_aside(group)
            return
        before = self._db.total_changes
        try:
            woke = self._together(self._db, group)
        except sqlite3.Error:
            self._set_aside(group)  # where the lock can be waited for
            return
        if self._must_last(group, self._db.total_changes - before):
            self._do(group, partial(self._sync, woke))
        else:
            self._over(group, woke, None)

    def _must_last(self, group: Sequence[Request], changes: int) -> bool:
        lasts = self._waits and self._log is not None and changes > 0
        return lasts and any(request.lasting for request in group)

    def _next(self) -> list[Request]:
        """What shares the next transaction; what may take long has one for itself."""
        waiting = self._waiting
        count = 1
        if not waiting[0].aside:
            ends = (place for place, one in enumerate(waiting[:_GROUP]) if one.aside)
            count = next(ends, min(len(waiting), _GROUP))
        group, self._waiting = waiting[:count], waiting[count:]
        return group

    def _together(self, db: sqlite3.Connection, group: Sequence[Request]) -> Names:
        self.groups += 1
        return transact(db, group, self._held)

    def _set_aside(self, group: list[Request]) -> None:
        self._away = True
        self._do(group, partial(self._aside, group))

    def _do(self, group: list[Request], work: Callable[[], Names]) -> None:
        """Have the thread do something for requests that wait for it."""
        self._busy = True
        if self._thread is not None and self._loop is not None:
            self._thread.do(work, self._loop, partial(self._over, group))

    def _aside(self, group: list[Request]) -> Names:
        """On the thread: run requests, and await the disk."""
        db = self._db
        woke: Names = ()
        if db is None:
            return woke
        before = db.total_changes
        db.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
        try:
            if group[0].bare is not None:
                self._barely(db, group[0], group[0].bare)
            else:
                woke = self._together(db, group)
        except sqlite3.Error as exc:
            for request in group:
                request.problem = translated(exc, self._name)
        finally:
            db.execute("PRAGMA busy_timeout = 0")
        return self._sync(woke) if self._must_last(group, db.total_changes - before) else woke

    def _barely(
        self, db: sqlite3.Connection, request: Request, operation: Callable[[sqlite3.Connection], object]
    ) -> None:
        try:
            request.value = operation(db)
        except Exception as exc:  # noqa: BLE001  # handed to the caller
            request.problem = translated(exc, self._name)

    def _sync(self, woke: Names) -> Names:
        """On the thread: wait until everything committed is on the disk.

        Raises:
            OSError: The disk did not take it.
        """
        if self._log is not None:
            self.syncs += 1
            _fdatasync(self._log)
        return woke

    def _over(self, group: list[Request], woke: Names, problem: Exception | None) -> None:
        self._busy = self._away = False
        if problem is not None:
            self._break(problem)
        for request in group:
            request.problem = request.problem or self._broken
            request.resolve()
        self._check()
        self._call()
        if woke:
            self._woken(woke)

    def _break(self, problem: Exception) -> None:
        """Take nothing more: what the disk refused once, the kernel may have dropped, and later tries lie."""
        self._broken = StoreBroken(
            f"store {self._name!r} is not on the disk: {problem}; see to the disk, then restart the gateway"
        )
        for request in self._waiting:
            request.problem = self._broken
            request.resolve()
        self._waiting = []

    def _check(self) -> None:
        """Have a long log worked into the file, before what waits goes on."""
        if self._log is None or self._db is None or self._broken is not None or self._loop is None:
            return
        changes, size = self._db.total_changes - self._checked, os.fstat(self._log).st_size
        self._size = min(self._size, size)  # it is cut back where it had grown too long
        if changes < self._changes and size - self._size < _GROWTH:
            return
        self._checked, self._size = self._db.total_changes, size
        working = Request(
            _nothing,
            self._loop.create_future(),
            lasting=False,
            bare=partial(self._work_in, changes=changes),
        )
        working.future.add_done_callback(_told)
        self._waiting.insert(0, working)

    def _work_in(self, db: sqlite3.Connection, *, changes: int) -> None:
        """On the thread: work the log into the file, so that it begins anew; see how long it had become."""
        pages = int(db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1])
        if pages > 0:
            self._changes = min(max(changes * _PAGES // pages, 1), 10 * _CHANGES)


class WorkerThread:
    """Does one thing after the other, and dies with the process."""

    def __init__(self, name: str) -> None:
        self._work: queue.SimpleQueue[tuple[Callable[[], Names], asyncio.AbstractEventLoop, Done] | None]
        self._work = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, work: Callable[[], Names], loop: asyncio.AbstractEventLoop, done: Done) -> None:
        """Do something; in the loop, `done` is told what it gave or raised."""
        self._work.put((work, loop, done))

    def stop(self) -> None:
        """Do what was asked for, and end; waits for that."""
        self._work.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (asked := self._work.get()) is not None:
            work, loop, done = asked
            problem: Exception | None = None
            gave: Names = ()
            try:
                gave = work()
            except Exception as exc:  # noqa: BLE001  # handed to whoever waits
                problem = exc
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(done, gave, problem)


def _told(worked_in: asyncio.Future[object]) -> None:
    """Say that the log could not be worked into the file; it is tried again after as much more."""
    problem = None if worked_in.cancelled() else worked_in.exception()
    if problem is not None:
        get_logger("store").warning("store.log_not_worked_in", problem=str(problem))


def _nothing(_: Access) -> None:
    """No operation."""


_fdatasync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
