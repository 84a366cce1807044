"""What time it is at a platform, as the answers of its server say."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

__all__ = ["Dates"]

_EVERY = 30.0  # seconds between two looks
_SOON = 5.0  # seconds within which an answer must have come to say what time it is now


class Dates:
    """Reads the `Date` of HTTP answers (RFC 9110, 6.6.1: whole seconds), now and then, and passes it on."""

    def __init__(self) -> None:
        self._told: Callable[[float], None] | None = None
        self._next = 0.0

    def begin(self, told: Callable[[float], None]) -> None:
        """From now on, tell the platform's time as soon as it is known."""
        self._told, self._next = told, 0.0

    def answered(self, date: str | None, *, began: float) -> None:
        """Take note of an answer that came just now.

        Args:
            date: Its header; `None` or anything else that is no date says nothing.
            began: When it was asked for, by `time.monotonic`.
        """
        now = time.monotonic()
        if self._told is None or now < self._next or not date or now - began > _SOON:
            return
        try:
            moment = parsedate_to_datetime(date).timestamp()
        except (ValueError, OverflowError, OSError):
            return
        self._next = now + _EVERY
        self._told(moment)
