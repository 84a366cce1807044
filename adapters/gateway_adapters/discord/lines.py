"""What is being sent where: one after the other in a channel, and nothing growing in a final's way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

__all__ = ["Lines"]


class Lines:
    """One line for each channel; what must go stands in it, what is only shown looks whether it is empty."""

    def __init__(self) -> None:
        self._lines: dict[str, asyncio.Lock] = {}
        self._waiting: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, channel: str) -> AsyncGenerator[None]:
        """Wait for one's turn in a channel; first come, first served."""
        line = self._lines.setdefault(channel, asyncio.Lock())
        self._waiting[channel] = self._waiting.get(channel, 0) + 1
        try:
            async with line:
                yield
        finally:
            self._waiting[channel] -= 1
            if not self._waiting[channel]:
                del self._waiting[channel], self._lines[channel]

    def is_free(self, channel: str) -> bool:
        """Whether nothing is under way in a channel."""
        return channel not in self._waiting
