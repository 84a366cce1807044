"""Fill a store on a server with rows, with everybody else shut out until it has ended."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence

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
from gateway.stores.redis import rows as packing
from gateway.stores.redis.address import Address
from gateway.stores.redis.health import VERSION, examine_server
from gateway.stores.redis.link import Link

__all__ = ["restore"]

_MOST = 200  # rows in one call
_SIZE = 1 << 20  # bytes in one call, about
_NUMBER = b"%016d"  # records are ordered by the text of their numbers


async def restore(address: Address, rows: Iterable[Row], *, leases: str, replace: bool = False) -> None:
    """Put rows in the place of all that a store holds.

    A restore that did not end shuts gateways out until one does; it may be begun again without `replace`.

    Args:
        address: Where the store is.
        rows: What it is to hold.
        leases: How the names of leases begin that a gateway at work holds.
        replace: Whether what is there may go.

    Raises:
        StoreError: It holds something, a gateway uses it, the server cannot be used, or another began.
    """
    link = Link(address, clock=None)
    link.open()
    try:
        await examine_server(link, address)
        token = secrets.token_hex(16).encode()
        await _begin(link, address, token, leases=leases, replace=replace)
        cursor = b"0"
        while (cursor := await link.ask("restore_wipe", token, cursor)) != b"0":
            pass
        number = 0
        for some in _in_steps(rows):
            number = max([number, *(row.number for row in some if isinstance(row, Total))])
            args = [_args(row) for row in some if not isinstance(row, Total)]
            await link.ask("restore_rows", token, *packing.many(args))
        await link.ask("restore_end", token, b"%d" % number, b"%d" % VERSION)
    finally:
        await link.close()


async def _begin(link: Link, address: Address, token: bytes, *, leases: str, replace: bool) -> None:
    answer: bytes = await link.ask("restore_begin", token, b"1" if replace else b"0", leases.encode())
    if answer == b"full":
        raise StoreError(
            f"store {address.shown!r} is not empty; say --replace to remove what it holds,"
            " or name another prefix=NAME"
        )
    if answer != b"ok":
        raise StoreError(
            f"store {address.shown!r} is in use by a gateway; stop every one of them first"
            " (one that was killed counts for as long as its lease)"
        )


def _in_steps(rows: Iterable[Row]) -> Iterator[list[Row]]:
    some: list[Row] = []
    size = 0
    for row in rows:
        some.append(row)
        size += len(getattr(row, "body", b"")) + len(getattr(row, "value", b""))
        if len(some) == _MOST or size > _SIZE:
            yield some
            some, size = [], 0
    yield some


def _args(row: Row) -> Sequence[bytes]:
    """A row as the script takes it, its kind first."""
    packed = packing.packed
    match row:
        case Known():
            return b"known", packed(row.bot) + row.key, _time(row.at)
        case Waits():
            kept = packed(row.bot, row.lane, row.at, row.body)
            head = (b"%d" % row.attempts, _time(row.due))
            return b"waits", b"%d" % row.number, row.bot, row.lane, kept, *head
        case Unrun():
            kept = packed(row.bot, b"", row.at, row.body)
            return b"unrun", b"%d" % row.number, kept, _time(row.closed)
        case Owed():
            head = (b"%d" % row.attempts, _time(row.due))
            names = (b"%d" % row.number, row.id, row.bot, row.lane, row.turn)
            return b"owed", *names, _letter(row), *head, *_parts(row.parts)
        case Closed():
            return b"closed", b"%d" % row.number, row.id, _time(row.closed)
        case Buried():
            kept = packed(row.state) + _letter(row)
            return b"buried", b"%d" % row.number, row.id, row.bot, kept, _time(row.closed), *_parts(row.parts)
        case Recorded():
            columns = (row.id, row.ref, row.bot, row.lane, row.state, row.reason, row.at)
            return b"turn", _NUMBER % row.number, packed(*columns, row.entry, row.code, row.body)
        case Said():
            kept = packed(row.turn, row.role, row.text, row.at, row.speaker, row.data)
            return b"line", row.lane, kept
        case Written():
            return b"fact", row.key, row.value, b"" if row.until is None else _time(row.until)
        case Total():
            return ()


def _letter(row: Owed | Buried) -> bytes:
    return packing.packed(row.bot, row.id, row.lane, row.turn, row.at, row.body)


def _parts(parts: Sequence[Piece]) -> list[bytes]:
    return packing.many([packing.packed(one.state, one.body, one.receipt)] for one in parts)


def _time(at: float) -> bytes:
    return repr(float(at)).encode()
