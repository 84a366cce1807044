"""The order of what comes in: one at a time in a channel, the earliest first."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

__all__ = ["Order"]


class Order:
    """Lanes of channels; two sockets read side by side, and what they read at once is put right."""

    def __init__(self) -> None:
        self._lanes: WeakValueDictionary[str, _Lane] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, channel: str, at: float) -> AsyncGenerator[None]:
        """Wait until everything earlier that has come in of a channel is done.

        Args:
            channel: Whose lane.
            at: When the platform says that it happened.
        """
        lane = self._lanes.setdefault(channel, _Lane())
        await lane.come(at)
        try:
            yield
        finally:
            lane.go()


class _Lane:
    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._taken = False

    async def come(self, at: float) -> None:
        """Wait for one's turn."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        heapq.heappush(self._waiting, (at, next(self._numbers), turn))
        if not self._taken:
            self._taken = True
            # The other socket may hold something earlier that is read within this round of the loop.
            loop.call_soon(lambda: loop.call_soon(self.go))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.go()
            raise

    def go(self) -> None:
        """Let the next one have its turn."""
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False
