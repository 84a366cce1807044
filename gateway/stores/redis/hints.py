"""Wake-ups that other gateways send when they made something claimable; hints, for everybody polls too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from typing import cast

from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from gateway.observability import get_logger
from gateway.stores.redis.link import Link, heeding
from gateway.stores.redis.pools import disconnected
from gateway.stores.wake import Wake

__all__ = ["Hints"]

_LOOK = 2.0  # seconds; shorter than a connection waits for an answer
_PAUSE = 2.0  # seconds before a channel that broke is listened to again


class Hints:
    """Listens on a connection of its own, and wakes whoever waits in this process."""

    def __init__(self, link: Link, wake: Wake) -> None:
        self._link = link
        self._wake = wake
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to listen."""
        self._task = asyncio.create_task(self._run(), name="store hints")

    async def stop(self) -> None:
        """Listen no more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        client = self._link.another()
        told = False
        try:
            while True:
                try:
                    async with PubSub(client.connection_pool, ignore_subscribe_messages=True) as channel:
                        await self._listen(channel)
                except (RedisError, OSError) as exc:
                    if not told:
                        get_logger("store").warning("store.hints_lost", problem=type(exc).__name__)
                    told = True
                await asyncio.sleep(_PAUSE)
        finally:
            await disconnected(client)

    async def _listen(self, channel: PubSub) -> None:
        await heeding(channel.subscribe(self._link.key("wake")))
        while True:
            message = await heeding(
                cast("Awaitable[Mapping[str, object] | None]", channel.get_message(timeout=_LOOK))
            )
            if message is not None and message.get("data") != self._link.name.encode():
                self._wake.set()
