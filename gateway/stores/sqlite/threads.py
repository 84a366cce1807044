"""A thread that owns a connection; what waits together runs in one transaction."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar, cast

from gateway.abc.clock import Clock
from gateway.errors import LastwordError, StoreError

__all__ = ["Access", "DatabaseThread", "translated"]

T = TypeVar("T")

_GROUP = 256  # operations in one transaction, at most


class Access:
    """What an operation works with, inside the thread.

    Attributes:
        now: Unix seconds.
        monotonic: Seconds of the clock that never runs backwards; leases are kept by it.
        woke: Whether the operation made something claimable.
    """

    __slots__ = ("_db", "monotonic", "now", "woke")

    def __init__(self, db: sqlite3.Connection, clock: Clock) -> None:
        self._db = db
        self.now = clock.time()
        self.monotonic = clock.monotonic()
        self.woke = False

    def run(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Run one statement."""
        return self._db.execute(statement, values)

    def many(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        """Run one statement for each row."""
        self._db.executemany(statement, rows)


class _Request:
    """An operation, who waits for it, and what came of it."""

    __slots__ = ("bare", "future", "lasting", "operation", "problem", "value")

    def __init__(
        self,
        operation: Callable[[Access], object],
        future: asyncio.Future[object],
        *,
        lasting: bool = True,
        bare: Callable[[sqlite3.Connection], object] | None = None,
    ) -> None:
        self.bare = bare
        self.operation = operation
        self.future = future
        self.lasting = lasting
        self.value: object = None
        self.problem: BaseException | None = None

    def resolve(self) -> None:
        """Tell the caller, unless it went away."""
        if self.future.done():
            return
        if self.problem is None:
            self.future.set_result(self.value)
        else:
            self.future.set_exception(self.problem)


class DatabaseThread:
    """Runs operations in order on a connection of its own, many in one transaction.

    Each operation of a group has a savepoint, so a failure rolls back alone; all are answered together after
    the commit.

    Args:
        name: The store's file, for error messages.
        connect: Opens the connection; called in the thread.
        begin: The statement that starts a transaction.
        waits: The statement after which a commit waits for the disk, and that after which it does not; both
            empty where every commit is alike.
        clock: Where time comes from.
        woken: Called in the loop after a commit that made something claimable.

    Attributes:
        groups: Transactions ended so far.
    """

    def __init__(
        self,
        name: str,
        connect: Callable[[], sqlite3.Connection],
        *,
        begin: str,
        clock: Clock,
        woken: Callable[[], None],
        waits: tuple[str, str] = ("", ""),
    ) -> None:
        self._waits = waits
        self._waiting = ""
        self._name = name
        self._connect = connect
        self._begin = begin
        self._clock = clock
        self._woken = woken
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.groups = 0

    async def open(self) -> None:
        """Start the thread and open its connection.

        Raises:
            StoreError: The connection cannot be opened.
        """
        loop = asyncio.get_running_loop()
        opened: asyncio.Future[object] = loop.create_future()
        self._loop = loop
        self._requests = queue.SimpleQueue()
        self._thread = threading.Thread(
            target=self._work, args=(opened,), name=f"store {self._begin}", daemon=True
        )
        self._thread.start()
        try:
            await opened
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Finish what waits and close the connection."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._requests.put(None)
        await asyncio.to_thread(thread.join)

    async def run(self, operation: Callable[[Access], T], *, lasting: bool = True) -> T:
        """Run one operation; committed when it returns.

        Args:
            operation: What to run.
            lasting: Whether it must survive the death of the host; what need not, survives that of the
                process all the same.

        Raises:
            StoreError: It failed and nothing of it was kept, or the store is not open.
        """
        if self._thread is None or self._loop is None:
            raise StoreError(f"store {self._name!r} is not open")
        future: asyncio.Future[object] = self._loop.create_future()
        self._requests.put(_Request(operation, future, lasting=lasting))
        return cast("T", await future)

    async def between(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run something on the connection while no transaction is open.

        Raises:
            StoreError: It failed, or the store is not open.
        """
        if self._thread is None or self._loop is None:
            raise StoreError(f"store {self._name!r} is not open")
        future: asyncio.Future[object] = self._loop.create_future()
        self._requests.put(_Request(lambda _: None, future, bare=operation))
        return cast("T", await future)

    def _work(self, opened: asyncio.Future[object]) -> None:
        request = _Request(lambda _: None, opened)
        try:
            db = self._connect()
        except Exception as exc:  # noqa: BLE001  # handed to whoever opens
            request.problem = translated(exc, self._name)
            self._answer([request], woke=False)
            return
        self._answer([request], woke=False)
        with contextlib.closing(db):
            while requests := self._take():
                together = [request for request in requests if request.bare is None]
                woke = self._group(db, together) if together else False
                for request in requests:
                    self._barely(db, request)
                self._answer(requests, woke=woke)

    def _take(self) -> list[_Request]:
        """What waits now, at least one; nothing at the end."""
        taken: list[_Request] = []
        request = self._requests.get()
        while request is not None:
            taken.append(request)
            if len(taken) == _GROUP:
                return taken
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                return taken
        if taken:
            self._requests.put(None)
        return taken

    def _group(self, db: sqlite3.Connection, requests: list[_Request]) -> bool:
        """Run requests in one transaction; whether they made something claimable."""
        try:
            self._wait(db, lasting=any(request.lasting for request in requests))
            db.execute(self._begin)
        except sqlite3.Error as exc:
            for request in requests:
                request.problem = translated(exc, self._name)
            return False
        try:
            access = Access(db, self._clock)
            if len(requests) == 1 and not self._alone(db, access, requests[0]):
                return False
            for request in requests if len(requests) > 1 else ():
                self._one(db, access, request)
            db.execute("COMMIT")
        except sqlite3.Error as exc:
            _roll_back(db)
            return self._singly(db, requests, exc)
        finally:
            self.groups += 1
        return access.woke

    def _barely(self, db: sqlite3.Connection, request: _Request) -> None:
        """Run what needs no transaction."""
        if request.bare is None:
            return
        try:
            request.value = request.bare(db)
        except Exception as exc:  # noqa: BLE001  # handed to the caller
            request.problem = translated(exc, self._name)

    def _wait(self, db: sqlite3.Connection, *, lasting: bool) -> None:
        """Let the next commit wait for the disk, or not."""
        wanted = self._waits[0 if lasting else 1]
        if wanted != self._waiting:
            db.execute(wanted)
            self._waiting = wanted

    def _alone(self, db: sqlite3.Connection, access: Access, request: _Request) -> bool:
        """Run the only request of a transaction, which ends when it fails; whether there still is one."""
        request.value, request.problem = None, None
        if not request.future.cancelled():
            try:
                request.value = request.operation(access)
            except Exception as exc:  # noqa: BLE001  # handed to the caller
                request.problem = translated(exc, self._name)
                _roll_back(db)
                return False
        return True

    def _one(self, db: sqlite3.Connection, access: Access, request: _Request) -> None:
        """Run one request of a group in a savepoint.

        Raises:
            sqlite3.Error: The whole transaction is lost.
        """
        request.value, request.problem = None, None
        if request.future.cancelled():
            return
        db.execute("SAVEPOINT request")
        try:
            request.value = request.operation(access)
        except Exception as exc:  # noqa: BLE001  # handed to the caller
            request.problem = translated(exc, self._name)
            db.execute("ROLLBACK TO request")  # fails where SQLite gave up the transaction, as on a full disk
        db.execute("RELEASE request")

    def _singly(self, db: sqlite3.Connection, requests: list[_Request], exc: sqlite3.Error) -> bool:
        """After a transaction was lost, run its requests one by one: only those at fault fail."""
        if len(requests) == 1:
            requests[0].problem = requests[0].problem or translated(exc, self._name)
            return False
        woke = [self._group(db, [request]) for request in requests]
        return any(woke)

    def _answer(self, requests: list[_Request], *, woke: bool) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._resolve, requests, woke)

    def _resolve(self, requests: list[_Request], woke: bool) -> None:  # a callback's argument
        for request in requests:
            request.resolve()
        if woke:
            self._woken()


def translated(exc: BaseException, name: str) -> BaseException:
    """Ours as it is; everything else as a `StoreError` that names the file."""
    if isinstance(exc, LastwordError):
        return exc
    problem = StoreError(f"store {name!r} failed: {exc}")
    problem.__cause__ = exc
    return problem


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("ROLLBACK")
