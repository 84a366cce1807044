"""How fast a bot may speak: what must go waits its turn, what is only shown gives way.

Slack names one message a second in a channel, with some leniency, several hundred a minute in a workspace,
and 50 edits a minute (docs.slack.dev, Rate limits, read 2026-11); its own word is a 429 with the
seconds to wait.
"""

from __future__ import annotations

from typing import Literal

from gateway.abc.clock import Clock
from gateway.errors import RateLimited
from gateway.pace import Chats, Window
from gateway_adapters.slack.options import Rates

__all__ = ["PACED", "Limiter", "Tier"]

Tier = Literal["final", "preview"]

PACED = "paced"
"""The status of an answer that was put off here, before Slack had to."""

_PATIENCE = 2.9  # seconds a final waits here; for longer its letter is put off, so that it blocks nobody
_MINUTE = 60.0
_BURST = 4  # messages a channel may get at once: an answer of several parts
_SHARE: dict[Tier, float] = {"final": 1.0, "preview": 0.6}  # of what may be used, by each
_STORM, _STORM_CHATS = 10.0, 3  # seconds within which so many channels slowed down mean the bot as a whole
_CHATS = 4096  # channels remembered, at least while they are held back or were written to lately


class Limiter:
    """One bot's pace."""

    def __init__(self, rates: Rates, clock: Clock) -> None:
        self._clock = clock
        self._rates = rates
        self._rate = rates.chat
        self._overall = Window(rates.overall, _MINUTE)
        self._edits = Window(rates.edits, _MINUTE)
        self._held: dict[Tier, float] = {}
        self._slowed: dict[tuple[str, Tier], float] = {}
        self._chats = Chats(_CHATS, lambda _: self._window())

    def share(self, part: float) -> None:
        """Take no more than a part of what the whole bot may say; what was said lately counts on."""
        for window, limit in ((self._overall, self._rates.overall), (self._edits, self._rates.edits)):
            window.bound(max(1, int(limit * part)) if limit else 0, _MINUTE)

    async def admitted(self, chat: str, *, edit: bool = False) -> None:
        """Wait until an answer may go.

        Args:
            chat: Where.
            edit: Whether it goes by editing a message, of which the bot has so many a minute.

        Raises:
            RateLimited: That is too long to wait here; nothing was sent.
        """
        now = self._clock.monotonic()
        mine = self._chats.get(chat, now)
        windows = (self._overall, self._edits if edit else mine.meter)
        at = max(mine.until.get("final", now), self._held.get("final", now), now)
        at = max(at, *(window.free_at(at) for window in windows))
        if at - now > _PATIENCE:
            raise RateLimited("too much was said too fast", retry_after=at - now, status=PACED)
        for window in windows:
            window.take(at)
        if at > now:
            await self._clock.sleep(at - now)

    def admits(self, chat: str, *, edit: bool = False) -> bool:
        """Whether a preview may go now; it then counts."""
        now = self._clock.monotonic()
        mine = self._chats.get(chat, now)
        share = _SHARE["preview"]
        windows = (self._overall, mine.meter, *((self._edits,) if edit else ()))
        if max(mine.until.get("preview", now), self._held.get("preview", now)) > now:
            return False
        if not all(window.has_room(now, share) for window in windows):
            return False
        for window in windows:
            window.take(now)
        return True

    def hold(self, chat: str, seconds: float, *tiers: Tier) -> None:
        """Keep tiers of a channel back for some seconds."""
        now = self._clock.monotonic()
        self._chats.get(chat, now).hold(now, seconds, *tiers)

    def refused(self, chat: str, seconds: float, tier: Tier) -> None:
        """Slack asked to wait: the channel does, and everybody once it says so of several at a time.

        What is only shown may have limits of its own; an answer tries all the same, and hears of it.
        """
        lesser: tuple[Tier, ...] = ("final", "preview") if tier == "final" else ("preview",)
        self.hold(chat, seconds, *lesser)
        now = self._clock.monotonic()
        self._slowed = {one: at for one, at in self._slowed.items() if at > now - _STORM}
        self._slowed[chat, tier] = now
        if sum(slowed == tier for _, slowed in self._slowed) >= _STORM_CHATS:
            self._held |= {one: max(self._held.get(one, now), now + seconds) for one in lesser}

    def _window(self) -> Window:
        return Window(_BURST, _BURST / self._rate) if self._rate else Window(0, 0.0)
