"""What every platform at war can do."""

from __future__ import annotations

import random
from contextlib import AsyncExitStack
from typing import Protocol

from tests.chaos.story import Chat

__all__ = ["Front"]


class Front(Protocol):
    """One bot on one platform.

    Attributes:
        letter: Stands in the markers of what is said there.
        people: How many write.
    """

    letter: str
    people: int

    async def open(self, stack: AsyncExitStack) -> None:
        """Begin to listen."""
        ...

    def yaml(self) -> str:
        """The bot's part of the configuration."""
        ...

    async def up(self, addresses: tuple[str, ...], stack: AsyncExitStack) -> None:
        """A gateway came up; where those that live are reached."""
        ...

    async def say(self, person: int, marker: str, kind: str) -> None:
        """Somebody writes."""
        ...

    def spoil(self, chance: random.Random) -> str:
        """Let something go wrong with what comes next; what."""
        ...

    def calm(self) -> None:
        """Let nothing go wrong any more."""
        ...

    def pending(self) -> int:
        """Messages that the gateway may still be given."""
        ...

    def chats(self) -> tuple[Chat, ...]:
        """What stands in the chats."""
        ...
