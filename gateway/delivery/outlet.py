"""What delivery needs to know of a bot."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.abc.adapter import Adapter

__all__ = ["Outlet"]


@dataclass(frozen=True, slots=True)
class Outlet:
    """The way out of one bot.

    Attributes:
        platform: The adapter's kind, for labels.
        ttl: Seconds an answer may wait to be delivered.
        late_after: Seconds of waiting for a connection from which an answer says that it is late.
    """

    bot: str
    platform: str
    adapter: Adapter
    ttl: float = 86_400.0
    late_after: float = 300.0
