"""The bots that take work here, by the names that it waits under."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from gateway.abc.clock import Clock
from gateway.delivery import Outlet
from gateway.ownership import Ownership, bot_of
from gateway.ownership.queues import NEWS, queue_of
from gateway.session import Bot, control_name

__all__ = ["Roster"]

T = TypeVar("T")

_FRESH = 0.2  # seconds that the names are good for, unless what is held changes


class _Lookup(Mapping[str, T]):
    """A mapping whose values are made when they are asked for: there may be thousands of bots."""

    def __init__(self, names: Callable[[], tuple[str, ...]], value: Callable[[str], T | None]) -> None:
        self._names = names
        self._value = value

    def __getitem__(self, name: str) -> T:
        value = self._value(name)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())


class Roster:
    """What this process works for, each bot behind the fence of the partition that is worked on.

    Args:
        bots: Those that run, and those that were removed and owe answers, by name.
        ownership: Which partitions are ours.
    """

    def __init__(self, bots: Callable[[], Mapping[str, Bot]], ownership: Ownership, *, clock: Clock) -> None:
        self._known = bots
        self._ownership = ownership
        self._clock = clock
        self._fenced: dict[str, tuple[Bot, Bot]] = {}
        self._made: tuple[tuple[object, ...], float, tuple[str, ...]] = ((), 0.0, ())
        self._bots = _Lookup(self.names, self._find)
        self._outlets = _Lookup(self.letter_names, self._outlet)

    def names(self) -> tuple[str, ...]:
        """What messages of ours wait under now."""
        bots, now = tuple(self._known()), self._clock.monotonic()
        key, until, names = self._made
        if key != (self._ownership.version, *bots) or now >= until:
            names = tuple(queue for name in bots for queue in self._ownership.queues(name))
            self._made = (self._ownership.version, *bots), now + _FRESH, names
        return names

    def control_names(self) -> tuple[str, ...]:
        """What commands of ours, and news for us, wait under now."""
        names = self.names()
        news = [f"{name}{NEWS}" for name in names] if self._ownership.shared else []
        return (*map(control_name, names), *news)

    def letter_names(self) -> tuple[str, ...]:
        """What answers of ours wait under now."""
        names = self.names()
        return (*names, *map(control_name, names))

    def bots(self) -> Mapping[str, Bot]:
        """The bots by the names that messages wait under, and by their own."""
        return self._bots

    def outlets(self) -> Mapping[str, Outlet]:
        """The ways out by the names that answers wait under."""
        return self._outlets

    def bot(self, queue: str) -> Bot:
        """A bot behind the fence of one of its partitions."""
        bot = self._known()[bot_of(queue)]
        made = self._fenced.get(queue)
        if made is None or made[0] is not bot:
            adapter = self._ownership.fenced(bot.adapter, queue)
            fenced = bot if adapter is bot.adapter else replace(bot, adapter=adapter)
            made = self._fenced[queue] = bot, fenced
        return made[1]

    def _find(self, queue: str) -> Bot | None:
        return self.bot(queue) if bot_of(queue) in self._known() else None

    def _outlet(self, name: str) -> Outlet | None:
        bot = self._find(queue_of(name))
        if bot is None:
            return None
        return Outlet(bot.name, bot.platform, bot.adapter, bot.ttl, bot.late_after)
