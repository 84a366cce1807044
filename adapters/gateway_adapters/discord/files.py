"""Fetch a file beside a message: its address from the message as it is now, its bytes from Discord alone."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import aiohttp

from gateway.errors import AdapterError, FetchFailed, FileTooLarge
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.options import Options
from gateway_adapters.discord.shapes import MALFORMED, mapping, mappings

__all__ = ["Files"]

_HOME = re.compile(r"(\d{1,20})/(\d{1,20})/(\d{1,20})", re.ASCII)
_OFFICIAL = "discord.com"
_HOSTS = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
_CONNECT, _TOTAL = 10.0, 60.0  # seconds
_STEP = 65_536  # bytes


class Files:
    """One bot's downloads, on connections that hold no token."""

    def __init__(self, options: Options, api: Api) -> None:
        self._api = api
        own = urlsplit(options.api_base).hostname or ""
        self._hosts = _HOSTS if own == _OFFICIAL else _HOSTS | {own}
        self._is_local = own != _OFFICIAL
        self._proxy = options.proxy or None
        self._session: aiohttp.ClientSession | None = None

    async def fetch(self, file: str, *, limit: int) -> bytes:
        """The bytes of a file, as many as are taken.

        Raises:
            FileTooLarge: It has more.
            FetchFailed: Discord does not give it.
        """
        address = await self._address(file)
        problem = ""
        try:
            async with self._line().get(address, proxy=self._proxy, allow_redirects=False) as answer:
                if answer.status == 200:
                    return await _bounded(answer, limit)
                problem = str(answer.status)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as exc:
            problem = type(exc).__name__
        raise FetchFailed(f"Discord does not give the file ({problem})")

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def _address(self, file: str) -> str:
        """Where a file is now: an address is good for a day."""
        home = _HOME.fullmatch(file)
        if home is None:
            raise FetchFailed("this is no file of Discord's")
        channel, message, identity = home.groups()
        try:
            body = (await self._api.call("GET", f"/channels/{channel}/messages/{message}")).body
            found = {str(one["id"]): str(one["url"]) for one in mappings(mapping(body).get("attachments"))}
            address = urlsplit(found[identity])
        except (AdapterError, *MALFORMED) as exc:
            raise FetchFailed(f"Discord does not give the file ({type(exc).__name__})") from None
        safe = address.scheme == "https" or (self._is_local and address.scheme == "http")
        if not safe or address.hostname not in self._hosts:
            raise FetchFailed("the file is not on Discord's own hosts")
        return address.geturl()

    def _line(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=_TOTAL, connect=_CONNECT),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


async def _bounded(answer: aiohttp.ClientResponse, limit: int) -> bytes:
    pieces = bytearray()
    async for piece in answer.content.iter_chunked(_STEP):
        pieces += piece
        if len(pieces) > limit:
            raise FileTooLarge(f"the file has more than {limit} bytes")
    return bytes(pieces)
