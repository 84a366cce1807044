"""The rows of a store's file, and a file made of rows."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from gateway.errors import StoreError
from gateway.stores.portable import (
    Buried,
    Closed,
    Known,
    Owed,
    Piece,
    Recorded,
    Row,
    Said,
    Total,
    Unrun,
    Waits,
    Written,
)
from gateway.stores.sqlite import file as files
from gateway.stores.sqlite import schema

__all__ = ["made_of", "read_rows"]

_TEXT = re.compile(r"\{([a-z.]+)\}")
_KNOWN = "SELECT {bot}, {key}, at FROM known"
_WAITS = (
    "SELECT number, {inbox.bot}, {inbox.lane}, at, body, CASE number WHEN head THEN attempts ELSE 0 END,"
    " CASE WHEN number = head AND hold = 2 THEN ready ELSE 0 END"
    " FROM inbox JOIN lanes ON lanes.lane = inbox.lane WHERE closed IS NULL ORDER BY number"
)
_UNRUN = (
    "SELECT number, {bot}, at, body, closed FROM inbox WHERE closed IS NOT NULL AND lane = '' AND body != x''"
)
_OWED = (
    "SELECT number, {id}, {letters.bot}, {letters.lane}, {turn}, at, body,"
    " CASE number WHEN head THEN attempts ELSE 0 END,"
    " CASE WHEN number = head AND hold = 2 THEN ready ELSE 0 END"
    " FROM letters JOIN outboxes ON outboxes.lane = letters.lane WHERE closed IS NULL ORDER BY number"
)
_BURIED = (
    "SELECT number, {id}, {bot}, {lane}, {turn}, at, body, {state}, closed FROM letters"
    " WHERE state NOT IN ('waiting', 'delivered') ORDER BY number"
)
_CLOSED = "SELECT number, {id}, closed FROM letters WHERE state = 'delivered'"
_PARTS = "SELECT {state}, body, receipt FROM parts WHERE letter = ? ORDER BY place"
_TURNS = (
    "SELECT number, {id}, {ref}, {bot}, {lane}, entry, {state}, {reason}, {code}, at, body FROM turns"
    " ORDER BY number"
)
_LINES = "SELECT {lane}, {turn}, {role}, text, at, speaker, data FROM lines ORDER BY number"
_FACTS = "SELECT {key}, value, until FROM facts"
_TOTAL = (
    "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence), 0),"
    " coalesce((SELECT max(number) FROM turns), 0))"
)
_LETTER = (
    "INSERT OR IGNORE INTO letters (number, id, bot, lane, turn, body, at, state, closed)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


@contextmanager
def read_rows(path: Path) -> Generator[Iterator[Row], None, None]:
    """Every row of a file, at one instant; one of an older schema is read in a copy that was brought on.

    Raises:
        StoreError: It is missing, damaged, not ours, or of a newer version.
    """
    if files.examine(path) == schema.VERSION:
        with closing(_opened(path)) as db:
            yield _rows(db, path)
        return
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        renewed = Path(folder) / "renewed.db"
        with closing(_opened(path)) as old, closing(sqlite3.connect(renewed, isolation_level=None)) as db:
            old.backup(db)
            schema.migrate(db, name=str(path))
            yield _rows(db, path)


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _rows(db: sqlite3.Connection, path: Path) -> Iterator[Row]:
    try:
        db.execute("BEGIN")
        yield from _everything(db)
    except sqlite3.Error as exc:
        raise StoreError(f"backup {str(path)!r} cannot be read: {exc}; take another copy of it") from exc


def _everything(db: sqlite3.Connection) -> Iterator[Row]:
    yield from (Known(*row) for row in _selected(db, _KNOWN))
    yield from (Waits(*row) for row in _selected(db, _WAITS))
    yield from (Unrun(*row) for row in _selected(db, _UNRUN))
    for row in _selected(db, _OWED):
        yield Owed(*_with(row, _pieces(db, row[0])))
    for row in _selected(db, _BURIED):
        yield Buried(*_with(row, _pieces(db, row[0])))
    yield from (Closed(*row) for row in _selected(db, _CLOSED))
    yield from (Recorded(*row) for row in _selected(db, _TURNS))
    yield from (Said(*row) for row in _selected(db, _LINES))
    yield from (Written(*row) for row in _selected(db, _FACTS))
    yield Total(db.execute(_TOTAL).fetchone()[0])


def _with(letter: Sequence[Any], parts: tuple[Piece, ...]) -> list[Any]:
    """A letter's columns with its parts behind the body."""
    return [*letter[:7], parts, *letter[7:]]


def _pieces(db: sqlite3.Connection, number: int) -> tuple[Piece, ...]:
    return tuple(Piece(*row) for row in _selected(db, _PARTS, number))


def _selected(db: sqlite3.Connection, statement: str, *values: object) -> sqlite3.Cursor:
    """Run a statement whose texts, in braces, are wanted as bytes."""
    return db.execute(_TEXT.sub(r"CAST(\1 AS BLOB)", statement), values)


