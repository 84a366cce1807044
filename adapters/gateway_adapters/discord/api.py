"""Discord's API as plain calls on connections of one bot's own; our errors."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import aiohttp

from gateway.abc.dates import Dates
from gateway.errors import AdapterError
from gateway_adapters.discord.errors import broken, refused
from gateway_adapters.discord.options import Options

__all__ = ["Api", "Reply"]

_CONNECT, _TOTAL = 10.0, 25.0  # seconds
_CONNECTIONS = 20  # at once; more than 50 calls a second Discord takes from nobody
_AGENT = "DiscordBot (https://lastword.invalid, {})"  # Discord wants an address and a version
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """What Discord answered.

    Attributes:
        body: Decoded; `None` where there is none.
        rest: Seconds in which the same call would be refused; 0 for none.
    """

    body: Any
    rest: float = 0.0


class Api:
    """One bot's calls.

    The token is held by the connections alone, in a header of theirs: neither an error nor a traceback with
    values shows it.

    Attributes:
        dates: What answers say of the time.
    """

    def __init__(self, options: Options) -> None:
        self._base = options.api_base.rstrip("/")
        self._proxy = options.proxy or None
        self._secret = options.token
        self._session: aiohttp.ClientSession | None = None
        self.dates = Dates()

    async def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
    ) -> Reply:
        """One call.

        Args:
            method: HTTP's, in capitals.
            path: Below the base, beginning with a slash.
            body: What to send, JSON-ready; `None` for nothing.
            query: What stands after the path.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        failure: AdapterError
        try:
            data = None if body is None else json.dumps(body).encode()
            headers = {} if data is None else {"Content-Type": _JSON}
            began = time.monotonic()
            async with self._connections().request(
                method, f"{self._base}{path}", data=data, headers=headers, params=query, proxy=self._proxy
            ) as response:
                found = _decoded(response.headers, await response.read())
                self.dates.answered(response.headers.get("Date"), began=began)
                if 200 <= response.status < 300:
                    return Reply(found, _rest(response.headers))
                failure = refused(response.status, found, response.headers)
        except (aiohttp.ClientError, OSError, TimeoutError, RuntimeError, UnicodeError) as exc:
            failure = broken(exc)
        raise failure

    async def connect(self, url: str) -> aiohttp.ClientWebSocketResponse:
        """A connection for events.

        Raises:
            AdapterError: It did not come about.
        """
        failure: AdapterError
        try:
            async with asyncio.timeout(_TOTAL):
                return await self._connections().ws_connect(
                    url, max_msg_size=0, autoclose=False, proxy=self._proxy, timeout=_closing()
                )
        except (aiohttp.ClientError, OSError, TimeoutError, RuntimeError) as exc:
            failure = broken(exc)
        raise failure

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _connections(self) -> aiohttp.ClientSession:
        """The connections, made where a loop runs; once closed they stay so."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
                timeout=aiohttp.ClientTimeout(total=_TOTAL, connect=_CONNECT),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={
                    "Authorization": f"Bot {self._secret.get_secret_value()}",
                    "User-Agent": _AGENT.format(version("lastword")),
                },
            )
        return self._session


def _closing() -> aiohttp.ClientWSTimeout:
    return aiohttp.ClientWSTimeout(ws_close=0.5)  # pyright: ignore[reportCallIssue]  # made by attrs


def _decoded(headers: Mapping[str, str], body: bytes) -> object:
    """JSON; `None` for anything else, such as a page of what stands before Discord."""
    if not headers.get("Content-Type", "").startswith(_JSON):
        return None
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found


def _rest(headers: Mapping[str, str]) -> float:
    """How long the bucket of a call stays empty (rate limits, header format)."""
    if headers.get("X-RateLimit-Remaining") != "0":
        return 0.0
    try:
        return min(max(0.0, float(headers.get("X-RateLimit-Reset-After", "0"))), 3600.0)
    except ValueError:
        return 0.0
