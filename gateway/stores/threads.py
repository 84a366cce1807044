"""Threads that own one SQLite connection each; the writer commits what waits in one transaction."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import TypeVar

from gateway.errors import LastwordError, StoreError

__all__ = ["DatabaseThread", "Operation"]

T = TypeVar("T")
Operation = Callable[[sqlite3.Connection], T]
_Job = tuple[Callable[[sqlite3.Connection], object], asyncio.Future[object]]
_Result = tuple[asyncio.Future[object], object, BaseException | None]

_GROUP = 256  # operations of one transaction, at most


class DatabaseThread:
    """Runs operations on a connection of its own, in order.

    Args:
        connect: Opens the connection, called in the thread.
        grouped: Whether operations that wait together share a transaction, a savepoint each.
        name: The thread's name.

    Attributes:
        commits: Transactions committed so far.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, grouped: bool, name: str) -> None:
        self._connect = connect
        self._grouped = grouped
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opened: asyncio.Future[None] | None = None
        self._closed = False
        self.commits = 0

    async def open(self) -> None:
        """Start the thread and open its connection.

        Raises:
            StoreError: The file cannot be opened.
        """
        self._loop = asyncio.get_running_loop()
        self._opened = self._loop.create_future()
        self._thread.start()
        await self._opened

    async def close(self) -> None:
        """Finish what waits and end the thread."""
        if self._closed or self._loop is None:
            return
        self._closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    async def run(self, operation: Operation[T]) -> T:
        """Run one operation; durable when it returns, where it wrote.

        Raises:
            StoreError: It failed; nothing of it was kept.
        """
        if self._closed or self._loop is None:
            raise StoreError("the store is closed")
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put((operation, future))  # type: ignore[arg-type]  # the future takes what the operation gives
        return await future

    def _run(self) -> None:
        try:
            db = self._connect()
        except BaseException as exc:  # noqa: BLE001  # handed to whoever opens
            self._tell_opened(exc)
            return
        self._tell_opened(None)
        try:
            while (jobs := self._take()) is not None:
                self._answer(
                    self._grouped_run(db, jobs) if self._grouped else [_one(db, job) for job in jobs]
                )
        finally:
            db.close()

    def _take(self) -> list[_Job] | None:
        """What waits now, at least one; `None` at the end."""
        first = self._jobs.get()
        if first is None:
            return None
        jobs = [first]
        while len(jobs) < _GROUP:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)
                break
            jobs.append(job)
        return jobs

    def _grouped_run(self, db: sqlite3.Connection, jobs: list[_Job]) -> list[_Result]:
        """One transaction for all; a failure inside one operation rolls back that one alone."""
        try:
            db.execute("BEGIN IMMEDIATE")
            results = [_saved(db, job) for job in jobs]
            if db.in_transaction:
                db.execute("COMMIT")
            self.commits += 1
        except sqlite3.Error as exc:
            _roll_back(db)
            return [(future, None, _translated(exc)) for _, future in jobs]
        return results

    def _answer(self, results: list[_Result]) -> None:
        self._soon(_resolve, results)

    def _tell_opened(self, problem: BaseException | None) -> None:
        if self._opened is not None:
            self._soon(_resolve, [(self._opened, None, problem)])

    def _soon(self, call: Callable[[list[_Result]], None], results: list[_Result]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, results)


def _resolve(results: list[_Result]) -> None:
    for future, value, problem in results:
        if future.done():
            continue
        if problem is None:
            future.set_result(value)
        else:
            future.set_exception(problem)


def _one(db: sqlite3.Connection, job: _Job) -> _Result:
    operation, future = job
    try:
        return future, operation(db), None
    except Exception as exc:  # noqa: BLE001  # handed to the caller
        return future, None, _translated(exc)


def _saved(db: sqlite3.Connection, job: _Job) -> _Result:
    """Run an operation in a savepoint.

    Raises:
        sqlite3.Error: The transaction itself is broken (disk full); everything in it is lost.
    """
    operation, future = job
    db.execute("SAVEPOINT one")
    try:
        value = operation(db)
    except Exception as exc:  # handed to the caller
        if not db.in_transaction:
            raise sqlite3.OperationalError(str(exc)) from exc
        db.execute("ROLLBACK TO one")
        db.execute("RELEASE one")
        return future, None, _translated(exc)
    db.execute("RELEASE one")
    return future, value, None


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("ROLLBACK")


def _translated(exc: BaseException) -> BaseException:
    if isinstance(exc, LastwordError):
        return exc
    problem = StoreError(f"the store failed: {exc}")
    problem.__cause__ = exc
    return problem