@contextmanager
def made_of(rows: Iterable[Row], *, beside: Path) -> Generator[Path, None, None]:
    """A file of this version's schema that holds rows, for as long as it is looked at.

    Args:
        rows: What it is to hold.
        beside: The store whose place it may take; it is made in the same folder.

    Raises:
        StoreError: It cannot be written.
    """
    beside.parent.mkdir(parents=True, exist_ok=True)
    made = beside.with_name(f"{beside.name}.made")  # one that was killed leaves it to the next
    try:
        made.unlink(missing_ok=True)
        os.close(os.open(made, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(made, isolation_level=None)) as db:
            schema.migrate(db, name=str(beside))
            db.execute("PRAGMA journal_mode = OFF")  # nobody looks at half of it
            db.execute("PRAGMA synchronous = OFF")  # it is flushed when it takes its place
            db.execute("BEGIN")
            for row in rows:
                _keep(db, row)
            db.execute("COMMIT")
        yield made
    except (OSError, sqlite3.Error) as exc:
        raise StoreError(f"store {str(beside)!r} cannot be restored: {exc}") from exc
    finally:
        made.unlink(missing_ok=True)


def _keep(db: sqlite3.Connection, row: Row) -> None:
    match row:
        case Known():
            values = (_text(row.bot), _text(row.key), row.at)
            db.execute("INSERT OR IGNORE INTO known (bot, key, at) VALUES (?, ?, ?)", values)
        case Waits():
            _enter(db, "inbox", row)
        case Unrun():
            entry = (row.number, _text(row.bot), "", row.body, row.at, row.closed)
            db.execute(
                "INSERT INTO inbox (number, bot, lane, body, at, closed) VALUES (?, ?, ?, ?, ?, ?)", entry
            )
        case Owed():
            _forget(db, row.id)
            _enter(db, "letters", row)
            _keep_parts(db, row.number, row.parts)
        case Closed():
            db.execute(
                _LETTER, (row.number, _text(row.id), "", "", "", b"", row.closed, "delivered", row.closed)
            )
        case Buried():
            names = map(_text, (row.id, row.bot, row.lane, row.turn))
            letter = (row.number, *names, row.body, row.at, _text(row.state), row.closed)
            if db.execute(_LETTER, letter).rowcount:
                _keep_parts(db, row.number, row.parts)
        case Recorded() | Said() | Written():
            _keep_known(db, row)
        case Total():
            db.execute("DELETE FROM sqlite_sequence WHERE name IN ('inbox', 'letters')")
            for table in ("inbox", "letters"):
                db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, row.number))


def _keep_known(db: sqlite3.Connection, row: Recorded | Said | Written) -> None:
    match row:
        case Recorded():
            names = map(_text, (row.id, row.ref, row.bot, row.lane))
            ending = map(_text, (row.state, row.reason, row.code))
            db.execute(
                "INSERT OR REPLACE INTO turns"
                " (number, id, ref, bot, lane, entry, state, reason, code, at, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (row.number, *names, row.entry, *ending, row.at, row.body),
            )
        case Said():
            names = map(_text, (row.lane, row.turn, row.role))
            db.execute(
                "INSERT INTO lines (lane, turn, role, text, at, speaker, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*names, row.text, row.at, row.speaker, row.data),
            )
        case Written():
            fact = (_text(row.key), row.value, row.until)
            db.execute("INSERT OR REPLACE INTO facts (key, value, until) VALUES (?, ?, ?)", fact)


def _enter(db: sqlite3.Connection, table: str, row: Waits | Owed) -> None:
    """Queue a row; the first of a lane is its head."""
    values: tuple[object, ...] = (row.number, _text(row.bot), _text(row.lane), row.body, row.at)
    columns = "number, bot, lane, body, at"
    if isinstance(row, Owed):
        values, columns = (*values, _text(row.id), _text(row.turn)), f"{columns}, id, turn"
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)  # noqa: S608  # no value is in it
    lanes = "lanes" if table == "inbox" else "outboxes"
    db.execute(
        f"INSERT OR IGNORE INTO {lanes} (lane, bot, head, hold, ready, attempts)"  # noqa: S608  # the name is ours
        " VALUES (?, ?, ?, ?, ?, ?)",
        (_text(row.lane), _text(row.bot), row.number, 2 if row.due else 0, row.due, row.attempts),
    )


def _forget(db: sqlite3.Connection, name: bytes) -> None:
    """Forget a letter that was dead and is owed again."""
    for (number,) in db.execute("SELECT number FROM letters WHERE id = ?", (_text(name),)).fetchall():
        db.execute("DELETE FROM parts WHERE letter = ?", (number,))
        db.execute("DELETE FROM letters WHERE number = ?", (number,))


def _keep_parts(db: sqlite3.Connection, number: int, parts: Iterable[Piece]) -> None:
    db.executemany(
        "INSERT INTO parts (letter, place, state, body, receipt) VALUES (?, ?, ?, ?, ?)",
        [(number, place, _text(one.state), one.body, one.receipt) for place, one in enumerate(parts)],
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
