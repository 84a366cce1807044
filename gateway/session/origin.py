"""Where a turn comes from."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.session.record import Record

__all__ = ["Origin"]


@dataclass(frozen=True, slots=True)
class Origin:
    """What a turn follows.

    Attributes:
        how: `continue` or `retry` of `parent`; empty for a message of its own.
        due: When it makes sense, unix seconds; the turn begins no sooner.
    """

    how: str = ""
    parent: Record | None = None
    due: float = 0.0
