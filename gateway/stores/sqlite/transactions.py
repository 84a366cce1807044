"""Operations, and the transactions that they share."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.abc.clock import Clock
from gateway.errors import LastwordError, StoreError
from gateway.stores.sqlite.heads import Heads

__all__ = ["Access", "Held", "Request", "is_locked", "transact", "translated"]


class Access:
    """What an operation works with.

    Attributes:
        now: Unix seconds.
        monotonic: Seconds of the clock that never runs backwards; leases are kept by it.
        woke: Under which names something became claimable.
        heads: What is known of lanes in memory.
        undo: What takes back what an operation changed there, should its transaction fail.
    """

    __slots__ = ("_db", "heads", "monotonic", "now", "undo", "woke")

    def __init__(self, db: sqlite3.Connection, clock: Clock, heads: Heads) -> None:
        self._db = db
        self.heads = heads
        self.undo: list[Callable[[], None]] = []
        self.now = clock.time()
        self.monotonic = clock.monotonic()
        self.woke: set[str] = set()

    def run(self, statement: str, *values: object) -> sqlite3.Cursor:
        """Run one statement."""
        return self._db.execute(statement, values)

    def many(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        """Run one statement for each row."""
        self._db.executemany(statement, rows)

    def take_back(self, since: int = 0) -> None:
        """Let memory be as it was when so many changes had been made."""
        while len(self.undo) > since:
            self.undo.pop()()


class Request:
    """An operation, who waits for it, and what came of it.

    Attributes:
        lasting: Whether it must survive the death of the host.
        aside: Whether it may take long, and must not be run in the event loop.
        bare: Run on the connection while no transaction is open, in place of an operation.
    """

    __slots__ = ("aside", "bare", "future", "lasting", "operation", "problem", "value")

    def __init__(
        self,
        operation: Callable[[Access], object],
        future: asyncio.Future[object],
        *,
        lasting: bool = True,
        aside: bool = False,
        bare: Callable[[sqlite3.Connection], object] | None = None,
    ) -> None:
        self.aside = aside or bare is not None
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


@dataclass(frozen=True, slots=True)
class Held:
    """A file that this process holds.

    Attributes:
        name: The file, for error messages.
        clock: Where time comes from.
        heads: What is known of its lanes.
    """

    name: str
    clock: Clock
    heads: Heads


def transact(db: sqlite3.Connection, requests: Sequence[Request], held: Held) -> set[str]:
    """Run requests in one transaction; the names under which something became claimable.

    Each of several has a savepoint, so a failure rolls back alone, and stands in the request. Where the
    whole transaction is lost, each is run again by itself.

    Raises:
        sqlite3.OperationalError: Another program holds the file; see `is_locked`. Nothing was run.
    """
    try:
        db.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as exc:
        if is_locked(exc):
            raise
        _fail(requests, exc, held.name)
        return set()
    access = Access(db, held.clock, held.heads)
    try:
        if len(requests) == 1:
            if not _alone(db, access, requests[0], held.name):
                return set()
        else:
            for request in requests:
                _one(db, access, request, held.name)
        db.execute("COMMIT")
    except sqlite3.Error as exc:
        access.take_back()
        _roll_back(db)
        return _singly(db, requests, exc, held)
    return access.woke


def _alone(db: sqlite3.Connection, access: Access, request: Request, name: str) -> bool:
    """Run the only request of a transaction, which ends when it fails; whether there still is one."""
    request.value, request.problem = None, None
    if request.future.cancelled():
        return True
    try:
        request.value = request.operation(access)
    except Exception as exc:  # noqa: BLE001  # handed to the caller
        request.problem = translated(exc, name)
        access.take_back()
        _roll_back(db)
        return False
    return True


def _one(db: sqlite3.Connection, access: Access, request: Request, name: str) -> None:
    """Run one request of a group in a savepoint.

    Raises:
        sqlite3.Error: The whole transaction is lost.
    """
    request.value, request.problem = None, None
    if request.future.cancelled():
        return
    before = len(access.undo)
    db.execute("SAVEPOINT request")
    try:
        request.value = request.operation(access)
    except Exception as exc:  # noqa: BLE001  # handed to the caller
        request.problem = translated(exc, name)
        access.take_back(before)
        db.execute("ROLLBACK TO request")  # fails where SQLite gave up the transaction, as on a full disk
    db.execute("RELEASE request")


def _singly(db: sqlite3.Connection, requests: Sequence[Request], exc: sqlite3.Error, held: Held) -> set[str]:
    """After a transaction was lost, run its requests one by one: only those at fault fail."""
    if len(requests) == 1:
        requests[0].problem = requests[0].problem or translated(exc, held.name)
        return set()
    woke: set[str] = set()
    for request in requests:
        try:
            woke |= transact(db, [request], held)
        except sqlite3.Error as locked:
            _fail([request], locked, held.name)
    return woke


def _fail(requests: Sequence[Request], exc: sqlite3.Error, name: str) -> None:
    for request in requests:
        request.problem = translated(exc, name)


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("ROLLBACK")


def is_locked(exc: BaseException) -> bool:
    """Whether another program holds the file's own lock for the moment."""
    code: object = getattr(exc, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF == sqlite3.SQLITE_BUSY


def translated(exc: BaseException, name: str) -> BaseException:
    """Ours as it is; everything else as a `StoreError` that names the file."""
    if isinstance(exc, LastwordError):
        return exc
    problem = StoreError(f"store {name!r} failed: {exc}")
    problem.__cause__ = exc
    return problem
