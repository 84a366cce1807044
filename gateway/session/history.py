"""What a conversation's history holds: what was said, never a note, never a refused exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.abc.agent import PastLine
from gateway.abc.store import Line
from gateway.session.ending import Ending, readable
from gateway.session.record import Record

__all__ = ["NOTHING_KEPT", "Kept", "lines_of", "past"]

_QUARANTINED = frozenset({"refused", "content_filtered"})
_DATA_LIMIT = 512 * 1024  # bytes of runtime state kept with one turn


@dataclass(frozen=True, slots=True)
class Kept:
    """What a turn leaves in history beside its words.

    Attributes:
        data: The runtime's own state.
        summary: What stands for everything before the turn from now on; empty for no change.
    """

    data: bytes = b""
    summary: str = ""


NOTHING_KEPT = Kept()


def past(lines: Sequence[Line], *, without: str = "") -> tuple[PastLine, ...]:
    """History as an agent is given it, without the lines of one turn (that is being tried again).

    It begins with the latest summary, which stands for all that was said before it.
    """
    kept = [line for line in lines if line.turn != without]
    start = max((at for at, line in enumerate(kept) if line.role == "summary"), default=0)
    return tuple(PastLine(line.role, line.text, line.turn, line.speaker, line.data) for line in kept[start:])


def lines_of(record: Record, ending: Ending, *, kept: Kept, resumable: bool, at: float) -> tuple[Line, ...]:
    """What a turn adds to its lane's history.

    A refused or filtered exchange adds nothing, so that the next message can succeed; a turn that showed
    nothing and cannot be resumed adds nothing, since the person was asked to send it again.
    """
    if ending.completion.reason in _QUARANTINED:
        return ()
    superseded = ending.completion.reason == "superseded"  # the newer message may well refer to it
    if not readable(ending.text) and not kept.data and not resumable and not superseded:
        return ()
    summed = (Line(record.lane, record.id, "summary", kept.summary, at),) if kept.summary else ()
    inbound = record.inbound
    speaker = "" if inbound.place.private else inbound.sender.name
    data = kept.data if len(kept.data) <= _DATA_LIMIT else b""
    return (
        *summed,
        Line(record.lane, record.id, "user", record.asked or inbound.text, at, speaker),
        Line(record.lane, record.id, "assistant", ending.text, at, "", data),
    )
