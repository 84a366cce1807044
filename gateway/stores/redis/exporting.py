"""Read everything a server keeps of a store while gateways use it.

Each conversation is read by one script, so it is as it was at one instant, its oldest records apart, which
change no more; between two conversations some time may lie. What is read before them and after is read in an
order in which nothing that was accepted can be missed and nothing that is owed can pass for done:

- Keys of events come first: one that is known has its entry in what follows, or it has ended.
- Letters that were delivered come first too: a turn that is not over later on has none among them.
- Dead letters come with the record of their turn. Such as have no turn come before and after; any other that
  comes after may be the end of what still waited when its conversation was read, and would keep the answer
  that is given after a restore from being written.
- Facts come last: a button that was offered has its ending in what came before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

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
from gateway.stores.redis.address import Address
from gateway.stores.redis.health import examine
from gateway.stores.redis.link import Link
from gateway.stores.redis.listing import gone_through
from gateway.stores.redis.rows import unpacked

__all__ = ["exported"]

_RECORDS = 200  # of a lane in one answer


@asynccontextmanager
async def _linked(address: Address) -> AsyncGenerator[Link]:
    link = Link(address, clock=None)
    link.open()
    try:
        await examine(link, address)
        yield link
    finally:
        await link.close()


async def exported(address: Address) -> AsyncIterator[Row]:
    """Every row of a store, as it is while it is in use.

    Raises:
        StoreError: The server cannot be used, or goes away.
    """
    async with _linked(address) as link:
        async for row in _before(link):
            yield row
        async for (lane,) in gone_through(link, "export_lanes"):
            async for row in _lane(link, lane):
                yield row
        async for row in _some(link, "dead", _buried, 4):
            if isinstance(row, Buried) and not row.turn:
                yield row
        async for row in _some(link, "facts", _written, 3):
            yield row
        yield Total(int(await link.ask("export_total")))


async def _before(link: Link) -> AsyncIterator[Row]:
    for which, make, width in (
        ("known", _known, 2),
        ("closed", _closed, 3),
        ("dead", _buried, 4),
        ("unrun", _unrun, 3),
    ):
        async for row in _some(link, which, make, width):
            yield row


async def _some(
    link: Link, which: str, make: Callable[[Sequence[Any]], Row], width: int
) -> AsyncIterator[Row]:
    """Rows of one kind."""
    async for found in gone_through(link, "export_some", which.encode(), width=width):
        yield make(found)


async def _lane(link: Link, lane: bytes) -> AsyncIterator[Row]:
    found = await link.ask("export_lane", lane, b"%d" % _RECORDS)
    entries, letters, lines, count, turns, dead = found
    said = (_said(lane, line) for line in lines)
    owed, recorded = _owed(letters), _recorded(turns)
    for row in (*_waiting(entries), *owed, *said, *recorded, *_all_buried(dead)):
        yield row
    told, given = {row.id for row in recorded}, {row.id for row in owed}
    left = count - _RECORDS
    while left > 0:  # from the newest on, for the oldest may go meanwhile and move the others down
        first = max(left - _RECORDS, 0)
        turns, dead, letters = await link.ask("export_turns", lane, b"%d" % first, b"%d" % (left - 1))
        late = [row for row in _owed([b"0", b"0", *letters]) if row.id not in given]
        then: list[Recorded | Buried | Owed] = [*_recorded(turns), *_all_buried(dead), *late]
        for older in then:
            if older.id not in told:
                yield older
        left = first


def _waiting(found: Sequence[Any]) -> list[Row]:
    attempts, due, *entries = found
    rows: list[Row] = []
    for number, row in zip(entries[::2], entries[1::2], strict=True):
        bot, lane, at, body = unpacked(row)
        head = (int(attempts), float(due)) if not rows else (0, 0.0)
        rows.append(Waits(int(number), bot, lane, float(at), body, *head))
    return rows


def _owed(found: Sequence[Any]) -> list[Owed]:
    attempts, due, *letters = found
    rows: list[Owed] = []
    for number, row, parts in zip(letters[::3], letters[1::3], letters[2::3], strict=True):
        bot, name, lane, turn, at, body = unpacked(row)
        head = (int(attempts), float(due)) if not rows else (0, 0.0)
        rows.append(Owed(int(number), name, bot, lane, turn, float(at), body, _pieces(parts), *head))
    return rows


def _said(lane: bytes, row: bytes) -> Said:
    turn, role, text, at, speaker, data = unpacked(row)
    return Said(lane, turn, role, text, float(at), speaker, data)


def _recorded(found: Sequence[bytes]) -> list[Recorded]:
    rows: list[Recorded] = []
    for number, row in zip(found[::2], found[1::2], strict=True):
        name, ref, bot, lane, state, reason, at, entry, code, body = unpacked(row)
        rows.append(
            Recorded(int(number), name, ref, bot, lane, int(entry), state, reason, code, float(at), body)
        )
    return rows


def _known(found: Sequence[Any]) -> Row:
    member, at = found
    colon = member.index(b":")
    end = colon + 1 + int(member[:colon])
    return Known(member[colon + 1 : end], member[end:], float(at))


def _closed(found: Sequence[Any]) -> Row:
    name, number, closed = found
    return Closed(int(number), name, float(closed))


def _buried(found: Sequence[Any]) -> Buried:
    number, row, closed, parts = found
    state, bot, name, lane, turn, at, body = unpacked(row)
    return Buried(int(number), name, bot, lane, turn, float(at), body, _pieces(parts), state, float(closed))


def _all_buried(found: Sequence[Any]) -> list[Buried]:
    return [_buried(found[at : at + 4]) for at in range(0, len(found), 4)]


def _unrun(found: Sequence[Any]) -> Row:
    number, row, closed = found
    bot, _, at, body = unpacked(row)
    return Unrun(int(number), bot, float(at), body, float(closed))


def _written(found: Sequence[Any]) -> Row:
    key, value, until = found
    return Written(key, value, float(until) if until else None)


def _pieces(parts: Sequence[bytes]) -> tuple[Piece, ...]:
    return tuple(Piece(*unpacked(part)) for part in parts)
