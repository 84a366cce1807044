"""When a conversation begins anew by itself; pure but for the local time zone."""

from __future__ import annotations

import time

from gateway.session.bots import Reset

__all__ = ["is_over"]


def is_over(reset: Reset, last: float, now: float) -> bool:
    """Whether a conversation whose last word was said at `last` has ended by `now`, in unix seconds."""
    if reset.idle is not None and now - last >= reset.idle:
        return True
    return reset.daily is not None and last < _boundary(reset.daily, now)


def _boundary(daily: float, now: float) -> float:
    """The last time before `now` at which the day of conversations began, on the local clock."""
    local = time.localtime(now)
    hour, minute = divmod(int(daily) // 60, 60)
    for days in (0, 1):
        day = (local.tm_year, local.tm_mon, local.tm_mday - days, hour, minute, 0, 0, 0, -1)
        begins = time.mktime(time.struct_time(day))
        if begins <= now:
            return begins
    return 0.0
