"""Several processes on one store in memory, by a clock that a test moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager

from gateway.errors import StoreError
from gateway.ownership import Leases, Stake
from gateway.stores.memory import MemoryStore

__all__ = ["TTL", "MovedClock", "Process", "Scene", "scene"]

TTL = 10.0
_STEP = 0.05
_TURNS = 12  # of the loop between two steps, so that everybody comes to their turn


class MovedClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def time(self) -> float:
        """Unix seconds."""
        return self.now

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Wait until it was moved so far."""
        due = self.now + seconds
        while self.now < due:  # a test moves the clock
            await asyncio.sleep(0)

    async def move(self, seconds: float) -> None:
        """Let time pass."""
        due = self.now + seconds
        while self.now < due:
            self.now = min(self.now + _STEP, due)
            for _ in range(_TURNS):
                await asyncio.sleep(0)


class BrokenStore(MemoryStore):
    """A store that can be out of reach of one process."""

    broken = False

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take or renew a lease, unless it is out of reach."""
        if self.broken:
            raise StoreError("out of reach")
        return await super().lease(name, owner, ttl)


class Process:
    """One process.

    Attributes:
        changes: What it was told it gained (`+`) and lost (`-`), in order.
        working: Names of which something is being done.
    """

    def __init__(
        self, number: int, store: MemoryStore, clock: MovedClock, stakes: Mapping[str, Stake]
    ) -> None:
        self.stakes = dict(stakes)
        self.changes: list[str] = []
        self.working: set[str] = set()
        self.leases = Leases(
            store,
            clock=clock,
            stakes=lambda: self.stakes,
            busy=self._busy,
            changed=self._changed,
            ttl=TTL,
            name=f"process-{number}",
        )
        self._task: asyncio.Task[None] | None = None

    @property
    def held(self) -> set[str]:
        """What it holds."""
        return set(self.leases.held())

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self.leases.run())

    async def die(self) -> None:
        """End without a word."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _busy(self, queues: Collection[str]) -> bool:
        return bool(self.working.intersection(queues))

    def _changed(self, gained: Sequence[str], lost: Sequence[str]) -> None:
        self.changes += [*(f"+{queue}" for queue in gained), *(f"-{queue}" for queue in lost)]


class Scene:
    """A store and the processes on it."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.store = BrokenStore(clock=self.clock)
        self.processes: list[Process] = []

    def process(self, stakes: Mapping[str, Stake] | None = None, *, start: bool = True) -> Process:
        """One more process; with one bot by default."""
        chosen = {"bot": Stake("same")} if stakes is None else stakes
        process = Process(len(self.processes), self.store, self.clock, chosen)
        self.processes.append(process)
        if start:
            process.start()
        return process

    async def leave(self, process: Process) -> None:
        """Let a process go as one does that is told to."""
        leaving = asyncio.create_task(process.leases.leave())
        await self.clock.move(2.0)
        await leaving
        await process.die()
        await process.leases.close()

    def everything_held_once(self) -> bool:
        """Whether no two hold the same."""
        held = [queue for process in self.processes for queue in process.held]
        return len(held) == len(set(held))


@asynccontextmanager
async def scene() -> AsyncGenerator[Scene]:
    """A scene whose processes end with it."""
    found = Scene()
    try:
        yield found
    finally:
        for process in found.processes:
            await process.die()
