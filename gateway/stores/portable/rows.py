"""The rows of a store, whichever it is.

Texts are bytes, for a text may hold half of a surrogate pair. Entries of a lane, its letters and its lines
come in their order. A letter may come twice, dead and owed again; then it is owed. Leases are not among the
rows: who held them is gone where they are restored.
"""

from __future__ import annotations

import msgspec

__all__ = [
    "Buried",
    "Closed",
    "Known",
    "Owed",
    "Piece",
    "Recorded",
    "Row",
    "Said",
    "Total",
    "Unrun",
    "Waits",
    "Written",
]


class Known(msgspec.Struct, frozen=True, array_like=True, tag="known"):
    """A key under which an event was accepted."""

    bot: bytes
    key: bytes
    at: float


class Waits(msgspec.Struct, frozen=True, array_like=True, tag="waits"):
    """An entry of the inbox that has not ended.

    Attributes:
        attempts: How often it was claimed, where it is the head of its lane.
        due: When it may be claimed, unix seconds; 0 for at once.
    """

    number: int
    bot: bytes
    lane: bytes
    at: float
    body: bytes
    attempts: int = 0
    due: float = 0.0


class Unrun(msgspec.Struct, frozen=True, array_like=True, tag="unrun"):
    """An event that is kept for the record only."""

    number: int
    bot: bytes
    at: float
    body: bytes
    closed: float


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """A part of a letter."""

    state: bytes
    body: bytes
    receipt: bytes


class Owed(msgspec.Struct, frozen=True, array_like=True, tag="owed"):
    """A letter that is to be delivered; `attempts` and `due` as of an entry."""

    number: int
    id: bytes
    bot: bytes
    lane: bytes
    turn: bytes
    at: float
    body: bytes
    parts: tuple[Piece, ...]
    attempts: int = 0
    due: float = 0.0


class Buried(msgspec.Struct, frozen=True, array_like=True, tag="buried"):
    """A letter that was not delivered."""

    number: int
    id: bytes
    bot: bytes
    lane: bytes
    turn: bytes
    at: float
    body: bytes
    parts: tuple[Piece, ...]
    state: bytes
    closed: float


class Closed(msgspec.Struct, frozen=True, array_like=True, tag="closed"):
    """The id of a letter that was delivered."""

    number: int
    id: bytes
    closed: float


class Recorded(msgspec.Struct, frozen=True, array_like=True, tag="turn"):
    """A turn's record; `number` orders those of one instant."""

    number: int
    id: bytes
    ref: bytes
    bot: bytes
    lane: bytes
    entry: int
    state: bytes
    reason: bytes
    code: bytes
    at: float
    body: bytes


class Said(msgspec.Struct, frozen=True, array_like=True, tag="line"):
    """A line of history."""

    lane: bytes
    turn: bytes
    role: bytes
    text: bytes
    at: float
    speaker: bytes
    data: bytes


class Written(msgspec.Struct, frozen=True, array_like=True, tag="fact"):
    """A fact, until a time, unix seconds, or for good."""

    key: bytes
    value: bytes
    until: float | None


class Total(msgspec.Struct, frozen=True, array_like=True, tag="total"):
    """The highest number given so far; what comes later gets higher ones."""

    number: int


Row = Known | Waits | Unrun | Owed | Buried | Closed | Recorded | Said | Written | Total
