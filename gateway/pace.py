"""So many in so long: what adapters pace their bots by."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Chats", "Held", "Meter", "Window"]


class Meter(Protocol):
    """Counts what goes, and tells when the next one may; times are monotonic seconds."""

    def free_at(self, now: float) -> float:
        """When the next one may go."""
        ...

    def has_room(self, now: float, share: float) -> bool:
        """Whether one more may go now and leave the rest of the share free."""
        ...

    def take(self, at: float) -> None:
        """One goes."""
        ...

    def is_idle(self, now: float) -> bool:
        """Whether it counts nothing any more."""
        ...


class Window:
    """So many in any stretch of so many seconds; a limit of 0 is none."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._taken: list[float] = []

    def bound(self, limit: int, seconds: float) -> None:
        """Allow more or fewer from now on; what went lately counts on."""
        self._limit, self._seconds = limit, seconds

    def free_at(self, now: float) -> float:
        """When the next one may go."""
        if not self._limit or len(self._taken) < self._limit:
            return now
        return max(now, self._taken[-self._limit] + self._seconds)

    def has_room(self, now: float, share: float) -> bool:
        """Whether one more may go now and leave the rest of the share free, and nobody waits."""
        if not self._limit:
            return True
        recent = len(self._taken) - bisect_right(self._taken, now - self._seconds)
        return recent < self._limit * share

    def take(self, at: float) -> None:
        """One goes."""
        if self._limit:
            insort(self._taken, at)
            del self._taken[: -self._limit]

    def is_idle(self, now: float) -> bool:
        """Whether it counts nothing any more."""
        return not self._taken or self._taken[-1] + self._seconds < now


@dataclass(slots=True)
class Held:
    """One chat: what went there, and until when kinds of messages are held back."""

    meter: Meter
    until: dict[str, float] = field(default_factory=dict[str, float])

    def is_idle(self, now: float) -> bool:
        """Whether nothing of it needs to be remembered."""
        return self.meter.is_idle(now) and all(until < now for until in self.until.values())

    def hold(self, now: float, seconds: float, *kinds: str) -> None:
        """Hold kinds of messages back for some seconds."""
        for kind in kinds:
            self.until[kind] = max(self.until.get(kind, now), now + seconds)


class Chats:
    """The chats a bot wrote to lately; those that are idle go when there are too many.

    Args:
        most: Chats that are remembered, unless more of them are busy.
        meter: Makes the meter of a chat by its id.
    """

    def __init__(self, most: int, meter: Callable[[str], Meter]) -> None:
        self._most = most
        self._meter = meter
        self._chats: OrderedDict[str, Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._chats)

    def get(self, chat: str, now: float) -> Held:
        """A chat, remembered from now on."""
        found = self._chats.get(chat)
        if found is None:
            found = self._chats[chat] = Held(self._meter(chat))
        self._chats.move_to_end(chat)
        while len(self._chats) > self._most and next(iter(self._chats.values())).is_idle(now):
            self._chats.popitem(last=False)
        return found
