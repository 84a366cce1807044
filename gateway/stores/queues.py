"""SQL of the two queues: the inbox and the outbox, each a FIFO per lane with one leased head."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from gateway.errors import LeaseLost

__all__ = ["INBOX", "OUTBOX", "Head", "Queue"]


class Head(NamedTuple):
    """A leased head."""

    lane: str
    number: int
    token: str
    attempts: int


class Queue:
    """One FIFO per lane in a rows table, with a table of heads beside it.

    Args:
        rows: The table of what waits.
        heads: The table with one row for each lane that is not empty.
        number: The rows' key, which grows.
    """

    def __init__(self, rows: str, heads: str, number: str) -> None:
        self.rows = rows
        self._enter = f"INSERT OR IGNORE INTO {heads} (lane, bot, head) VALUES (?, ?, ?)"
        self._free = (
            f"SELECT lane, head, attempts FROM {heads} WHERE due <= ? AND until <= ? AND bot IN ({{}})"  # noqa: S608  # names are ours
            " ORDER BY head LIMIT ?"
        )
        self._lease = f"UPDATE {heads} SET token = ?, until = ?, attempts = ? WHERE lane = ?"  # noqa: S608
        self._renew = f"UPDATE {heads} SET until = ? WHERE lane = ? AND token = ?"  # noqa: S608
        self._release = f"UPDATE {heads} SET token = '', until = 0, due = ? WHERE lane = ? AND token = ?"  # noqa: S608
        self._held = f"SELECT 1 FROM {heads} WHERE lane = ? AND head = ? AND token = ?"  # noqa: S608
        self._remove = f"DELETE FROM {rows} WHERE {number} = ?"  # noqa: S608
        self._next = f"SELECT min({number}) FROM {rows} WHERE lane = ?"  # noqa: S608
        self._move = (
            f"UPDATE {heads} SET head = ?, due = 0, token = '', until = 0, attempts = 0 WHERE lane = ?"  # noqa: S608
        )
        self._empty = f"DELETE FROM {heads} WHERE lane = ?"  # noqa: S608
        self._claimed = f"SELECT count(*) FROM {heads} WHERE until > ?"  # noqa: S608
        self._leased = f"SELECT head FROM {heads} WHERE lane = ? AND until > ?"  # noqa: S608

    def enter(self, db: sqlite3.Connection, lane: str, bot: str, number: int) -> None:
        """Make a new row the head of its lane, if the lane was empty."""
        db.execute(self._enter, (lane, bot, number))

    def claim(
        self,
        db: sqlite3.Connection,
        *,
        bots: Sequence[str],
        skip: Sequence[str],
        now: float,
        until: float,
        limit: int,
    ) -> list[Head]:
        """Lease free heads, oldest first."""
        query = self._free.format(",".join("?" * len(bots)))
        free = db.execute(query, (now, now, *bots, limit + len(skip))).fetchall()
        heads = [
            Head(lane, number, secrets.token_hex(8), attempts + 1)
            for lane, number, attempts in free
            if lane not in skip
        ][:limit]
        db.executemany(self._lease, [(head.token, until, head.attempts, head.lane) for head in heads])
        return heads

    def renew(self, db: sqlite3.Connection, lane: str, token: str, until: float) -> bool:
        """Renew a lease; whether it still held."""
        return db.execute(self._renew, (until, lane, token)).rowcount > 0

    def hold(self, db: sqlite3.Connection, lane: str, number: int, token: str) -> None:
        """Check a lease.

        Raises:
            LeaseLost: It no longer holds.
        """
        if db.execute(self._held, (lane, number, token)).fetchone() is None:
            raise LeaseLost(f"number {number} of {self.rows} is no longer ours")

    def release(self, db: sqlite3.Connection, lane: str, token: str, due: float) -> None:
        """Free a lease; its head may be claimed again from `due` on."""
        db.execute(self._release, (due, lane, token))

    def pop(self, db: sqlite3.Connection, lane: str, number: int) -> bool:
        """Remove the head; whether another one stands behind it."""
        db.execute(self._remove, (number,))
        following = db.execute(self._next, (lane,)).fetchone()[0]
        if following is None:
            db.execute(self._empty, (lane,))
            return False
        db.execute(self._move, (following, lane))
        return True

    def drop(self, db: sqlite3.Connection, lane: str, number: int, now: float) -> bool:
        """Remove a row that is not leased, wherever it stands; whether it was there."""
        leased = db.execute(self._leased, (lane, now)).fetchone()
        if leased is not None and leased[0] == number:
            return False
        if db.execute(self._remove, (number,)).rowcount == 0:
            return False
        following = db.execute(self._next, (lane,)).fetchone()[0]
        if following is None:
            db.execute(self._empty, (lane,))
        elif leased is None:
            db.execute(self._move, (following, lane))
        return True

    def leased(self, db: sqlite3.Connection, lane: str, now: float) -> int | None:
        """The number of the lane's head while it is leased."""
        row = db.execute(self._leased, (lane, now)).fetchone()
        return None if row is None else int(row[0])

    def claimed(self, db: sqlite3.Connection, now: float) -> int:
        """How many heads are leased."""
        return int(db.execute(self._claimed, (now,)).fetchone()[0])


INBOX = Queue("inbox", "heads", "entry")
OUTBOX = Queue("outbox", "outheads", "n")
