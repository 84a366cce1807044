"""Stand for the client that discord.py's connection asks; none is made, for it remembers all it hears."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import aiohttp

from gateway_adapters.discord.library import DiscordClient, DiscordWebSocket, Intents

__all__ = ["Client"]

_SILENCE = 60.0  # seconds without a frame after which discord.py leaves a line

Opener = Callable[[str], Awaitable[aiohttp.ClientWebSocketResponse]]


class Client:
    """Stands for discord.py's client, its state and its HTTP client while one connection is made.

    The names are discord.py's.

    Attributes:
        socket: The connection, from before it is greeted.
    """

    def __init__(self, opener: Opener, *, token: str, intents: Intents) -> None:
        self.socket: DiscordWebSocket | None = None
        self.ws_connect = opener
        self.token = token
        self.loop = asyncio.get_running_loop()
        self.parsers: dict[str, Callable[..., Any]] = {}
        self.shard_count: int | None = None
        self.heartbeat_timeout = _SILENCE
        self._enable_debug_events = False
        self._activity = self._status = None
        self._intents = intents

    @property
    def http(self) -> Client:
        """Where the connection is opened."""
        return self

    @property
    def _connection(self) -> Client:
        return self

    def as_discord(self) -> DiscordClient:
        """The same, where discord.py wants one of its own."""
        return cast("DiscordClient", self)

    def dispatch(self, event: str, /, *args: object) -> None:
        """Nobody listens here."""

    async def call_hooks(self, name: str, /, *args: object, **kwargs: object) -> None:
        """Nobody waits for an identification here."""

    def _update_references(self, socket: DiscordWebSocket) -> None:
        self.socket = socket
