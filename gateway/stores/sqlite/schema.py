"""The tables of the file, and the steps that bring an older file up to date."""

from __future__ import annotations

import sqlite3

from gateway.errors import StoreError

__all__ = ["APPLICATION", "STEPS", "VERSION", "check", "migrate"]

APPLICATION = 0x4C617374  # PRAGMA application_id: the file is Lastword's

# `lanes` and `outboxes` hold one row for each lane with something open in it, so that a claim costs the same
# however many lanes are known and however much waits behind a head. `hold` is 0 free, 1 leased until `ready`
# on the monotonic clock, 2 put off until `ready` on the wall clock. The token stays when a lease runs out:
# its owner may still write until somebody else claims.
_QUEUE = """
CREATE TABLE {lanes} (lane TEXT PRIMARY KEY, bot TEXT NOT NULL, head INTEGER NOT NULL,
  hold INTEGER NOT NULL DEFAULT 0, ready REAL NOT NULL DEFAULT 0, token TEXT, worker TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX {lanes}_free ON {lanes} (bot, head) WHERE hold = 0;
CREATE INDEX {lanes}_leased ON {lanes} (ready) WHERE hold = 1;
CREATE INDEX {lanes}_put_off ON {lanes} (ready) WHERE hold = 2;
CREATE INDEX {rows}_open ON {rows} (lane, number) WHERE closed IS NULL;
CREATE INDEX {rows}_closed ON {rows} (closed) WHERE closed IS NOT NULL;
"""

_FIRST = f"""
CREATE TABLE inbox (number INTEGER PRIMARY KEY AUTOINCREMENT, bot TEXT NOT NULL, lane TEXT NOT NULL,
  body BLOB NOT NULL, at REAL NOT NULL, closed REAL);
CREATE TABLE letters (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, bot TEXT NOT NULL,
  lane TEXT NOT NULL, turn TEXT NOT NULL, body BLOB NOT NULL, at REAL NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting', closed REAL);
CREATE INDEX letters_owed ON letters (turn) WHERE closed IS NULL;
CREATE INDEX letters_dead ON letters (number) WHERE state NOT IN ('waiting', 'delivered');
{_QUEUE.format(lanes="lanes", rows="inbox")}
{_QUEUE.format(lanes="outboxes", rows="letters")}
CREATE TABLE parts (letter INTEGER NOT NULL, place INTEGER NOT NULL, state TEXT NOT NULL, body BLOB NOT NULL,
  receipt BLOB NOT NULL, PRIMARY KEY (letter, place)) WITHOUT ROWID;
CREATE TABLE known (bot TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (bot, key)) WITHOUT ROWID;
CREATE INDEX known_at ON known (at);
CREATE TABLE turns (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, ref TEXT NOT NULL, bot TEXT NOT NULL,
  lane TEXT NOT NULL, entry INTEGER NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, code TEXT NOT NULL,
  at REAL NOT NULL, body BLOB NOT NULL);
CREATE INDEX turns_ref ON turns (ref, at);
CREATE INDEX turns_at ON turns (at);
CREATE INDEX turns_bot ON turns (bot, at);
CREATE INDEX turns_lane ON turns (lane, at);
CREATE INDEX turns_reason ON turns (reason, at);
CREATE INDEX turns_state ON turns (state, at);
CREATE TABLE lines (number INTEGER PRIMARY KEY, lane TEXT NOT NULL, turn TEXT NOT NULL, role TEXT NOT NULL,
  text BLOB NOT NULL, at REAL NOT NULL, speaker BLOB NOT NULL, data BLOB NOT NULL);
CREATE INDEX lines_lane ON lines (lane, number);
CREATE INDEX lines_turn ON lines (turn, lane);
CREATE TABLE facts (key TEXT PRIMARY KEY, value BLOB NOT NULL, until REAL) WITHOUT ROWID;
CREATE INDEX facts_until ON facts (until);
"""

# What people said fades with time, oldest first. Entries that were run leave their numbers alone.
_SECOND = """
CREATE INDEX lines_at ON lines (at);
UPDATE inbox SET body = x'' WHERE closed IS NOT NULL AND lane != '';
"""

STEPS = (_FIRST, _SECOND)  # step n brings a file from schema n to n + 1
VERSION = len(STEPS)


def check(db: sqlite3.Connection, *, name: str) -> int:
    """The schema version of the file; 0 for an empty one.

    Raises:
        StoreError: It was written by a newer version, or by something else.
    """
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    application = int(db.execute("PRAGMA application_id").fetchone()[0])
    filled = db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
    if application != APPLICATION and (filled or version or application):
        raise StoreError(
            f"store {name!r} is the database of another program; name another file under `store:`"
        )
    if version > VERSION:
        raise StoreError(
            f"store {name!r} was written by a newer Lastword (schema {version}, this one knows {VERSION});"
            " run that version, or go back to a copy made before the upgrade"
        )
    return version


def migrate(db: sqlite3.Connection, *, name: str) -> None:
    """Bring the file to this version's schema, all or nothing.

    Raises:
        StoreError: The file cannot be taken; see `check`.
    """
    version = check(db, name=name)
    if version == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[version:]:
            for statement in filter(str.strip, step.split(";")):
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
