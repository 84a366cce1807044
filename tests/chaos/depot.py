"""The store at war: where it is, what befalls it, and how much is owed in it."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Protocol

from gateway.abc.clock import SystemClock
from gateway.errors import StoreError
from gateway.stores.opening import open_store
from tests.emulators.lossy import Faults, LossyProxy
from tests.emulators.valkey import Valkey

__all__ = ["Depot", "OnValkey", "Sqlite"]

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

    async def owed(self) -> int:
        """How many messages and answers wait in it."""
        ...


class Sqlite:
    """A file of one gateway's; only its process can die."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lastword.db"
        self.address = self.url = f"sqlite:{self._path}"

    async def open(self, stack: AsyncExitStack) -> None:
        """Be there."""

    async def strike(self, chance: random.Random) -> str:
        """Hold the file for a moment, as somebody with a shell on it does."""
        seconds = chance.uniform(0.1, 2.0)
        with closing(sqlite3.connect(self._path, timeout=0.05, isolation_level=None)) as db:
            try:
                db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return "store: was busy"
            await asyncio.sleep(seconds)
            db.execute("ROLLBACK")
        return f"store: was held for {seconds:.1f}"

    def calm(self) -> None:
        """Let nothing befall it any more."""

    async def owed(self) -> int:
        """How many messages and answers wait in it."""
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as db:
            return int(db.execute(_OWED).fetchone()[0])


class OnValkey:
    """A server of its own behind a line that is bad at times; both come back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.address = self.url = ""

    async def open(self, stack: AsyncExitStack) -> None:
        """Be there."""
        self._folder.mkdir()
        self._server = stack.enter_context(Valkey(self._folder))
        self._line = await stack.enter_async_context(LossyProxy(("127.0.0.1", self._server.port)))
        self.address, self.url = self._line.url, self._server.url

    async def strike(self, chance: random.Random) -> str:
        """Let something befall it; what."""
        if chance.random() < 0.3:
            seconds = chance.uniform(0.0, 2.0)
            await asyncio.to_thread(self._server.kill)
            await asyncio.sleep(seconds)
            await asyncio.to_thread(self._server.start)
            return f"store: was dead for {seconds:.1f}"
        name, faults = chance.choice(_faults(chance))
        seconds = chance.uniform(0.3, 3.0)
        self._line.faults = faults
        await asyncio.sleep(seconds)
        self._line.faults = Faults()
        return f"store: {name} for {seconds:.1f}"

    def calm(self) -> None:
        """Let nothing befall it any more."""
        self._line.faults = Faults()

    async def owed(self) -> int:
        """How many messages and answers wait in it."""
        store = open_store(self.url, base=self._folder, clock=SystemClock())
        try:
            await store.open()
            counts = await store.counts()
        except StoreError:
            return 1
        finally:
            await store.close()
        return counts["inbox"] + counts["outbox"]


def _faults(chance: random.Random) -> list[tuple[str, Faults]]:
    return [
        ("cuts answers", Faults(cut_answer=chance.uniform(0.05, 0.4))),
        ("cuts calls", Faults(cut_request=chance.uniform(0.05, 0.4))),
        ("is late", Faults(late=chance.uniform(0.02, 0.2))),
        ("is slow", Faults(delay=chance.uniform(0.02, 0.3))),
        ("swallows", Faults(swallow=True)),
    ]
