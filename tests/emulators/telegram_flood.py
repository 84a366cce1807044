"""Telegram's patience: how many messages it takes before it asks to wait."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from dataclasses import dataclass, field

from tests.emulators.telegram_rules import Refused

__all__ = ["Flood"]

_COUNTED = frozenset({"sendmessage", "editmessagetext"})
_MINUTE = 60.0


@dataclass(slots=True)
class Flood:
    """Takes so much and no more; does not look until it is told to.

    Attributes:
        on: Whether it looks.
        overall: Calls within a second, of every kind that goes into a chat.
        group: Messages and edits within a minute in one group.
        burst: Messages and edits that a person may get at once, beside one each second.
        refused: What was asked to wait, as `(method, chat)`.
    """

    on: bool = False
    overall: int = 30
    group: int = 20
    burst: int = 8
    refused: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    _calls: deque[float] = field(default_factory=deque[float])
    _groups: defaultdict[int, deque[float]] = field(
        default_factory=lambda: defaultdict[int, deque[float]](deque)
    )
    _owed: defaultdict[int, float] = field(default_factory=lambda: defaultdict[int, float](float))

    def take(self, method: str, chat: int) -> None:
        """Count a call into a chat.

        Raises:
            Refused: It is one too many.
        """
        if not self.on or not chat:
            return
        now = time.monotonic()
        wait = _over(self._calls, now, self.overall, 1.0)
        if not wait and method in _COUNTED:
            wait = self._too_much(chat, now)
        if wait:
            self.refused.append((method, chat))
            seconds = max(1, round(wait))
            raise Refused(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})
        self._calls.append(now)
        if method in _COUNTED:
            self._groups[chat].append(now)
            self._owed[chat] = max(self._owed[chat], now) + 1.0

    def _too_much(self, chat: int, now: float) -> float:
        """Seconds until a chat takes one more; 0 when it does."""
        if chat < 0:
            return _over(self._groups[chat], now, self.group, _MINUTE)
        return max(0.0, self._owed[chat] - now - (self.burst - 1))


def _over(taken: deque[float], now: float, limit: int, seconds: float) -> float:
    """Seconds until there is room; 0 when there is."""
    while taken and taken[0] <= now - seconds:
        taken.popleft()
    return taken[0] + seconds - now if len(taken) >= limit else 0.0
