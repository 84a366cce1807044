"""Operations that remove what people said: what is old, and what somebody wants forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.abc.store import Erasure, Turn
from gateway.stores.sqlite.lanes import INBOX, OUTBOX, Queue
from gateway.stores.sqlite.outbox import drop_number
from gateway.stores.sqlite.records import COLUMNS, write_turn
from gateway.stores.sqlite.transactions import Access

__all__ = ["aged", "erase", "fade", "rewrite"]

_OLD_LINES = "DELETE FROM lines WHERE number IN (SELECT number FROM lines WHERE at < ? LIMIT ?)"
_OLD_BODIES = (
    "UPDATE inbox SET body = x'' WHERE number IN"
    " (SELECT number FROM inbox WHERE closed < ? AND body != x'' LIMIT ?)"
)
_OLD_DEAD = (
    "SELECT number FROM letters WHERE state NOT IN ('waiting', 'delivered') AND closed < ?"
    " ORDER BY number LIMIT ?"
)


def fade(access: Access, before: float, *, limit: int) -> int:
    """Remove what was said before a time; `limit` rows at most."""
    limit = max(limit, 0)
    left = limit - access.run(_OLD_LINES, before, limit).rowcount
    left -= access.run(_OLD_BODIES, before, left).rowcount
    for (number,) in access.run(_OLD_DEAD, before, left).fetchall():
        drop_number(access, number)
        left -= 1
    return limit - left


def aged(access: Access, before: float, *, after: float, limit: int) -> tuple[Turn, ...]:
    """Records between two times, oldest first."""
    rows = access.run(
        f"SELECT {COLUMNS} FROM turns WHERE at >= ? AND at < ? ORDER BY at, number LIMIT ?",  # noqa: S608  # no value is in it
        after,
        before,
        max(limit, 0),
    )
    return tuple(Turn(*row) for row in rows)


def rewrite(access: Access, turns: Sequence[Turn]) -> None:
    """Write records over those that are there."""
    for turn in turns:
        if access.run("SELECT 1 FROM turns WHERE id = ?", turn.id).fetchone() is not None:
            write_turn(access, turn)


def erase(access: Access, erasure: Erasure) -> int:
    """Remove what is named; how many rows."""
    gone = 0
    for lane in erasure.lanes:
        gone += _empty(access, INBOX, "SELECT number FROM inbox WHERE lane = ? AND closed IS NULL", lane)
        _empty(access, OUTBOX, "SELECT number FROM letters WHERE lane = ? AND closed IS NULL", lane)
        gone += _drop(access, "SELECT number FROM letters WHERE lane = ? AND body != x''", lane)
        gone += access.run("DELETE FROM lines WHERE lane = ?", lane).rowcount
        # What is over leaves its number; whose it was, a lane's name tells.
        access.run("UPDATE inbox SET lane = '' WHERE lane = ? AND closed IS NOT NULL", lane)
        access.run("UPDATE letters SET lane = '', turn = '' WHERE lane = ? AND closed IS NOT NULL", lane)
    for lane, number in erasure.entries:
        gone += _close(access, INBOX, lane, [number])
    for turn in erasure.turns:
        gone += _erase_turn(access, turn)
    for key in erasure.facts:
        gone += access.run("DELETE FROM facts WHERE key = ?", key).rowcount
    return gone


def _erase_turn(access: Access, turn: Turn) -> int:
    open_letters = access.run(
        "SELECT number, lane FROM letters WHERE turn = ? AND closed IS NULL", turn.id
    ).fetchall()
    for number, lane in open_letters:
        _close(access, OUTBOX, lane, [number])
    gone = _drop(access, "SELECT number FROM letters WHERE turn = ? AND body != x''", turn.id)
    gone += access.run("DELETE FROM lines WHERE turn = ?", turn.id).rowcount
    access.run("UPDATE inbox SET body = x'' WHERE number = ? AND closed IS NOT NULL", turn.entry)
    return gone + access.run("DELETE FROM turns WHERE id = ?", turn.id).rowcount


def _empty(access: Access, queue: Queue, which: str, lane: str) -> int:
    """Close everything that is open in a lane."""
    return _close(access, queue, lane, [number for (number,) in access.run(which, lane)])


def _close(access: Access, queue: Queue, lane: str, numbers: list[int]) -> int:
    """Close rows of a lane; what waits behind its head moves up."""
    head = queue.head(access, lane)
    closed = [number for number in numbers if queue.close(access, lane=lane, number=number)]
    if head in closed:
        queue.move(access, lane=lane)
    return len(closed)


def _drop(access: Access, which: str, value: str) -> int:
    """Leave nothing of letters but their ids."""
    numbers = access.run(which, value).fetchall()
    for (number,) in numbers:
        drop_number(access, number)
    return len(numbers)
