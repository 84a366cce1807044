"""How requests reach the Bot API: aiohttp under python-telegram-bot's request layer, httpx through a proxy.

python-telegram-bot lets the HTTP library be replaced (`telegram.request.BaseRequest`). Its own choice looks
at every connection of the pool, with a system call each, whenever a request begins or ends: with a few in
flight that is most of what a message costs, and each pool loads the root certificates anew. aiohttp knows no
SOCKS, nor all variables by which an environment names a proxy, so bots behind one stay with httpx.
"""

from __future__ import annotations

import time
import urllib.parse
import urllib.request

import aiohttp
import httpx
from telegram.error import NetworkError
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from gateway.abc.dates import Dates

__all__ = ["DirectRequest", "request_for"]

_CONNECT, _WRITE = 10.0, 20.0  # seconds
_FORM = "application/x-www-form-urlencoded"


def request_for(base: str, dates: Dates, *, proxy: str, pool: int, read: float, wait: float) -> BaseRequest:
    """The request layer of one connection pool.

    Args:
        base: The Bot API server.
        dates: Is shown the dates of answers.
        proxy: The proxy's URL; empty for what the environment says, most often none.
        pool: Connections at once.
        read: Seconds an answer may take.
        wait: Seconds a request may wait for a connection.
    """
    if not proxy and not _environment_proxies(base):
        return DirectRequest(dates, pool=pool, read=read, wait=wait)

    async def dated(answer: httpx.Response) -> None:
        dates.answered(answer.headers.get("date"), began=time.monotonic())

    return HTTPXRequest(
        connection_pool_size=pool,
        connect_timeout=_CONNECT,
        read_timeout=read,
        write_timeout=_WRITE,
        pool_timeout=wait,
        proxy=proxy or None,
        httpx_kwargs={"event_hooks": {"response": [dated]}},
    )


class DirectRequest(BaseRequest):
    """One pool of connections straight to the server.

    The library's time-outs of single calls are not looked at: each pool has one kind of call.
    """

    __slots__ = ("_closed", "_dates", "_pool", "_read", "_session", "_wait")

    def __init__(self, dates: Dates, *, pool: int, read: float, wait: float) -> None:
        self._dates = dates
        self._pool = pool
        self._read = read
        self._wait = wait
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    @property
    def read_timeout(self) -> float:
        """Seconds an answer may take."""
        return self._read

    async def initialize(self) -> None:
        """Open the pool."""
        self._connections()

    async def shutdown(self) -> None:
        """Close the pool."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        *_: object,
        **__: object,
    ) -> tuple[int, bytes]:
        """One request: the status and the body of its answer.

        Raises:
            NetworkError: No answer came; its cause is aiohttp's.
        """
        body = urllib.parse.urlencode(request_data.json_parameters).encode() if request_data else b""
        began = time.monotonic()
        try:
            async with self._connections().request(
                method, url, data=body, headers={"Content-Type": _FORM}, allow_redirects=False
            ) as answer:
                read = await answer.read()
                self._dates.answered(answer.headers.get("Date"), began=began)
                return answer.status, read
        except (aiohttp.ClientError, OSError, TimeoutError, RuntimeError, UnicodeError) as exc:
            raise NetworkError(type(exc).__name__) from exc

    def _connections(self) -> aiohttp.ClientSession:
        """The pool, made where a loop runs; once closed it stays so."""
        if self._closed:
            raise RuntimeError("the connections are closed")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._pool),
                timeout=aiohttp.ClientTimeout(
                    total=self._wait + _CONNECT + _WRITE + self._read,
                    connect=self._wait,
                    sock_connect=_CONNECT,
                    sock_read=self._read,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
            )
        return self._session


def _environment_proxies(base: str) -> bool:
    """Whether the environment names a proxy for the server."""
    address = urllib.parse.urlsplit(base)
    named = urllib.request.getproxies()
    if address.scheme not in named and "all" not in named:
        return False
    return not urllib.request.proxy_bypass(address.netloc)
