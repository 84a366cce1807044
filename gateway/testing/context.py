"""A gateway for adapters under test: keeps what they hand in, and fails on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gateway.abc.adapter import AdapterState, Log
from gateway.abc.clock import Clock, SystemClock
from gateway.errors import StoreError
from gateway.messages import Event, Inbound
from gateway.observability import get_logger

__all__ = ["FakeAdapterContext"]


class FakeAdapterContext:
    """An `AdapterContext` in memory.

    Attributes:
        events: Everything handed in and kept, dropped events included.
        inbounds: What those meant, without duplicates, in order.
        states: What the adapter reported, as `(state, detail)`.
        facts: What it asked to remember.
        broken: While true, nothing is kept and every call raises `StoreError`.
    """

    def __init__(self, bot: str = "bot", *, clock: Clock | None = None) -> None:
        self._bot = bot
        self._clock: Clock = clock or SystemClock()
        self._log = get_logger("adapter").bind(bot=bot)
        self._known: set[str] = set()
        self.events: list[Event] = []
        self.inbounds: list[Inbound] = []
        self.states: list[tuple[AdapterState, str]] = []
        self.facts: dict[str, bytes] = {}
        self.broken = False

    @property
    def bot(self) -> str:
        """The bot's name."""
        return self._bot

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        return self._clock

    @property
    def log(self) -> Log:
        """A logger bound to the bot."""
        return self._log

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        """Keep events; see `AdapterContext`."""
        await self._work()
        return tuple(self._take(event) for event in events)

    async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Remember a fact; the time to live is not simulated."""
        del ttl
        await self._work()
        self.facts[key] = value

    async def recall(self, key: str) -> bytes | None:
        """A fact that was kept."""
        await self._work()
        return self.facts.get(key)

    async def scan(self, prefix: str, *, limit: int = 1000) -> Sequence[tuple[str, bytes]]:
        """Facts by prefix, ordered by key, the last `limit` of them."""
        await self._work()
        found = [(key, self.facts[key]) for key in sorted(self.facts) if key.startswith(prefix)]
        return found[-limit:] if limit > 0 else []

    def report(self, state: AdapterState, detail: str = "") -> None:
        """Note how the connection stands."""
        self.states.append((state, detail))

    def _take(self, event: Event) -> bool:
        self.events.append(event)
        if event.inbound is None:
            return True
        if self._known & set(event.dedupe):
            return False
        self._known.update(event.dedupe)
        self.inbounds.append(event.inbound)
        return True

    async def _work(self) -> None:
        await asyncio.sleep(0)
        if self.broken:
            raise StoreError("the store is broken for a test")
