"""Reads of a few rows by their key, made where they are asked for."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway.stores.sqlite.threads import Access, translated

__all__ = ["Glance"]

T = TypeVar("T")


class Glance:
    """A connection that the event loop reads by itself.

    A look at a row by its key takes some microseconds, and never waits for the writer; the way to a thread
    and back takes a hundred. Reads that look at many rows, or need more than one statement to agree, belong
    on a thread.

    Args:
        name: The store's file, for error messages.
        connect: Opens the connection.
        clock: Where time comes from.
    """

    def __init__(self, name: str, connect: Callable[[], sqlite3.Connection], *, clock: Clock) -> None:
        self._name = name
        self._connect = connect
        self._clock = clock
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
            return operation(Access(self._db, self._clock))
        except sqlite3.Error as exc:
            raise translated(exc, self._name) from exc
