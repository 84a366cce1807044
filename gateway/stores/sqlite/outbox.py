"""Operations on the outbox: letters, until they are delivered or given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gateway.abc.store import DeadLetter, Fact, Letter, LetterClaim, LetterState, PartRow, Turn
from gateway.errors import LeaseLost, StoreError
from gateway.stores.sqlite.facts import write_facts
from gateway.stores.sqlite.lanes import OUTBOX, Head
from gateway.stores.sqlite.records import amend_turn, write_turn
from gateway.stores.sqlite.transactions import Access

__all__ = [
    "advance",
    "claim",
    "dead",
    "dead_letter",
    "drop",
    "drop_number",
    "extend",
    "plan",
    "post",
    "retry",
    "revive",
    "settle",
]

_BARE = ", body = x''"
_DEAD = "state NOT IN ('waiting', 'delivered')"


def post(access: Access, letter: Letter) -> None:
    """Queue a letter, unless its id is known."""
    added = access.run(
        "INSERT OR IGNORE INTO letters (id, bot, lane, turn, body, at) VALUES (?, ?, ?, ?, ?, ?)",
        letter.id,
        letter.bot,
        letter.lane,
        letter.turn,
        letter.body,
        letter.at,
    )
    if added.rowcount and added.lastrowid is not None:
        OUTBOX.enter(access, lane=letter.lane, bot=letter.bot, number=added.lastrowid)


def claim(
    access: Access, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str]
) -> tuple[LetterClaim, ...]:
    """Lease heads of outboxes."""
    heads = OUTBOX.claim(access, bots=bots, limit=limit, lease=lease, skip=skip)
    return tuple(_claimed(access, head) for head in heads)


def _claimed(access: Access, head: Head) -> LetterClaim:
    letter = access.run(
        "SELECT id, bot, lane, turn, body, at FROM letters WHERE number = ?", head.number
    ).fetchone()
    parts = access.run("SELECT state, body, receipt FROM parts WHERE letter = ? ORDER BY place", head.number)
    return LetterClaim(Letter(*letter), head.token, head.attempts, tuple(PartRow(*part) for part in parts))


def extend(access: Access, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
    """Renew leases; the letters that were lost."""
    return tuple(
        claim.letter.id
        for claim in claims
        if not OUTBOX.renew(access, lane=claim.letter.lane, token=claim.token, lease=lease)
    )


def plan(access: Access, claim: LetterClaim, parts: Sequence[PartRow], *, anew: bool) -> None:
    """Keep rendered parts, once, or anew while nothing was sent."""
    number = _held(access, claim)
    begun = "" if not anew else " AND (state != 'pending' OR receipt != x'')"
    if access.run(f"SELECT 1 FROM parts WHERE letter = ?{begun} LIMIT 1", number).fetchone() is not None:  # noqa: S608  # no value is in it
        raise LeaseLost(f"letter {claim.letter.id!r} is planned already")
    if anew:
        access.run("DELETE FROM parts WHERE letter = ?", number)
    access.many(
        "INSERT INTO parts (letter, place, state, body, receipt) VALUES (?, ?, ?, ?, ?)",
        [(number, place, part.state, part.body, part.receipt) for place, part in enumerate(parts)],
    )


def advance(access: Access, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
    """Write the state of parts."""
    _change(access, claim, _held(access, claim), changes)


def settle(
    access: Access,
    claim: LetterClaim,
    state: LetterState,
    *,
    changes: Sequence[tuple[int, PartRow]],
    turn: Turn | None,
    facts: Sequence[Fact],
) -> None:
    """Close a letter; a delivered one leaves its id only, a dead one everything."""
    if state == "waiting":
        raise StoreError(f"letter {claim.letter.id!r} cannot be closed as 'waiting'")
    number = _held(access, claim)
    _change(access, claim, number, changes)
    delivered = state == "delivered"
    access.run(
        f"UPDATE letters SET closed = ?, state = ?{_BARE if delivered else ''} WHERE number = ?",  # noqa: S608  # no value is in it
        access.now,
        state,
        number,
    )
    if delivered:
        access.run("DELETE FROM parts WHERE letter = ?", number)
    OUTBOX.move(access, lane=claim.letter.lane)
    if turn is not None:
        amend_turn(access, turn)
    write_facts(access, facts)


def retry(
    access: Access, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]]
) -> None:
    """Free a letter for later, with its part changes."""
    _change(access, claim, _held(access, claim), changes)
    OUTBOX.put_off(access, lane=claim.letter.lane, delay=delay)


def dead(access: Access, *, bot: str, limit: int) -> tuple[tuple[Letter, LetterState], ...]:
    """Letters that were not delivered, newest first."""
    rows = access.run(
        "SELECT id, bot, lane, turn, body, at, state FROM letters"  # noqa: S608  # no value is in it
        f" WHERE {_DEAD} AND ? IN ('', bot) ORDER BY number DESC LIMIT ?",
        bot,
        max(limit, 0),
    )
    return tuple((Letter(*row[:6]), row[6]) for row in rows)


def dead_letter(access: Access, name: str) -> DeadLetter | None:
    """A letter that was not delivered."""
    row = access.run(
        f"SELECT id, bot, lane, turn, body, at, state, closed, number FROM letters WHERE id = ? AND {_DEAD}",  # noqa: S608  # no value is in it
        name,
    ).fetchone()
    if row is None:
        return None
    parts = access.run("SELECT state, body, receipt FROM parts WHERE letter = ? ORDER BY place", row[8])
    return DeadLetter(Letter(*row[:6]), row[6], row[7], tuple(PartRow(*part) for part in parts))


def revive(access: Access, name: str, at: float, *, turn: Turn | None) -> bool:
    """Owe a dead letter again, under a new number at its lane's end."""
    dead = dead_letter(access, name)
    if dead is None:
        return False
    before = access.run("SELECT number FROM letters WHERE id = ?", name).fetchone()[0]
    access.run("DELETE FROM letters WHERE number = ?", before)
    post(access, replace(dead.letter, at=at))
    access.run(
        "UPDATE parts SET letter = (SELECT number FROM letters WHERE id = ?) WHERE letter = ?", name, before
    )
    access.run(
        "UPDATE parts SET state = 'pending', receipt = x'' WHERE state = 'skipped'"
        " AND letter = (SELECT number FROM letters WHERE id = ?)",
        name,
    )
    if turn is not None:
        write_turn(access, turn)
    return True


def drop(access: Access, name: str) -> bool:
    """Forget a dead letter; its id stays known."""
    row = access.run(f"SELECT number FROM letters WHERE id = ? AND {_DEAD}", name).fetchone()  # noqa: S608  # no value is in it
    if row is None:
        return False
    drop_number(access, row[0])
    return True


def drop_number(access: Access, number: int) -> None:
    """Leave nothing of a closed letter but its id."""
    access.run(f"UPDATE letters SET state = 'delivered'{_BARE} WHERE number = ?", number)  # noqa: S608  # no value is in it
    access.run("DELETE FROM parts WHERE letter = ?", number)


def _held(access: Access, claim: LetterClaim) -> int:
    return OUTBOX.held(access, lane=claim.letter.lane, token=claim.token)


def _change(access: Access, claim: LetterClaim, number: int, changes: Sequence[tuple[int, PartRow]]) -> None:
    for place, part in changes:
        written = access.run(
            "UPDATE parts SET state = ?, body = ?, receipt = ? WHERE letter = ? AND place = ?",
            part.state,
            part.body,
            part.receipt,
            number,
            place,
        )
        if not written.rowcount:
            raise StoreError(f"letter {claim.letter.id!r} has no part {place}")
