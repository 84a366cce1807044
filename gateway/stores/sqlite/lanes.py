"""The inbox and the outbox are queues of one make: a FIFO for each lane, its head leased to one worker."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gateway.abc.store import letters_of
from gateway.errors import LeaseLost
from gateway.stores.sqlite.heads import Heads, Hold, Lane, Lanes
from gateway.stores.sqlite.transactions import Access

__all__ = ["INBOX", "OUTBOX", "Head", "Queue", "load"]

_FREE, _PUT_OFF = 0, 2  # what stands in `hold`; who holds a lane is known in memory alone


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
        known: What is known of these lanes in memory.
        bare: Whether nothing but its number is kept of a row that was closed.
    """

    def __init__(self, rows: str, lanes: str, known: Callable[[Heads], Lanes], *, bare: bool = False) -> None:
        self._rows = rows
        self._known = known
        kept = ", body = x''" if bare else ""
        self._load = f"SELECT lane, bot, head, hold, ready, attempts FROM {lanes}"  # noqa: S608  # the names are ours
        self._enter = f"INSERT OR REPLACE INTO {lanes} (lane, bot, head) VALUES (?, ?, ?)"  # noqa: S608  # the names are ours
        self._attempt = f"UPDATE {lanes} SET hold = 0, ready = 0, attempts = ? WHERE lane = ?"  # noqa: S608  # the names are ours
        self._put_off = f"UPDATE {lanes} SET hold = ?, ready = ? WHERE lane = ?"  # noqa: S608  # the names are ours
        self._close = f"UPDATE {rows} SET closed = ?{kept} WHERE number = ? AND lane = ? AND closed IS NULL"  # noqa: S608  # the names are ours
        self._next = (
            f"SELECT number, bot FROM {rows} WHERE lane = ? AND closed IS NULL ORDER BY number LIMIT 1"  # noqa: S608  # the names are ours
        )
        self._move = f"UPDATE {lanes} SET head = ?, bot = ?, hold = 0, ready = 0, attempts = 0 WHERE lane = ?"  # noqa: S608  # the names are ours
        self._empty = f"DELETE FROM {lanes} WHERE lane = ?"  # noqa: S608  # the names are ours

    def load(self, access: Access) -> None:
        """Learn from the file which lanes have something open."""
        rows = access.run(self._load)
        self._known(access.heads).fill(
            (name, Lane(bot, head, "put off" if hold == _PUT_OFF else "free", ready, "", attempts))
            for name, bot, head, hold, ready, attempts in rows
        )

    def enter(self, access: Access, *, lane: str, bot: str, number: int) -> None:
        """Queue a row that was just written: it is its lane's head if the lane was empty."""
        if self._known(access.heads).get(lane) is None:
            access.run(self._enter, lane, bot, number)
            self._stand(access, lane, Lane(bot, number))
            self._wake(access, bot)

    def claim(
        self, access: Access, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str]
    ) -> list[Head]:
        """Lease free heads, oldest first."""
        lanes = self._known(access.heads)
        lanes.lapse(now=access.now, monotonic=access.monotonic)
        heads: list[Head] = []
        for name, lane in lanes.take(bots, max(limit, 0), skip=frozenset(skip)):
            head = Head(lane.head, name, secrets.token_hex(16), lane.attempts + 1)
            access.run(self._attempt, head.attempts, name)
            until = access.monotonic + lease
            self._stand(access, name, Lane(lane.bot, head.number, "leased", until, head.token, head.attempts))
            heads.append(head)
        return heads

    def renew(self, access: Access, *, lane: str, token: str, lease: float) -> bool:
        """Renew a lease; whether nobody took the head meanwhile."""
        known = self._known(access.heads).get(lane)
        if known is None or not token or known.token != token:
            return False
        self._stand(access, lane, known._replace(hold="leased", ready=access.monotonic + lease))
        return True

    def held(self, access: Access, *, lane: str, token: str) -> int:
        """The head that a token holds.

        Raises:
            LeaseLost: It holds none.
        """
        known = self._known(access.heads).get(lane)
        if known is None or not token or known.token != token:
            raise LeaseLost(f"the lease on lane {lane!r} of the {self._rows} ended or was taken over")
        return known.head

    def put_off(self, access: Access, *, lane: str, delay: float) -> None:
        """Free a lane, its head to be claimed again after `delay` seconds."""
        known = self._known(access.heads).get(lane)
        if known is None:
            return
        due = access.now + delay if delay > 0 else 0.0
        access.run(self._put_off, _PUT_OFF if due else _FREE, due, lane)
        hold: Hold = "put off" if due else "free"
        self._stand(access, lane, known._replace(hold=hold, ready=due, token=""))
        self._wake(access, known.bot)

    def head(self, access: Access, lane: str) -> int | None:
        """The lane's head, leased or not."""
        known = self._known(access.heads).get(lane)
        return None if known is None else known.head

    def close(self, access: Access, *, lane: str, number: int) -> bool:
        """Close a row of a lane; `False` when it was closed before."""
        return access.run(self._close, access.now, number, lane).rowcount > 0

    def move(self, access: Access, *, lane: str) -> None:
        """Free a lane whose head was closed, for what waits behind it."""
        following = access.run(self._next, lane).fetchone()
        if following is None:
            access.run(self._empty, lane)
            self._stand(access, lane, None)
            return
        access.run(self._move, *following, lane)
        number, bot = following
        self._stand(access, lane, Lane(bot, number))
        self._wake(access, bot)

    def leased(self, access: Access, lane: str) -> int | None:
        """The lane's head while it is leased."""
        known = self._known(access.heads).get(lane)
        return known.head if known and known.hold == "leased" and known.ready > access.monotonic else None

    def count_leased(self, access: Access) -> int:
        """How many heads are leased now."""
        return self._known(access.heads).count_leased(access.monotonic)

    def _wake(self, access: Access, bot: str) -> None:
        access.woke.add(bot if self is INBOX else letters_of(bot))

    def _stand(self, access: Access, name: str, lane: Lane | None) -> None:
        """Let a lane stand so, until the transaction fails."""
        lanes = self._known(access.heads)
        before = lanes.get(name)
        access.undo.append(lambda: lanes.set(name, before))
        lanes.set(name, lane)


INBOX = Queue("inbox", "lanes", lambda heads: heads.inbox, bare=True)  # a turn's record holds what was asked
OUTBOX = Queue("letters", "outboxes", lambda heads: heads.outbox)


def load(access: Access) -> None:
    """Learn from the file what waits in both."""
    INBOX.load(access)
    OUTBOX.load(access)
