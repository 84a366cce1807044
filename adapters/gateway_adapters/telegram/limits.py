"""How fast a bot may speak: what must go waits its turn, what is only shown gives way.

Telegram names about 30 messages a second overall, one a second to a person with some leniency, and 20 a
minute in a group (Bots FAQ, read 2026-11); its own word is a 429 with the seconds to wait.
"""

from __future__ import annotations

from typing import Literal

from gateway.abc.clock import Clock
from gateway.errors import RateLimited
from gateway.pace import Chats, Window
from gateway_adapters.telegram.options import Rates

__all__ = ["PACED", "Limiter", "Tier"]

Tier = Literal["final", "preview", "typing"]

PACED = "paced"
"""The status of an answer that was put off here, before Telegram had to."""

_PATIENCE = 2.9  # seconds a final waits here; for longer its letter is put off, so that it blocks nobody
_STEPS = 6  # steps that a second is cut into: what leaves evenly arrives so, whatever the line delays
_MARGIN = 1.2  # times as long as allowed, for what the line delays all the same
_MINUTE = 61.0  # seconds, for the same reason
_BURST = 8  # messages a person may get at once: an answer of several parts
_SHARE: dict[Tier, float] = {"final": 1.0, "preview": 0.6, "typing": 0.3}  # of what may be used, by each
_TIERS = tuple(_SHARE)
_STORM, _STORM_CHATS = 10.0, 3  # seconds within which so many chats slowed down mean the bot as a whole
_CHATS = 4096  # chats remembered, at least while they are held back or were written to lately


class _Bucket:
    """So many at once, and one more with every so many seconds."""

    def __init__(self, burst: int, every: float) -> None:
        self._burst = burst
        self._every = every
        self._full_at = float("-inf")  # when nothing is owed any more

    def free_at(self, now: float) -> float:
        """When the next one may go."""
        return max(now, self._full_at - (self._burst - 1) * self._every)

    def has_room(self, now: float, share: float) -> bool:
        """Whether one more may go now and leave the rest of the share free."""
        return self._full_at - now < self._burst * share * self._every

    def take(self, at: float) -> None:
        """One goes."""
        self._full_at = max(self._full_at, at) + self._every

    def is_idle(self, now: float) -> bool:
        """Whether it counts nothing any more."""
        return self._full_at < now


class Limiter:
    """One bot's pace."""

    def __init__(self, rates: Rates, clock: Clock) -> None:
        self._rates = rates
        self._clock = clock
        self._overall = Window(0, 0.0)
        self.share(1.0)
        self._held: dict[Tier, float] = {}
        self._slowed: dict[tuple[str, Tier], float] = {}
        self._chats = Chats(_CHATS, self._meter)

    def share(self, part: float) -> None:
        """Take no more than a part of what the whole bot may say; what was said lately counts on."""
        rate = self._rates.overall * part
        step = max(1, int(rate // _STEPS))
        self._overall.bound(step if rate else 0, step / rate * _MARGIN if rate else 0.0)

    async def admitted(self, chat: str) -> None:
        """Wait until an answer may go.

        Raises:
            RateLimited: That is too long to wait here; nothing was sent.
        """
        now = self._clock.monotonic()
        mine = self._chats.get(chat, now)
        at = max(mine.meter.free_at(now), mine.until.get("final", now), self._held.get("final", now), now)
        at = self._overall.free_at(at)
        if at - now > _PATIENCE:
            raise RateLimited("too much was said too fast", retry_after=at - now, status=PACED)
        mine.meter.take(at)
        self._overall.take(at)
        if at > now:
            await self._clock.sleep(at - now)

    def admits(self, chat: str, tier: Tier, *, counted: bool = True) -> bool:
        """Whether something that is only shown may go now; it then counts.

        Args:
            chat: Where.
            tier: What it is.
            counted: Whether it counts as a message of the chat, or of the bot alone.
        """
        now = self._clock.monotonic()
        mine = self._chats.get(chat, now)
        share = _SHARE[tier]
        if max(mine.until.get(tier, now), self._held.get(tier, now)) > now:
            return False
        if not self._overall.has_room(now, share):
            return False
        if counted and not mine.meter.has_room(now, share):
            return False
        self._overall.take(now)
        if counted:
            mine.meter.take(now)
        return True

    def hold(self, chat: str, seconds: float, *tiers: Tier) -> None:
        """Keep tiers of a chat back for some seconds."""
        now = self._clock.monotonic()
        self._chats.get(chat, now).hold(now, seconds, *tiers)

    def refused(self, chat: str, seconds: float, tier: Tier) -> None:
        """Telegram asked to wait: the chat does, and everybody once it says so of several at a time.

        What is only shown may have limits of its own; an answer tries all the same, and hears of it.
        """
        lesser = _TIERS[_TIERS.index(tier) :]
        self.hold(chat, seconds, *lesser)
        now = self._clock.monotonic()
        self._slowed = {one: at for one, at in self._slowed.items() if at > now - _STORM}
        self._slowed[chat, tier] = now
        if sum(slowed == tier for _, slowed in self._slowed) >= _STORM_CHATS:
            self._held |= {one: max(self._held.get(one, now), now + seconds) for one in lesser}

    def _meter(self, chat: str) -> Window | _Bucket:
        """A group's minute, or a person's bucket; the ids of groups are below zero."""
        if chat.startswith("-"):
            return Window(self._rates.group, _MINUTE)
        return _Bucket(_BURST, _MARGIN / self._rates.chat) if self._rates.chat else Window(0, 0.0)
