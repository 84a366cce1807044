"""What everybody else asks about who speaks for a bot."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from gateway.abc.adapter import Adapter
from gateway.messages import Place

__all__ = ["Ownership"]


class Ownership(Protocol):
    """Which partitions of which bots are this process's own."""

    @property
    def shared(self) -> bool:
        """Whether other processes may run the same bots."""
        ...

    @property
    def version(self) -> int:
        """Grows whenever what is held changes."""
        ...

    def queues(self, bot: str) -> tuple[str, ...]:
        """The names whose work this process takes for a bot now."""
        ...

    def queue_of(self, bot: str, place: Place) -> str:
        """The name that work of a place waits under."""
        ...

    def holds(self, queue: str) -> bool:
        """Whether this process may act on what waits under a name now."""
        ...

    def leads(self, bot: str) -> bool:
        """Whether this process receives for a bot."""
        ...

    def count(self, bot: str) -> int:
        """How many partitions of a bot this process holds."""
        ...

    def fenced(self, adapter: Adapter, queue: str) -> Adapter:
        """The adapter, its calls let through while the partition is held."""
        ...

    def why_not(self, bot: str) -> str:
        """For operators: why this process does not receive for a bot; empty where it will, or does."""
        ...

    def held(self) -> Collection[str]:
        """The names of the partitions that are held by a lease."""
        ...

    def alone(self) -> bool:
        """Whether no other process lives."""
        ...
