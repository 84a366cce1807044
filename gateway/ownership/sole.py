"""Ownership where one process holds the whole store by its lock."""

from __future__ import annotations

from collections.abc import Collection

from gateway.abc.adapter import Adapter
from gateway.messages import Place

__all__ = ["Sole"]


class Sole:
    """Everything is ours, at no cost; see `Ownership`."""

    shared = False
    version = 0

    def queues(self, bot: str) -> tuple[str, ...]:
        """The bot's name."""
        return (bot,)

    def queue_of(self, bot: str, place: Place) -> str:
        """The bot's name."""
        del place
        return bot

    def holds(self, queue: str) -> bool:
        """Always."""
        del queue
        return True

    def leads(self, bot: str) -> bool:
        """Always."""
        del bot
        return True

    def count(self, bot: str) -> int:
        """The whole bot."""
        del bot
        return 1

    def fenced(self, adapter: Adapter, queue: str) -> Adapter:
        """The adapter as it is."""
        del queue
        return adapter

    def why_not(self, bot: str) -> str:
        """Nothing is in the way."""
        del bot
        return ""

    def held(self) -> Collection[str]:
        """Nothing that would have to be told of."""
        return ()

    def alone(self) -> bool:
        """Always."""
        return True
