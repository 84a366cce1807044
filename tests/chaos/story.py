"""What is known after a battle: what people said, what they were shown, and what the store says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Chat", "Ended", "Story", "Violation", "Word"]


@dataclass(frozen=True, slots=True)
class Word:
    """A message of a person's.

    Attributes:
        marker: Stands in the message and in every line that answers it.
        kind: How its turn is to end.
        accepted: Whether the platform was told that the gateway has it; `None` where nobody can know.
        resent: Whether the platform handed it over once more, maybe behind later ones, which no gateway can
            put right.
    """

    marker: str
    kind: str
    accepted: bool | None = True
    resent: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation as its people see it.

    Attributes:
        words: What was said, in order.
        seen: The bot's messages as they stand in the end, in order.
        glimpsed: What was seen for a moment only.
        reconciles: Whether the platform knows a message again that is sent twice.
        refused: How many sends the platform refused there for good.
    """

    name: str
    words: tuple[Word, ...] = ()
    seen: tuple[str, ...] = ()
    glimpsed: tuple[str, ...] = ()
    reconciles: bool = True
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn's record.

    Attributes:
        marker: Of the message that it answers; empty for none of a person's.
        twice: Whether it says that the answer may be seen twice.
        skipped: How many parts were given up.
    """

    marker: str
    ref: str
    entry: int
    state: str
    reason: str
    noted: str = "clean"
    failure: str = ""
    twice: bool = False
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Story:
    """Everything that is checked.

    Attributes:
        left: What still waits in the store, by where.
        silent: What the gateways counted as turns without a visible outcome.
    """

    chats: tuple[Chat, ...] = ()
    ended: tuple[Ended, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict[str, int])
    silent: float = 0.0


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was not kept.

    Attributes:
        kind: `lost`, `reordered`, `twice`, `leaked`, `incomplete`, `unexcused`, `unended` or `left`.
        chat: Whose conversation; empty for none.
        told: What was found.
    """

    kind: str
    chat: str
    told: str
