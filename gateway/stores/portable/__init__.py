"""What any store holds, as rows that another one can take, and the file they are carried in."""

from __future__ import annotations

from gateway.stores.portable.archive import Archive, is_archive, write_archive
from gateway.stores.portable.rows import (
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

__all__ = [
    "Archive",
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
    "is_archive",
    "write_archive",
]
