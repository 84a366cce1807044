"""Reads: of a few rows where they are asked for, of many on a thread."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway.stores.sqlite.heads import Heads
from gateway.stores.sqlite.transactions import Access, translated

__all__ = ["Glance", "Reader"]

T = TypeVar("T")


class Glance:
    """A connection that the event loop reads by itself.

    A look at a row by its key takes some microseconds, and never waits for a writer; the way to a thread
    and back takes a hundred. Reads that look at many rows, or need more than one statement to agree, belong
    on a thread.

    Args:
        name: The store's file, for error messages.
        connect: Opens the connection.
        clock: Where time comes from.
        heads: What is known of lanes in memory.
        better: A connection that knows the file's newest pages already; `None` while it is not to be had.
    """

    def __init__(
        self,
        name: str,
        connect: Callable[[], sqlite3.Connection],
        *,
        clock: Clock,
        heads: Heads,
        better: Callable[[], sqlite3.Connection | None],
    ) -> None:
        self._name = name
        self._connect = connect
        self._clock = clock
        self._heads = heads
        self._better = better
        self._db: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Open the connection.

        Raises:
            StoreError: It cannot be opened.
        """
        self._db = await asyncio.to_thread(self._connect)

    def close(self) -> None:
        """Close it."""
        db, self._db = self._db, None
        if db is not None:
            db.close()

    def run(self, operation: Callable[[Access], T]) -> T:
        """The result of one operation.

        Raises:
            StoreError: It failed, or the store is not open.
        """
        if self._db is None:
            raise StoreError(f"store {self._name!r} is not open")
        try:
            return operation(Access(self._better() or self._db, self._clock, self._heads))
        except sqlite3.Error as exc:
            raise translated(exc, self._name) from exc


class Reader:
    """A connection on a thread of its own, each operation in a transaction.

    Args:
        name: The store's file, for error messages.
        connect: Opens the connection.
        clock: Where time comes from.
        heads: What is known of lanes in memory.
    """

    def __init__(
        self, name: str, connect: Callable[[], sqlite3.Connection], *, clock: Clock, heads: Heads
    ) -> None:
        self._name = name
        self._connect = connect
        self._clock = clock
        self._heads = heads
        self._db: sqlite3.Connection | None = None
        self._thread: ThreadPoolExecutor | None = None

    async def open(self) -> None:
        """Open the connection.

        Raises:
            StoreError: It cannot be opened.
        """
        self._thread = ThreadPoolExecutor(1, "store reader")
        self._db = await asyncio.get_running_loop().run_in_executor(self._thread, self._connect)

    async def close(self) -> None:
        """Finish what was asked for and close the connection."""
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.to_thread(thread.shutdown)
        db, self._db = self._db, None
        if db is not None:
            db.close()

    async def run(self, operation: Callable[[Access], T]) -> T:
        """The result of one operation.

        Raises:
            StoreError: It failed, or the store is not open.
        """
        if self._thread is None or self._db is None:
            raise StoreError(f"store {self._name!r} is not open")
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._run, self._db, operation)

    def _run(self, db: sqlite3.Connection, operation: Callable[[Access], T]) -> T:
        try:
            db.execute("BEGIN")
            try:
                return operation(Access(db, self._clock, self._heads))
            finally:
                db.execute("ROLLBACK")
        except Exception as exc:
            raise translated(exc, self._name) from exc
