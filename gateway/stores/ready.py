"""Which bots may have something to claim, so that an idle claim costs no trip to the database."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Ready"]

_LOOK_ANYWAY = 0.4  # seconds; leases run out and delays pass without anybody saying so


class Ready:
    """Marks set by writers of the same process; a hint that can only err towards looking."""

    def __init__(self) -> None:
        self._marked: set[str] = set()
        self._looked: dict[str, float] = {}

    def mark(self, bots: Iterable[str]) -> None:
        """Say that these bots may have something."""
        self._marked.update(bots)

    def look(self, bots: Iterable[str], now: float) -> bool:
        """Whether a claim for these bots is worth while now; takes their marks."""
        due = [
            bot
            for bot in bots
            if bot in self._marked or not 0 <= now - self._looked.get(bot, -1) < _LOOK_ANYWAY
        ]
        for bot in bots:
            if due:
                self._marked.discard(bot)
                self._looked[bot] = now
        return bool(due)
