"""What is known in memory of lanes with something open, so that a claim looks at no file.

The file is held by one process, and its leases end with it: who holds a lane need not be written down. What
must outlive the process (each lane's head, how often it was claimed, until when it was put off) is in the
file too, and read from it once.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["Heads", "Hold", "Lane", "Lanes"]

Hold = Literal["free", "leased", "put off"]


class Lane(NamedTuple):
    """How a lane with something open stands.

    Attributes:
        bot: The name its head waits under.
        head: The number of its oldest open row.
        hold: Whether it may be claimed. A lease that ran out leaves its token: its owner may still write
            until somebody else claims.
        ready: When a lease runs out, on the monotonic clock, or what was put off is due, in unix time.
        token: Who holds it; empty for nobody.
        attempts: How often its head was claimed.
    """

    bot: str
    head: int
    hold: Hold = "free"
    ready: float = 0.0
    token: str = ""
    attempts: int = 0


class Lanes:
    """The lanes of one queue.

    The heaps may hold what is no longer so: what a lane is now stands in `_lanes` alone.
    """

    def __init__(self) -> None:
        self._lanes: dict[str, Lane] = {}
        self._free: dict[str, list[tuple[int, str]]] = {}
        self._leased: list[tuple[float, str]] = []
        self._put_off: list[tuple[float, str]] = []

    def fill(self, lanes: Iterable[tuple[str, Lane]]) -> None:
        """Begin with these lanes."""
        for held in (self._lanes, self._free, self._leased, self._put_off):
            held.clear()
        for name, lane in lanes:
            self.set(name, lane)

    def get(self, name: str) -> Lane | None:
        """A lane; `None` when nothing is open in it."""
        return self._lanes.get(name)

    def set(self, name: str, lane: Lane | None) -> None:
        """Let a lane stand so; `None` when nothing is open in it any more."""
        if lane is None:
            self._lanes.pop(name, None)
            return
        self._lanes[name] = lane
        if lane.hold == "free":
            heapq.heappush(self._free.setdefault(lane.bot, []), (lane.head, name))
        else:
            heapq.heappush(self._leased if lane.hold == "leased" else self._put_off, (lane.ready, name))

    def take(self, bots: Iterable[str], limit: int, *, skip: Collection[str]) -> list[tuple[str, Lane]]:
        """Take lanes of bots that may be claimed from among the free ones, oldest head first.

        Whoever takes them says how they stand from now on.
        """
        most = limit + len(skip)
        found = sorted({one for bot in bots for one in self._oldest(bot, most)})  # a heap may name one twice
        wanted = [(name, lane) for _, name, lane in found if name not in skip][:limit]
        taken = {name for name, _ in wanted}
        for _, name, lane in found:
            if name not in taken:
                self.set(name, lane)
        return wanted

    def _oldest(self, bot: str, limit: int) -> Iterator[tuple[int, str, Lane]]:
        heap = self._free.get(bot)
        while heap and limit > 0:
            head, name = heapq.heappop(heap)
            lane = self._lanes.get(name)
            if lane is not None and lane.hold == "free" and lane.head == head and lane.bot == bot:
                limit -= 1
                yield head, name, lane
        if heap is not None and not heap:
            del self._free[bot]

    def lapse(self, *, now: float, monotonic: float) -> None:
        """Free lanes whose lease ran out, or that were put off until now."""
        self._lapse(self._leased, "leased", monotonic)
        self._lapse(self._put_off, "put off", now)

    def _lapse(self, heap: list[tuple[float, str]], hold: Hold, now: float) -> None:
        while heap and heap[0][0] <= now:
            _, name = heapq.heappop(heap)
            lane = self._lanes.get(name)
            if lane is not None and lane.hold == hold and lane.ready <= now:
                self.set(name, lane._replace(hold="free"))

    def has_free(self, bots: Iterable[str]) -> bool:
        """Whether there may be a lane of these bots to claim."""
        return any(bot in self._free for bot in bots)

    def count_leased(self, monotonic: float) -> int:
        """How many are leased now."""
        return sum(lane.hold == "leased" and lane.ready > monotonic for lane in list(self._lanes.values()))


@dataclass(frozen=True, slots=True)
class Heads:
    """The lanes of a store's queues: what waits to be run, and what waits to be sent."""

    inbox: Lanes
    outbox: Lanes

    @classmethod
    def unknown(cls) -> Heads:
        """Those of a file that nobody here holds."""
        return cls(Lanes(), Lanes())
