"""An adapter's context in memory: records what comes in, and refuses when told to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gateway.abc.adapter import AdapterState
from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway.messages import Event, Inbound

__all__ = ["FakeAdapterContext", "FakeLog", "HurriedClock"]

_NAP = 0.005  # seconds that any sleep of the hurried clock takes


class HurriedClock:
    """A `Clock` on which every wait is over soon, and time has passed all the same.

    Attributes:
        sleeps: Seconds asked for, in order.
    """

    def __init__(self) -> None:
        self.sleeps: list[float] = []
        self._ahead = 0.0

    def time(self) -> float:
        """Unix seconds."""
        return time.time() + self._ahead

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic() + self._ahead

    async def sleep(self, seconds: float) -> None:
        """Wait a moment, and let the whole time pass."""
        self.sleeps.append(seconds)
        await asyncio.sleep(min(seconds, _NAP))
        self._ahead += max(seconds - _NAP, 0.0)


@dataclass(slots=True)
class FakeLog:
    """A `Log` that records.

    Attributes:
        lines: `(level, event, values)`, in order.
    """

    lines: list[tuple[str, str, dict[str, object]]] = field(
        default_factory=list[tuple[str, str, dict[str, object]]]
    )

    def debug(self, event: str, **values: object) -> None:
        """Record a line."""
        self.lines.append(("debug", event, values))

    def info(self, event: str, **values: object) -> None:
        """Record a line."""
        self.lines.append(("info", event, values))

    def warning(self, event: str, **values: object) -> None:
        """Record a line."""
        self.lines.append(("warning", event, values))

    def error(self, event: str, **values: object) -> None:
        """Record a line."""
        self.lines.append(("error", event, values))


@dataclass(slots=True)
class FakeAdapterContext:
    """An `AdapterContext` in memory.

    Attributes:
        batches: What was kept, one tuple for each commit, known and dropped events included.
        reports: `(state, detail)`, in order, the same thing said again left out.
        refusals: How many of the next commits fail.
        refused: What those commits held.
        leads: Whether this process is the one that speaks for the bot.
        shared: Whether other processes may run the bot too.
        times: What was heard of the platform's time, in order.
    """

    bot: str = "bot"
    clock: Clock = field(default_factory=HurriedClock)
    log: FakeLog = field(default_factory=FakeLog)
    batches: list[tuple[Event, ...]] = field(default_factory=list[tuple[Event, ...]])
    reports: list[tuple[AdapterState, str]] = field(default_factory=list[tuple[AdapterState, str]])
    refusals: int = 0
    refused: list[tuple[Event, ...]] = field(default_factory=list[tuple[Event, ...]])
    public_url: str = ""
    leads: bool = True
    shared: bool = False
    times: list[float] = field(default_factory=list[float])
    menu: Mapping[str, Sequence[tuple[str, str]]] = field(
        default_factory=dict[str, Sequence[tuple[str, str]]]
    )
    _inbounds: list[Inbound] = field(default_factory=list[Inbound])
    _keys: set[str] = field(default_factory=set[str])
    _facts: dict[str, tuple[bytes, float]] = field(default_factory=dict[str, tuple[bytes, float]])

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that was kept, in order."""
        return tuple(event for batch in self.batches for event in batch)

    @property
    def inbounds(self) -> tuple[Inbound, ...]:
        """What people did, in order, each once."""
        return tuple(self._inbounds)

    @property
    def states(self) -> tuple[AdapterState, ...]:
        """The states that were reported, in order."""
        return tuple(state for state, _ in self.reports)

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        """Keep events, or fail; see `AdapterContext`."""
        await self._commit(tuple(events))
        self.batches.append(tuple(events))
        return tuple(self._take(event) for event in events)

    async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Remember a fact; see `AdapterContext`."""
        await asyncio.sleep(0)
        until = float("inf") if ttl is None else self.clock.time() + ttl
        self._facts[key] = (value, until)

    async def recall(self, key: str) -> bytes | None:
        """A fact that was kept; see `AdapterContext`."""
        await asyncio.sleep(0)
        return self.facts.get(key)

    def heard_time(self, theirs: float) -> None:
        """Record a platform's time; see `AdapterContext`."""
        self.times.append(theirs)

    async def scan(self, prefix: str, *, limit: int = 1000) -> Sequence[tuple[str, bytes]]:
        """Facts by prefix; see `AdapterContext`."""
        await asyncio.sleep(0)
        return [fact for fact in sorted(self.facts.items()) if fact[0].startswith(prefix)][-limit:]

    def report(self, state: AdapterState, detail: str = "") -> None:
        """Record a state; see `AdapterContext`."""
        if not self.reports or self.reports[-1] != (state, detail):
            self.reports.append((state, detail))

    @property
    def facts(self) -> dict[str, bytes]:
        """Every fact that is still kept."""
        now = self.clock.time()
        return {key: value for key, (value, until) in self._facts.items() if until > now}

    async def until(self, holds: Callable[[], object], *, seconds: float = 5.0) -> None:
        """Wait until something holds.

        Raises:
            TimeoutError: It did not.
        """
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110  # what is waited for knows no event
                await asyncio.sleep(0.005)

    async def _commit(self, events: tuple[Event, ...]) -> None:
        await asyncio.sleep(0)
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.append(events)
            raise StoreError("the store refuses")

    def _take(self, event: Event) -> bool:
        """Whether an event is new; one that is dropped takes no key."""
        if event.inbound is None:
            return True
        if self._keys.intersection(event.dedupe):
            return False
        self._keys.update(event.dedupe)
        self._inbounds.append(event.inbound)
        return True
