"""Operations on the inbox: what was accepted, until its turn has ended."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.abc.store import Claim, Commit, Entry, Turn, Waiting
from gateway.stores.sqlite.facts import write_facts
from gateway.stores.sqlite.lanes import INBOX
from gateway.stores.sqlite.outbox import post
from gateway.stores.sqlite.records import append, forget, write_turn
from gateway.stores.sqlite.transactions import Access

__all__ = ["claim", "commit", "cover", "extend", "lanes", "put", "record", "retry", "waiting"]


def put(access: Access, entries: Sequence[Entry]) -> tuple[bool, ...]:
    """Keep entries, in order."""
    return tuple(_put(access, entry) for entry in entries)


def _put(access: Access, entry: Entry) -> bool:
    known = "SELECT 1 FROM known WHERE bot = ? AND key = ?"
    keys, scope = dict.fromkeys(entry.dedupe), entry.scope or entry.bot
    if any(access.run(known, scope, key).fetchone() for key in keys):
        return False
    for key in keys:
        access.run("INSERT INTO known (bot, key, at) VALUES (?, ?, ?)", scope, key, access.now)
    number = access.run(
        "INSERT INTO inbox (bot, lane, body, at, closed) VALUES (?, ?, ?, ?, ?)",
        entry.bot,
        entry.lane,
        entry.body,
        entry.at,
        None if entry.lane else access.now,
    ).lastrowid
    if entry.lane and number is not None:
        INBOX.enter(access, lane=entry.lane, bot=entry.bot, number=number)
    return True


def claim(
    access: Access, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str]
) -> tuple[Claim, ...]:
    """Lease heads of lanes."""
    claims: list[Claim] = []
    for head in INBOX.claim(access, bots=bots, limit=limit, lease=lease, skip=skip):
        bot, body, at = access.run("SELECT bot, body, at FROM inbox WHERE number = ?", head.number).fetchone()
        claims.append(Claim(head.number, bot, head.lane, head.token, head.attempts, body, at))
    return tuple(claims)


def extend(access: Access, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
    """Renew leases; the lanes that were lost."""
    return tuple(
        claim.lane
        for claim in claims
        if not INBOX.renew(access, lane=claim.lane, token=claim.token, lease=lease)
    )


def record(access: Access, claim: Claim, turn: Turn) -> None:
    """Write a running turn's record."""
    INBOX.held(access, lane=claim.lane, token=claim.token)
    write_turn(access, turn)


def commit(access: Access, claim: Claim, commit: Commit) -> None:
    """End an entry with everything it produced."""
    number = INBOX.held(access, lane=claim.lane, token=claim.token)
    INBOX.close(access, lane=claim.lane, number=number)
    INBOX.move(access, lane=claim.lane)
    if commit.turn is not None:
        write_turn(access, commit.turn)
    forget(access, claim.lane, commit.forget, everything=commit.clear)
    append(access, commit.history)
    for letter in commit.letters:
        post(access, letter)
    write_facts(access, commit.facts)


def retry(access: Access, claim: Claim, *, delay: float) -> None:
    """Free a lane for later."""
    INBOX.held(access, lane=claim.lane, token=claim.token)
    INBOX.put_off(access, lane=claim.lane, delay=delay)


def waiting(access: Access, lane: str) -> tuple[Waiting, ...]:
    """Entries that wait in a lane."""
    leased = INBOX.leased(access, lane)
    rows = access.run(
        "SELECT number, body, at FROM inbox WHERE lane = ? AND closed IS NULL ORDER BY number", lane
    )
    return tuple(Waiting(*row) for row in rows if row[0] != leased)


def lanes(access: Access, prefix: str) -> tuple[str, ...]:
    """Lanes whose names start so and in which something is open."""
    rows = access.run("SELECT lane FROM lanes WHERE substr(lane, 1, ?) = ?", len(prefix), prefix)
    return tuple(lane for (lane,) in rows)


def cover(access: Access, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
    """End waiting entries with the records that say why."""
    leased = INBOX.leased(access, lane)
    ended: list[int] = []
    for turn in turns:
        if turn.entry != leased and INBOX.close(access, lane=lane, number=turn.entry):
            write_turn(access, turn)
            ended.append(turn.entry)
    if ended and leased is None:
        _rehead(access, lane, frozenset(ended))
    return tuple(ended)


def _rehead(access: Access, lane: str, ended: frozenset[int]) -> None:
    """Move a free lane on if its head was among those that ended."""
    if INBOX.head(access, lane) in ended:
        INBOX.move(access, lane=lane)
