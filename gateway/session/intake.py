"""The door to the inbox: what an adapter hands in is durable before the platform is told so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gateway.abc.adapter import AdapterState, Log
from gateway.abc.clock import Clock
from gateway.abc.store import Entry, Store
from gateway.messages import Event, Inbound
from gateway.observability import get_logger
from gateway.ownership import Ownership, Sole
from gateway.session.arrivals import Arrivals
from gateway.session.bots import Bot
from gateway.session.envelope import seal

__all__ = ["Intake"]

_ROUNDED = 0.5  # seconds that a time in whole seconds is behind, on average
_SAME = 3.0  # seconds two clocks may differ by for the rounding and the way alone
_OFF = 60.0  # seconds from which operators should know

_RECORDED = frozenset({"unparsable"})  # drops whose raw event is kept, so that an operator can look at it


class Intake:
    """One bot's `AdapterContext`.

    Args:
        bot: Whose messages come in.
        arrivals: Places what comes in.
        public_url: Where the shared server is reached from outside; empty when unknown.
        reported: Told the adapter's state and what operators should do about it.
        ownership: Who speaks for the bot; this process alone by default.
    """

    def __init__(
        self,
        bot: Callable[[], Bot],
        name: str,
        *,
        store: Store,
        clock: Clock,
        reported: Callable[[AdapterState, str], None],
        public_url: str = "",
        arrivals: Arrivals,
        ownership: Ownership | None = None,
    ) -> None:
        self._ownership = ownership or Sole()
        self._arrivals = arrivals
        self._public_url = public_url
        self._bot = bot
        self._name = name
        self._store = store
        self._clock = clock
        self._reported = reported
        self._menu: tuple[Bot, Mapping[str, Sequence[tuple[str, str]]]] | None = None
        self._ahead = 0.0  # seconds this host's clock is ahead of the platform's
        self._seen: float | None = None  # the same as it seemed at the last look
        self._told_off = False
        self._log = get_logger("adapter").bind(bot=name)

    @property
    def bot(self) -> str:
        """The bot's name."""
        return self._name

    @property
    def clock(self) -> Clock:
        """Where time comes from."""
        return self._clock

    @property
    def log(self) -> Log:
        """A logger bound to the bot."""
        return self._log

    @property
    def public_url(self) -> str:
        """Where the shared server is reached from outside."""
        return self._public_url

    @property
    def menu(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The commands people may send, by language; made anew only for another bot of the name."""
        bot = self._bot()
        if self._menu is None or self._menu[0] is not bot:
            self._menu = (bot, bot.menu())
        return self._menu[1]

    @property
    def leads(self) -> bool:
        """Whether this process speaks for the bot; see `AdapterContext`."""
        return self._ownership.leads(self._name)

    @property
    def shared(self) -> bool:
        """Whether other processes may run the bot too."""
        return self._ownership.shared

    async def accept(self, events: Sequence[Event]) -> tuple[bool, ...]:
        """Commit events; see `AdapterContext`."""
        kept: list[tuple[int, Entry]] = []
        news: list[Entry] = []
        fresh = [True] * len(events)
        try:
            for at, event in enumerate(map(self._by_our_clock, events)):
                entry = await self._entry(event)
                if entry is not None:
                    kept.append((at, entry))
                    news += self._arrivals.news(event, entry)
            results = await self._store.put([*(entry for _, entry in kept), *news]) if kept else ()
        finally:
            self._arrivals.kept([entry for _, entry in kept])
        for (at, entry), new in zip(kept, results, strict=False):
            fresh[at] = new
            await self._arrived(events[at].inbound if new else None, entry)
        return tuple(fresh)

    async def keep(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Remember a fact; see `AdapterContext`."""
        await self._store.set(self._key(key), value, ttl=ttl)

    async def recall(self, key: str) -> bytes | None:
        """A fact that was kept; see `AdapterContext`."""
        return await self._store.get(self._key(key))

    async def scan(self, prefix: str, *, limit: int = 1000) -> Sequence[tuple[str, bytes]]:
        """Facts by prefix; see `AdapterContext`."""
        own = self._key("")
        rows = await self._store.scan(own + prefix, limit=limit)
        return [(key.removeprefix(own), value) for key, value in rows]

    def heard_time(self, theirs: float) -> None:
        """Learn how far this host's clock is from the platform's; see `AdapterContext`."""
        ahead = self._clock.time() - theirs - _ROUNDED
        before, self._seen = self._seen, ahead
        if before is not None and abs(ahead - before) > _SAME:
            return  # one of the two is odd, a proxy's say, or a clock was set: the next look decides
        self._ahead = ahead
        if abs(ahead) >= _OFF and not self._told_off:
            self._log.warning(
                "adapter.clock_is_off",
                seconds=round(ahead),
                advice="this host's clock differs from the platform's: set it, by NTP say",
            )
        self._told_off = abs(ahead) >= (_OFF / 2 if self._told_off else _OFF)

    def report(self, state: AdapterState, detail: str = "") -> None:
        """Say how the connection stands; see `AdapterContext`."""
        self._reported(state, detail)

    def _key(self, key: str) -> str:
        return f"adapter/{self._name}/{key}"

    async def _arrived(self, inbound: Inbound | None, entry: Entry) -> None:
        if inbound is not None:
            await self._arrivals.arrived(self._bot(), inbound, entry.lane, queue=entry.bot)

    def _by_our_clock(self, event: Event) -> Event:
        inbound = event.inbound
        if inbound is None or not inbound.at or abs(self._ahead) < _SAME:
            return event
        return replace(event, inbound=replace(inbound, at=inbound.at + self._ahead))

    async def _entry(self, event: Event) -> Entry | None:
        """The inbox entry of an event; `None` for one that is dropped and leaves no trace but a log line.

        What is dropped consumes no dedupe key: an addressed twin may still come.
        """
        inbound = event.inbound
        if inbound is None:
            self._log.debug("adapter.event_dropped", why=event.dropped)
            if event.dropped not in _RECORDED:
                return None
            return Entry(self._name, "", event.dedupe, seal(event), self._clock.time())
        entry = await self._arrivals.entry(self._bot(), event, inbound)
        if entry is None:
            self._log.debug("adapter.event_dropped", why="unaddressed")
        return entry
