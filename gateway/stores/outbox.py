"""The outbox's rows: letters and their parts."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from gateway.abc.store import Letter, LetterClaim, LetterState, PartRow
from gateway.errors import LeaseLost
from gateway.stores.queues import OUTBOX

__all__ = ["advance_parts", "claim_posts", "held_letter", "plan_parts", "settle_letter"]

_LETTER = "id, bot, lane, turn, body, at"


def claim_posts(
    db: sqlite3.Connection,
    *,
    bots: Sequence[str],
    skip: Sequence[str],
    now: float,
    until: float,
    limit: int,
) -> tuple[LetterClaim, ...]:
    """Lease heads of outboxes."""
    claims: list[LetterClaim] = []
    for head in OUTBOX.claim(db, bots=bots, skip=skip, now=now, until=until, limit=limit):
        row = db.execute(f"SELECT {_LETTER} FROM outbox WHERE n = ?", (head.number,)).fetchone()  # noqa: S608  # names are ours
        parts = db.execute(
            "SELECT state, body, receipt FROM parts WHERE letter = ? ORDER BY place", (head.number,)
        )
        claims.append(
            LetterClaim(Letter(*row), head.token, head.attempts, tuple(PartRow(*part) for part in parts))
        )
    return tuple(claims)


def held_letter(db: sqlite3.Connection, claim: LetterClaim) -> int:
    """The row number of a letter whose lease holds.

    Raises:
        LeaseLost: It no longer holds.
    """
    row = db.execute("SELECT n FROM outbox WHERE id = ?", (claim.letter.id,)).fetchone()
    if row is None:
        raise LeaseLost(f"letter {claim.letter.id!r} is closed")
    OUTBOX.hold(db, claim.letter.lane, row[0], claim.token)
    return int(row[0])


def plan_parts(db: sqlite3.Connection, claim: LetterClaim, parts: Sequence[PartRow]) -> None:
    """Keep rendered parts, once.

    Raises:
        LeaseLost: The lease no longer holds, or they are kept already.
    """
    number = held_letter(db, claim)
    if db.execute("SELECT 1 FROM parts WHERE letter = ?", (number,)).fetchone():
        raise LeaseLost(f"letter {claim.letter.id!r} is planned already")
    db.executemany(
        "INSERT INTO parts (letter, place, state, body, receipt) VALUES (?, ?, ?, ?, ?)",
        [(number, place, part.state, part.body, part.receipt) for place, part in enumerate(parts)],
    )


def advance_parts(db: sqlite3.Connection, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
    """Write parts by place.

    Raises:
        LeaseLost: The lease no longer holds.
    """
    number = held_letter(db, claim)
    db.executemany(
        "UPDATE parts SET state = ?, body = ?, receipt = ? WHERE letter = ? AND place = ?",
        [(part.state, part.body, part.receipt, number, place) for place, part in changes],
    )


def settle_letter(db: sqlite3.Connection, claim: LetterClaim, state: LetterState) -> bool:
    """Close a letter; whether another one waits behind it.

    Raises:
        LeaseLost: The lease no longer holds.
    """
    number = held_letter(db, claim)
    letter = claim.letter
    if state != "delivered":
        db.execute(
            f"INSERT INTO dead ({_LETTER}, state) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (letter.id, letter.bot, letter.lane, letter.turn, letter.body, letter.at, state),
        )
    db.execute("DELETE FROM parts WHERE letter = ?", (number,))
    return OUTBOX.pop(db, letter.lane, number)
