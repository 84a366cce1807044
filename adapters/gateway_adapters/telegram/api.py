"""The Bot API as plain calls: python-telegram-bot's request layer, our errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from telegram import Bot
from telegram.error import TelegramError

from gateway.abc.dates import Dates
from gateway.errors import AdapterError, Uncertain
from gateway_adapters.telegram.errors import ODD, ours
from gateway_adapters.telegram.options import Options
from gateway_adapters.telegram.quiet import hush
from gateway_adapters.telegram.transport import request_for

__all__ = ["POLL", "Api"]

POLL = 25  # seconds a poll is held open; the server allows 50
_READ, _POOL = 20.0, 15.0  # seconds
_SENDS = 12  # requests in flight, over twice what 30 a second need
_SHOWS, _SHOWN, _SOON = 4, 8.0, 0.5  # connections, seconds for what is only shown


class Api:
    """One bot's calls, on pools that keep polls and what is only shown out of the way of sends.

    Attributes:
        dates: What answers say of the time.
    """

    def __init__(self, options: Options) -> None:
        hush()
        token = _Token()
        self.dates = Dates()
        self._sending = _Line(options, token, self.dates, pool=_SENDS, read=_READ, wait=_POOL)
        self._showing = _Line(options, token, self.dates, pool=_SHOWS, read=_SHOWN, wait=_SOON)
        self._polling = _Line(options, token, self.dates, pool=2, read=POLL + 10.0, wait=_POOL)

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:  # noqa: ANN401  # JSON
        """One method; its result.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        return await self._sending.call(method, params)

    async def show(self, method: str, params: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        """One method for what an answer does without: typing, growing text.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        return await self._showing.call(method, params)

    async def updates(self, offset: int | None, *, allowed: list[str]) -> list[object]:
        """The next updates, after waiting for some; confirms everything below `offset`.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        params: dict[str, Any] = {"timeout": POLL, "limit": 100, "allowed_updates": allowed}
        if offset is not None:
            params["offset"] = offset
        found: object = await self._polling.call("getUpdates", params)
        if not isinstance(found, list):
            raise Uncertain(ODD, status=type(found).__name__)
        return cast("list[object]", found)

    async def close(self) -> None:
        """Close the pools."""
        for line in (self._sending, self._showing, self._polling):
            await line.close()


@dataclass(slots=True)
class _Token:
    """What is known of the token.

    Attributes:
        taken: Whether it was good once.
    """

    taken: bool = False


class _Line:
    """One connection pool.

    It alone holds the library's `Bot`, which shows its token when it is printed, as a traceback with values
    does; an error that leaves here has neither that nor the library's error behind it, whose request holds
    the address and so the token.
    """

    def __init__(
        self, options: Options, token: _Token, dates: Dates, *, pool: int, read: float, wait: float
    ) -> None:
        self._token = token
        base = options.api_base.rstrip("/")
        self._request = request_for(base, dates, proxy=options.proxy, pool=pool, read=read, wait=wait)
        self._bot = Bot(
            options.token.get_secret_value(),
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=self._request,
            get_updates_request=self._request,
        )

    async def call(self, method: str, params: dict[str, Any] | None) -> object:
        """One method; its result.

        Method names are case-insensitive on the server; lower case keeps the library from pointing at its
        own wrappers, which know only the methods of the day they were written.
        """
        failure: AdapterError
        try:
            result: object = await self._bot.do_api_request(method.lower(), api_kwargs=params)
        except TelegramError as exc:
            failure = ours(exc, greeted=self._token.taken)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as exc:
            # What answers in Telegram's place (a proxy's page, a portal) need not look like the Bot API.
            failure = Uncertain(ODD, status=type(exc).__name__)
        else:
            self._token.taken = True
            return result
        raise failure

    async def close(self) -> None:
        """Close the pool."""
        await self._request.shutdown()
