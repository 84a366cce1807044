"""The bots that take work here, by the names that it waits under."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gateway.delivery import Outlet
from gateway.ownership import Ownership, bot_of
from gateway.ownership.queues import NEWS
from gateway.session import Bot, control_name

__all__ = ["Roster"]


class Roster:
    """What this process works for, each bot behind the fence of the partition that is worked on.

    Args:
        bots: Those that run, and those that were removed and owe answers, by name.
        ownership: Which partitions are ours.
    """

    def __init__(self, bots: Callable[[], Mapping[str, Bot]], ownership: Ownership) -> None:
        self._bots = bots
        self._ownership = ownership
        self._fenced: dict[str, tuple[Bot, Bot]] = {}

    def names(self) -> tuple[str, ...]:
        """What messages of ours wait under now."""
        return tuple(queue for name in self._bots() for queue in self._ownership.queues(name))

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
        """The bots by those names, and by their own."""
        known = self._bots()
        return {queue: self.bot(queue) for queue in (*self.names(), *known) if bot_of(queue) in known}

    def bot(self, queue: str) -> Bot:
        """A bot behind the fence of one of its partitions."""
        bot = self._bots()[bot_of(queue)]
        made = self._fenced.get(queue)
        if made is None or made[0] is not bot:
            adapter = self._ownership.fenced(bot.adapter, queue)
            fenced = bot if adapter is bot.adapter else replace(bot, adapter=adapter)
            made = self._fenced[queue] = bot, fenced
        return made[1]

    def outlets(self) -> Mapping[str, Outlet]:
        """The ways out by the names that answers wait under."""
        outlets = {
            queue: Outlet(bot.name, bot.platform, bot.adapter, bot.ttl, bot.late_after)
            for queue, bot in self.bots().items()
        }
        return outlets | {control_name(queue): outlet for queue, outlet in outlets.items()}
