"""The Bot API as plain calls: python-telegram-bot's request layer, our errors."""

from __future__ import annotations

import logging
from typing import Any, cast

from telegram import Bot
from telegram.error import TelegramError
from telegram.request import HTTPXRequest

from gateway_adapters.telegram.errors import translate
from gateway_adapters.telegram.options import Options

__all__ = ["POLL", "Api"]

POLL = 25  # seconds a poll is held open; the server allows 50
_CONNECT, _READ, _WRITE, _POOL = 10.0, 20.0, 20.0, 15.0  # seconds
_SENDS = (
    12  # requests in flight, over twice what Telegram's 30 a second need; the pool looks at each every time
)


class Api:
    """One bot's calls, on a connection pool for sends and one connection for polls."""

    def __init__(self, options: Options) -> None:
        # These two write addresses (with the token) and texts at levels an operator may turn on.
        for name in ("httpx", "httpcore", "telegram"):
            logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger(name).level))
        self._sending = self._bot(options, pool=_SENDS, read=_READ)
        self._polling = self._bot(options, pool=2, read=POLL + 10.0)

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:  # noqa: ANN401  # JSON
        """One method; its result.

        Method names are case-insensitive on the server; lower case keeps the library from pointing at its
        own wrappers, which know only the methods of the day they were written.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        return await _call(self._sending, method, params)

    async def updates(self, offset: int | None, *, allowed: list[str]) -> list[dict[str, Any]]:
        """The next updates, after waiting for some; confirms everything below `offset`.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        params: dict[str, Any] = {"timeout": POLL, "limit": 100, "allowed_updates": allowed}
        if offset is not None:
            params["offset"] = offset
        return cast("list[dict[str, Any]]", await _call(self._polling, "getUpdates", params))

    async def close(self) -> None:
        """Close both pools."""
        for bot in (self._sending, self._polling):
            for request in (bot.request,):
                await request.shutdown()

    def _bot(self, options: Options, *, pool: int, read: float) -> Bot:
        request = HTTPXRequest(
            connection_pool_size=pool,
            connect_timeout=_CONNECT,
            read_timeout=read,
            write_timeout=_WRITE,
            pool_timeout=_POOL,
            proxy=options.proxy or None,
        )
        base = options.api_base.rstrip("/")
        return Bot(
            options.token.get_secret_value(),
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=request,
            get_updates_request=request,
        )


async def _call(bot: Bot, method: str, params: dict[str, Any] | None) -> Any:  # noqa: ANN401  # JSON
    try:
        return await bot.do_api_request(method.lower(), api_kwargs=params)
    except TelegramError as exc:
        translate(exc)
