"""The inbox and the outbox are queues of one make: a FIFO for each lane, its head leased to one worker."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.errors import LeaseLost
from gateway.stores.sqlite.transactions import Access

__all__ = ["INBOX", "OUTBOX", "Head", "Queue"]

_ENTER = "INSERT OR IGNORE INTO {lanes} (lane, bot, head) VALUES (?, ?, ?)"
_LAPSED = "UPDATE {lanes} SET hold = 0 WHERE hold = 1 AND ready <= ?"
_DUE = "UPDATE {lanes} SET hold = 0 WHERE hold = 2 AND ready <= ?"
_ANY = "SELECT 1 FROM {lanes} WHERE hold = 0 LIMIT 1"
_FREE = "SELECT head, lane, attempts FROM {lanes} WHERE hold = 0 AND bot = ? ORDER BY head LIMIT ?"
_LEASE = "UPDATE {lanes} SET hold = 1, ready = ?, token = ?, worker = ?, attempts = ? WHERE lane = ?"
_RENEW = "UPDATE {lanes} SET hold = 1, ready = ? WHERE lane = ? AND token = ?"
_HELD = "SELECT head FROM {lanes} WHERE lane = ? AND token = ?"
_FREED = "UPDATE {lanes} SET hold = ?, ready = ?, token = NULL, worker = '' WHERE lane = ?"
_HEAD = "SELECT head FROM {lanes} WHERE lane = ?"
_CLOSE = "UPDATE {rows} SET closed = ?{bare} WHERE number = ? AND lane = ? AND closed IS NULL"
_NEXT = "SELECT number, bot FROM {rows} WHERE lane = ? AND closed IS NULL ORDER BY number LIMIT 1"
_MOVE = (
    "UPDATE {lanes} SET head = ?, bot = ?, hold = 0, ready = 0, token = NULL, worker = '', attempts = 0"
    " WHERE lane = ?"
)
_EMPTY = "DELETE FROM {lanes} WHERE lane = ?"
_LEASED = "SELECT head FROM {lanes} WHERE lane = ? AND hold = 1 AND ready > ?"
_COUNT_LEASED = "SELECT count(*) FROM {lanes} WHERE hold = 1 AND ready > ?"


@dataclass(frozen=True, slots=True)
class Head:
    """A head that was leased."""

    number: int
    lane: str
    token: str
    attempts: int


class Queue:
    """The lanes of one queue.

    Args:
        rows: The table of what is queued.
        lanes: The table with a row for each lane that has something open.
        bare: Whether nothing but its number is kept of a row that was closed.
    """

    def __init__(self, rows: str, lanes: str, *, bare: bool = False) -> None:
        self._rows = rows
        self._lanes = lanes
        self._bare = ", body = x''" if bare else ""

    def enter(self, access: Access, *, lane: str, bot: str, number: int) -> None:
        """Queue a row that was just written: it is its lane's head if the lane was empty."""
        if access.run(self._sql(_ENTER), lane, bot, number).rowcount:
            access.woke = True

    def claim(
        self,
        access: Access,
        worker: str,
        *,
        bots: Sequence[str],
        limit: int,
        lease: float,
        skip: Sequence[str],
    ) -> list[Head]:
        """Lease free heads, oldest first."""
        access.run(self._sql(_LAPSED), access.monotonic)
        access.run(self._sql(_DUE), access.now)
        if limit <= 0 or access.run(self._sql(_ANY)).fetchone() is None:
            return []
        until = access.monotonic + lease
        heads: list[Head] = []
        for number, lane, attempts in self._free(access, bots, limit, frozenset(skip)):
            head = Head(number, lane, secrets.token_hex(16), attempts + 1)
            access.run(self._sql(_LEASE), until, head.token, worker, head.attempts, lane)
            heads.append(head)
        return heads

    def _free(
        self, access: Access, bots: Sequence[str], limit: int, skip: frozenset[str]
    ) -> list[tuple[int, str, int]]:
        """Each bot's oldest heads, merged; a sorted query over all bots would read every free head."""
        free: list[tuple[int, str, int]] = []
        for bot in dict.fromkeys(bots):
            free += access.run(self._sql(_FREE), bot, limit + len(skip)).fetchall()
        return sorted(row for row in free if row[1] not in skip)[:limit]

    def renew(self, access: Access, *, lane: str, token: str, lease: float) -> bool:
        """Renew a lease; whether nobody took the head meanwhile."""
        return access.run(self._sql(_RENEW), access.monotonic + lease, lane, token).rowcount > 0

    def held(self, access: Access, *, lane: str, token: str) -> int:
        """The head that a token holds.

        Raises:
            LeaseLost: It holds none.
        """
        row = access.run(self._sql(_HELD), lane, token).fetchone()
        if row is None:
            raise LeaseLost(f"the lease on lane {lane!r} of the {self._rows} ended or was taken over")
        return int(row[0])

    def put_off(self, access: Access, *, lane: str, delay: float) -> None:
        """Free a lane, its head to be claimed again after `delay` seconds."""
        access.run(self._sql(_FREED), 2 if delay > 0 else 0, access.now + delay, lane)
        access.woke = True

    def head(self, access: Access, lane: str) -> int | None:
        """The lane's head, leased or not."""
        row = access.run(self._sql(_HEAD), lane).fetchone()
        return None if row is None else int(row[0])

    def close(self, access: Access, *, lane: str, number: int) -> bool:
        """Close a row of a lane; `False` when it was closed before."""
        return access.run(self._sql(_CLOSE), access.now, number, lane).rowcount > 0

    def move(self, access: Access, *, lane: str) -> None:
        """Free a lane whose head was closed, for what waits behind it."""
        following = access.run(self._sql(_NEXT), lane).fetchone()
        if following is None:
            access.run(self._sql(_EMPTY), lane)
            return
        access.run(self._sql(_MOVE), *following, lane)
        access.woke = True

    def leased(self, access: Access, lane: str) -> int | None:
        """The lane's head while it is leased."""
        row = access.run(self._sql(_LEASED), lane, access.monotonic).fetchone()
        return None if row is None else int(row[0])

    def count_leased(self, access: Access) -> int:
        """How many heads are leased now."""
        return int(access.run(self._sql(_COUNT_LEASED), access.monotonic).fetchone()[0])

    def _sql(self, statement: str) -> str:
        named = statement.replace("{lanes}", self._lanes).replace("{rows}", self._rows)
        return named.replace("{bare}", self._bare)


INBOX = Queue("inbox", "lanes", bare=True)  # a turn's record holds what was asked
OUTBOX = Queue("letters", "outboxes")
