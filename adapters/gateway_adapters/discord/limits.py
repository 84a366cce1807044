"""How fast a bot may speak: what must go waits its turn, what is only shown gives way.

Discord tells with each answer how long the bucket of a call stays empty, and takes 50 calls a second from a
bot in all (rate limits, read 2026-11); its last word is a 429 with the seconds to wait.
"""

from __future__ import annotations

from typing import Literal

from gateway.abc.clock import Clock
from gateway.errors import RateLimited
from gateway.pace import Chats, Held, Window
from gateway_adapters.discord.options import Rates

__all__ = ["PACED", "Limiter", "Tier"]

Tier = Literal["final", "edit", "typing"]

PACED = "paced"
"""The status of an answer that was put off here, before Discord had to."""

_PATIENCE = 2.9  # seconds a final waits here; for longer its letter is put off, so that it blocks nobody
_SECONDS = 5.0  # in which a channel takes so many messages
_SHARE = 0.6  # of what may be used, by what is only shown
_STORM, _STORM_CHANNELS = 10.0, 3  # seconds within which so many channels slowed down mean the bot as a whole
_CHANNELS = 4096  # remembered, at least while they are held back or were written to lately


class Limiter:
    """One bot's pace; each kind of call has buckets of its own."""

    def __init__(self, rates: Rates, clock: Clock) -> None:
        self._rates = rates
        self._clock = clock
        self._overall = Window(rates.overall, 1.0)
        self._held = 0.0
        self._slowed: dict[str, float] = {}
        self._channels = Chats(_CHANNELS, lambda _: Window(rates.channel, _SECONDS))

    def share(self, part: float) -> None:
        """Take no more than a part of what the whole bot may say; what was said lately counts on."""
        self._overall.bound(max(1, int(self._rates.overall * part)) if self._rates.overall else 0, 1.0)

    async def admitted(self, channel: str, tier: Tier) -> None:
        """Wait until an answer may go.

        Raises:
            RateLimited: That is too long to wait here; nothing was sent.
        """
        now = self._clock.monotonic()
        mine = self._channels.get(channel, now)
        at = max(mine.meter.free_at(now) if tier == "final" else now, mine.until.get(tier, now), self._held)
        at = self._overall.free_at(max(at, now))
        if at - now > _PATIENCE:
            raise RateLimited("too much was said too fast", retry_after=at - now, status=PACED)
        self._take(mine, tier, at)
        if at > now:
            await self._clock.sleep(at - now)

    def admits(self, channel: str, tier: Tier) -> bool:
        """Whether something that is only shown may go now; it then counts."""
        now = self._clock.monotonic()
        mine = self._channels.get(channel, now)
        if max(mine.until.get(tier, 0.0), self._held) > now or not self._overall.has_room(now, _SHARE):
            return False
        if tier == "final" and not mine.meter.has_room(now, _SHARE):
            return False
        self._take(mine, tier, now)
        return True

    def hold(self, channel: str, tier: Tier, seconds: float) -> None:
        """Keep calls of a kind back for some seconds in a channel."""
        if seconds > 0:
            now = self._clock.monotonic()
            self._channels.get(channel, now).hold(now, seconds, tier)

    def refused(self, channel: str, tier: Tier, seconds: float, *, everywhere: bool = False) -> None:
        """Discord asked to wait: the channel does; everybody where it says so, or of several at a time."""
        self.hold(channel, tier, seconds)
        now = self._clock.monotonic()
        self._slowed = {one: at for one, at in self._slowed.items() if at > now - _STORM}
        self._slowed[channel] = now
        if everywhere or len(self._slowed) >= _STORM_CHANNELS:
            self._held = max(self._held, now + seconds)

    def _take(self, channel: Held, tier: Tier, at: float) -> None:
        self._overall.take(at)
        if tier == "final":
            channel.meter.take(at)
