"""What a store keeps: rows with the few columns it selects by, and opaque bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

__all__ = [
    "Claim",
    "Commit",
    "DeadLetter",
    "Entry",
    "Erasure",
    "Fact",
    "Letter",
    "LetterClaim",
    "LetterState",
    "Line",
    "PartRow",
    "PartState",
    "Turn",
    "Waiting",
]

LetterState = Literal["waiting", "delivered", "undeliverable", "expired", "dropped"]
PartState = Literal["pending", "sending", "sent", "skipped"]


@dataclass(frozen=True, slots=True)
class Entry:
    """An accepted event on its way into the inbox.

    Attributes:
        bot: The bot's name.
        lane: The lane it waits in; empty keeps the body for the record only, and it is never claimed.
        dedupe: Keys, unique per bot; if any is known the entry is a duplicate and nothing is kept.
        body: What to run.
        scope: What keys are unique under, where work of one bot waits under several names; `bot` by default.
    """

    bot: str
    lane: str
    dedupe: tuple[str, ...]
    body: bytes
    at: float
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """The head of a lane, leased to one worker.

    Attributes:
        entry: The inbox entry's id; grows within a store.
        token: Random; every write under this claim is fenced by it.
        attempts: How often it was claimed, this time included; 1 for the first.
    """

    entry: int
    bot: str
    lane: str
    token: str
    attempts: int
    body: bytes
    at: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """An entry that waits in its lane."""

    entry: int
    body: bytes
    at: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn's record: the columns stores select by, and everything in `body`.

    Attributes:
        ref: The short reference a person may quote; unique among kept turns.
        state: `running`, `finished`, `delivered`, `undeliverable`, `expired`, `suppressed` or `covered`.
        reason: How it ended; empty while it runs.
    """

    id: str
    ref: str
    bot: str
    lane: str
    entry: int
    state: str
    reason: str
    code: str
    at: float
    body: bytes


class Line(msgspec.Struct, frozen=True, gc=False):  # read a hundred at a time
    """One line of history."""

    lane: str
    turn: str
    role: Literal["user", "assistant", "summary"]
    text: str
    at: float
    speaker: str = ""
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Letter:
    """An answer to be delivered; letters of one lane are delivered in order.

    Attributes:
        id: Unique; a second letter with a known id is not kept.
        turn: The turn whose record follows the letter's fate; empty for a notice with no turn.
        body: Place and answer, before rendering.
    """

    id: str
    bot: str
    lane: str
    turn: str
    body: bytes
    at: float


@dataclass(frozen=True, slots=True)
class PartRow:
    """One rendered part of a letter.

    Attributes:
        state: `sending` means the send was begun and its result is not known.
        body: The rendered part.
        receipt: The platform's receipt once sent; the reason when skipped; until then, how many sends ended
            without a known result.
    """

    state: PartState
    body: bytes
    receipt: bytes = b""


@dataclass(frozen=True, slots=True)
class LetterClaim:
    """The head of a lane's outbox, leased to one sender.

    Attributes:
        attempts: How often it was claimed, this time included.
        parts: Empty until planned.
    """

    letter: Letter
    token: str
    attempts: int
    parts: tuple[PartRow, ...] = ()


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A letter that was not delivered, as it ended.

    Attributes:
        state: `undeliverable`, `expired` or `dropped`.
        closed: When it ended.
        parts: Empty if it was never planned.
    """

    letter: Letter
    state: LetterState
    closed: float
    parts: tuple[PartRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A write of a small named value, applied with a commit.

    Attributes:
        value: `None` removes it.
        ttl: Seconds it is kept; `None` for good.
    """

    key: str
    value: bytes | None
    ttl: float | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything the end of a turn writes, all or nothing.

    Attributes:
        turn: The finished record.
        history: Lines to append, in order.
        forget: Turn ids whose lines are removed from the lane's history first.
        clear: Whether the lane's whole history is removed first.
        letters: Answers to deliver, in order.
        facts: Named values to write.
    """

    turn: Turn | None = None
    history: tuple[Line, ...] = ()
    forget: tuple[str, ...] = ()
    clear: bool = False
    letters: tuple[Letter, ...] = ()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Erasure:
    """What is to be gone without a trace.

    Attributes:
        lanes: What waits in these, what is owed in them and their whole history.
        turns: These records, with their lines and their letters, also such as are owed.
        entries: What waits, by lane and entry.
        facts: Facts by key.
    """

    lanes: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    entries: tuple[tuple[str, int], ...] = ()
    facts: tuple[str, ...] = ()
