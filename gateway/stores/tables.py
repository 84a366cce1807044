"""SQL of everything that is not a queue: turns, history, facts, leases."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from gateway.abc.store import Commit, Fact, Letter, LetterState, Line, Turn
from gateway.stores.queues import OUTBOX

__all__ = [
    "apply",
    "counts",
    "dead",
    "fact",
    "history",
    "lease",
    "release",
    "scan",
    "swap",
    "trim",
    "turn",
    "turns",
    "write_facts",
    "write_turn",
]

_TURN = "id, ref, bot, lane, entry, state, reason, code, at, body"


def write_turn(db: sqlite3.Connection, row: Turn) -> None:
    """Write a turn's record."""
    db.execute(
        f"INSERT OR REPLACE INTO turns ({_TURN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  # names are ours
        (row.id, row.ref, row.bot, row.lane, row.entry, row.state, row.reason, row.code, row.at, row.body),
    )


def turn(db: sqlite3.Connection, key: str) -> Turn | None:
    """A turn by id or reference."""
    query = f"SELECT {_TURN} FROM turns WHERE {{}} = ? ORDER BY entry DESC LIMIT 1"  # noqa: S608
    row = (
        db.execute(query.format("id"), (key,)).fetchone()
        or db.execute(query.format("ref"), (key,)).fetchone()
    )
    return None if row is None else Turn(*row)


def turns(
    db: sqlite3.Connection, *, bot: str, lane: str, reason: str, state: str, limit: int
) -> tuple[Turn, ...]:
    """Turns that match, newest first."""
    wanted = {"bot": bot, "lane": lane, "reason": reason, "state": state}
    words = {name: word for name, word in wanted.items() if word}
    where = " AND ".join(f"{name} = ?" for name in words) or "1"
    query = f"SELECT {_TURN} FROM turns WHERE {where} ORDER BY entry DESC LIMIT ?"  # noqa: S608
    return tuple(Turn(*row) for row in db.execute(query, (*words.values(), limit)))


def apply(db: sqlite3.Connection, lane: str, commit: Commit, now: float) -> None:
    """Write everything a commit holds."""
    if commit.turn is not None:
        write_turn(db, commit.turn)
    if commit.clear:
        db.execute("DELETE FROM lines WHERE lane = ?", (lane,))
    for gone in commit.forget:
        db.execute("DELETE FROM lines WHERE lane = ? AND turn = ?", (lane, gone))
    db.executemany(
        "INSERT INTO lines (lane, turn, role, text, at, speaker, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(one.lane, one.turn, one.role, one.text, one.at, one.speaker, one.data) for one in commit.history],
    )
    for letter in commit.letters:
        _post(db, letter)
    write_facts(db, commit.facts, now)


def _post(db: sqlite3.Connection, letter: Letter) -> None:
    added = db.execute(
        "INSERT OR IGNORE INTO outbox (id, bot, lane, turn, body, at) VALUES (?, ?, ?, ?, ?, ?)",
        (letter.id, letter.bot, letter.lane, letter.turn, letter.body, letter.at),
    )
    if added.rowcount and added.lastrowid is not None:
        OUTBOX.enter(db, letter.lane, letter.bot, added.lastrowid)


def history(db: sqlite3.Connection, lane: str, limit: int) -> tuple[Line, ...]:
    """The last lines of a lane, oldest first."""
    rows = db.execute(
        "SELECT lane, turn, role, text, at, speaker, data FROM lines WHERE lane = ? ORDER BY n DESC LIMIT ?",
        (lane, max(limit, 0)),
    ).fetchall()
    return tuple(Line(*row) for row in reversed(rows))


def fact(db: sqlite3.Connection, key: str, now: float) -> bytes | None:
    """A fact that is still kept."""
    row = db.execute(
        "SELECT value FROM facts WHERE key = ? AND (until IS NULL OR until > ?)", (key, now)
    ).fetchone()
    return None if row is None else bytes(row[0])


def write_facts(db: sqlite3.Connection, written: Sequence[Fact], now: float) -> None:
    """Write or remove facts."""
    for one in written:
        if one.value is None:
            db.execute("DELETE FROM facts WHERE key = ?", (one.key,))
        else:
            until = None if one.ttl is None else now + one.ttl
            db.execute(
                "INSERT OR REPLACE INTO facts (key, value, until) VALUES (?, ?, ?)",
                (one.key, one.value, until),
            )


def swap(db: sqlite3.Connection, expect: bytes | None, written: Fact, now: float) -> bool:
    """Write a fact if it is as expected."""
    if fact(db, written.key, now) != expect:
        return False
    write_facts(db, [written], now)
    return True


def scan(db: sqlite3.Connection, prefix: str, limit: int, now: float) -> tuple[tuple[str, bytes], ...]:
    """The last facts whose keys start so, ordered by key."""
    rows = db.execute(
        "SELECT key, value FROM facts WHERE key >= ? AND key < ? AND (until IS NULL OR until > ?)"
        " ORDER BY key DESC LIMIT ?",
        (prefix, prefix + "\U0010ffff", now, max(limit, 0)),
    ).fetchall()
    return tuple((key, bytes(value)) for key, value in reversed(rows))


def lease(db: sqlite3.Connection, name: str, owner: str, *, now: float, ttl: float) -> bool:
    """Take or renew a named lease."""
    row = db.execute("SELECT owner, until FROM leases WHERE name = ?", (name,)).fetchone()
    if row is not None and row[0] != owner and row[1] > now:
        return False
    db.execute(
        "INSERT OR REPLACE INTO leases (name, owner, until) VALUES (?, ?, ?)", (name, owner, now + ttl)
    )
    return True


def release(db: sqlite3.Connection, name: str, owner: str) -> None:
    """Give a named lease back."""
    db.execute("DELETE FROM leases WHERE name = ? AND owner = ?", (name, owner))


def dead(db: sqlite3.Connection, bot: str, limit: int) -> tuple[tuple[Letter, LetterState], ...]:
    """Letters that were not delivered, newest first."""
    rows = db.execute(
        "SELECT id, bot, lane, turn, body, at, state FROM dead WHERE ? IN ('', bot) ORDER BY n DESC LIMIT ?",
        (bot, limit),
    )
    return tuple((Letter(*row[:6]), row[6]) for row in rows)


def counts(db: sqlite3.Connection) -> dict[str, int]:
    """How many rows wait where; `claimed` is left to the queues."""
    tables = {"inbox": "inbox", "outbox": "outbox", "dead": "dead", "turns": "turns", "facts": "facts"}
    return {
        name: int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
        for name, table in tables.items()
    }


def trim(db: sqlite3.Connection, before: float, limit: int, now: float) -> int:
    """Remove closed records, dead letters, strays, dedupe keys and lapsed facts that are older."""
    removed = 0
    for query in (
        "DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE at < ? AND state != 'running'"
        " AND id NOT IN (SELECT turn FROM outbox) ORDER BY at LIMIT ?)",
        "DELETE FROM known WHERE (bot, key) IN (SELECT bot, key FROM known WHERE at < ? LIMIT ?)",
        "DELETE FROM strays WHERE n IN (SELECT n FROM strays WHERE at < ? LIMIT ?)",
        "DELETE FROM dead WHERE n IN (SELECT n FROM dead WHERE at < ? LIMIT ?)",
    ):
        removed += db.execute(query, (before, max(limit - removed, 0))).rowcount
    db.execute(
        "DELETE FROM facts WHERE key IN (SELECT key FROM facts WHERE until <= ? LIMIT ?)", (now, limit)
    )
    return removed
