"""Into how many partitions bots were ever divided: what waits under a former name is not forgotten."""

from __future__ import annotations

from collections.abc import Mapping

from gateway.abc.store import Store
from gateway.ownership.replicas import Stake

__all__ = ["Layouts"]

_PREFIX = "partitions/"


class Layouts:
    """The greatest number of partitions of each bot that had more than one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._most: dict[str, int] = {}

    def most(self, bot: str) -> int:
        """How many there ever were, as far as it was read."""
        return self._most.get(bot, 1)

    async def read(self, stakes: Mapping[str, Stake]) -> None:
        """Read what is kept, and note what is more."""
        for key, value in await self._store.scan(_PREFIX):
            self._most[key.removeprefix(_PREFIX)] = int(value)
        for bot, stake in stakes.items():
            if stake.partitions > self.most(bot):
                await self._store.set(f"{_PREFIX}{bot}", str(stake.partitions).encode())
                self._most[bot] = stake.partitions
