"""The store at war: where it is, what befalls it, and how much is owed in it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Protocol

__all__ = ["Depot", "Sqlite"]

_OWED = (
    "SELECT (SELECT count(*) FROM inbox WHERE closed IS NULL AND lane != '')"
    " + (SELECT count(*) FROM letters WHERE closed IS NULL)"
)


class Depot(Protocol):
    """Where the gateways keep what they owe.

    Attributes:
        address: Where the gateways find it.
        url: Where it is in truth.
    """

    address: str
    url: str

    async def open(self, stack: AsyncExitStack) -> None:
        """Be there."""
        ...

    async def strike(self, chance: random.Random) -> str:
        """Let something befall it; what."""
        ...

    def calm(self) -> None:
        """Let nothing befall it any more."""
        ...

    async def owed(self, folder: Path) -> int:
        """How many messages and answers wait in it."""
        ...


class Sqlite:
    """A file of one gateway's; only its process can die."""

    address = url = "sqlite:lastword.db"

    async def open(self, stack: AsyncExitStack) -> None:
        """Be there."""

    async def strike(self, chance: random.Random) -> str:
        """Hold the file for a moment, as a backup or an operator's shell does."""
        del chance
        return "store: nothing"

    def calm(self) -> None:
        """Let nothing befall it any more."""

    async def owed(self, folder: Path) -> int:
        """How many messages and answers wait in it."""
        address = f"file:{folder / 'gateway-0' / 'lastword.db'}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as db:
            return int(db.execute(_OWED).fetchone()[0])
