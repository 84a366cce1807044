"""The tables of the SQLite store, and their version."""

from __future__ import annotations

import sqlite3

from gateway.errors import StoreError

__all__ = ["VERSION", "prepare"]

VERSION = 1

# `heads` and `outheads` hold one row for each lane with something in it, so that a claim reads free heads in
# order and never looks at what waits behind them, nor at the lanes that are empty.
_TABLES = """
CREATE TABLE inbox (entry INTEGER PRIMARY KEY AUTOINCREMENT, bot TEXT NOT NULL, lane TEXT NOT NULL,
  body BLOB NOT NULL, at REAL NOT NULL);
CREATE INDEX inbox_lane ON inbox (lane, entry);
CREATE TABLE heads (lane TEXT PRIMARY KEY, bot TEXT NOT NULL, head INTEGER NOT NULL, due REAL NOT NULL DEFAULT 0,
  token TEXT NOT NULL DEFAULT '', until REAL NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX heads_order ON heads (head);
CREATE TABLE strays (n INTEGER PRIMARY KEY, bot TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL);
CREATE TABLE known (bot TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (bot, key)) WITHOUT ROWID;
CREATE INDEX known_at ON known (at);
CREATE TABLE turns (id TEXT PRIMARY KEY, ref TEXT NOT NULL, bot TEXT NOT NULL, lane TEXT NOT NULL,
  entry INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, code TEXT NOT NULL, at REAL NOT NULL,
  body BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX turns_ref ON turns (ref);
CREATE INDEX turns_entry ON turns (entry);
CREATE INDEX turns_at ON turns (at);
CREATE TABLE lines (n INTEGER PRIMARY KEY, lane TEXT NOT NULL, turn TEXT NOT NULL, role TEXT NOT NULL,
  text TEXT NOT NULL, at REAL NOT NULL, speaker TEXT NOT NULL, data BLOB NOT NULL);
CREATE INDEX lines_lane ON lines (lane, n);
CREATE TABLE outbox (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, bot TEXT NOT NULL,
  lane TEXT NOT NULL, turn TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL);
CREATE INDEX outbox_lane ON outbox (lane, n);
CREATE TABLE outheads (lane TEXT PRIMARY KEY, bot TEXT NOT NULL, head INTEGER NOT NULL, due REAL NOT NULL DEFAULT 0,
  token TEXT NOT NULL DEFAULT '', until REAL NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX outheads_order ON outheads (head);
CREATE TABLE parts (letter INTEGER NOT NULL, place INTEGER NOT NULL, state TEXT NOT NULL, body BLOB NOT NULL,
  receipt BLOB NOT NULL, PRIMARY KEY (letter, place)) WITHOUT ROWID;
CREATE TABLE dead (n INTEGER PRIMARY KEY, id TEXT NOT NULL, bot TEXT NOT NULL, lane TEXT NOT NULL,
  turn TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL, state TEXT NOT NULL);
CREATE TABLE facts (key TEXT PRIMARY KEY, value BLOB NOT NULL, until REAL) WITHOUT ROWID;
CREATE TABLE leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
"""


def prepare(db: sqlite3.Connection, *, name: str) -> None:
    """Create the tables of an empty file, or check the version of a filled one.

    Raises:
        StoreError: The file was written by a newer version, or is something else.
    """
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version == VERSION:
        return
    if version > VERSION:
        raise StoreError(
            f"{name!r} was written by a newer Lastword (schema {version}, this one knows {VERSION}); upgrade"
        )
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StoreError(f"{name!r} is a SQLite file of something else; name another path under `store:`")
    db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
