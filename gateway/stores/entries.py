"""The inbox's rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from gateway.abc.store import Claim, Entry, Turn, Waiting
from gateway.stores.queues import INBOX
from gateway.stores.tables import write_turn

__all__ = ["claim_entries", "cover_entries", "put_entries", "waiting_entries"]


def put_entries(db: sqlite3.Connection, entries: Sequence[Entry]) -> tuple[bool, ...]:
    """Keep entries in order; `False` for one whose key is known."""
    return tuple(_put(db, entry) for entry in entries)


def _put(db: sqlite3.Connection, entry: Entry) -> bool:
    for key in entry.dedupe:
        if db.execute("SELECT 1 FROM known WHERE bot = ? AND key = ?", (entry.bot, key)).fetchone():
            return False
    db.executemany(
        "INSERT OR IGNORE INTO known (bot, key, at) VALUES (?, ?, ?)",
        [(entry.bot, key, entry.at) for key in entry.dedupe],
    )
    if not entry.lane:
        db.execute("INSERT INTO strays (bot, body, at) VALUES (?, ?, ?)", (entry.bot, entry.body, entry.at))
        return True
    added = db.execute(
        "INSERT INTO inbox (bot, lane, body, at) VALUES (?, ?, ?, ?)",
        (entry.bot, entry.lane, entry.body, entry.at),
    )
    if added.lastrowid is not None:
        INBOX.enter(db, entry.lane, entry.bot, added.lastrowid)
    return True


def claim_entries(
    db: sqlite3.Connection,
    *,
    bots: Sequence[str],
    skip: Sequence[str],
    now: float,
    until: float,
    limit: int,
) -> tuple[Claim, ...]:
    """Lease heads of lanes."""
    heads = INBOX.claim(db, bots=bots, skip=skip, now=now, until=until, limit=limit)
    claims: list[Claim] = []
    for head in heads:
        bot, body, at = db.execute(
            "SELECT bot, body, at FROM inbox WHERE entry = ?", (head.number,)
        ).fetchone()
        claims.append(Claim(head.number, bot, head.lane, head.token, head.attempts, bytes(body), at))
    return tuple(claims)


def waiting_entries(db: sqlite3.Connection, lane: str, now: float) -> tuple[Waiting, ...]:
    """Entries that wait in a lane, oldest first."""
    leased = INBOX.leased(db, lane, now)
    rows = db.execute("SELECT entry, body, at FROM inbox WHERE lane = ? ORDER BY entry", (lane,))
    return tuple(Waiting(entry, bytes(body), at) for entry, body, at in rows if entry != leased)


def cover_entries(db: sqlite3.Connection, lane: str, turns: Sequence[Turn], now: float) -> tuple[int, ...]:
    """End waiting entries with their records."""
    ended: list[int] = []
    for turn in turns:
        if INBOX.drop(db, lane, turn.entry, now):
            write_turn(db, turn)
            ended.append(turn.entry)
    return tuple(ended)
