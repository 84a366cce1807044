"""Fetch a file beside a message: its path from the Bot API, its bytes from the same host."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import cast

import httpx

from gateway.errors import AdapterError, FetchFailed, FileTooLarge
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.options import Options

__all__ = ["Files"]

_PATH = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)
_CONNECT, _READ = 10.0, 30.0  # seconds


class Files:
    """One bot's downloads.

    The token stands in the address, so no error of the library leaves here.
    """

    def __init__(self, options: Options, api: Api) -> None:
        self._api = api
        self._base = f"{options.api_base.rstrip('/')}/file/bot{options.token.get_secret_value()}"
        self._proxy = options.proxy or None
        self._client: httpx.AsyncClient | None = None

    async def fetch(self, file_id: str, *, limit: int) -> bytes:
        """The bytes of a file, as many as are taken.

        Raises:
            FileTooLarge: It has more.
            FetchFailed: Telegram does not give it.
        """
        path = await self._path(file_id)
        problem = ""
        try:
            async with self._line().stream("GET", f"{self._base}/{path}", follow_redirects=False) as answer:
                if answer.status_code == HTTPStatus.OK.value:
                    return await _bounded(answer, limit)
                problem = str(answer.status_code)
        except httpx.HTTPError as exc:
            problem = type(exc).__name__
        raise FetchFailed(f"Telegram does not give the file ({problem})")

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _path(self, file_id: str) -> str:
        try:
            found: object = await self._api.call("getFile", {"file_id": file_id})
        except AdapterError as exc:
            if "too big" in getattr(exc, "status", "").lower():
                raise FileTooLarge("Telegram gives bots no file as large as this") from None
            raise FetchFailed(f"Telegram does not give the file ({type(exc).__name__})") from None
        path = cast("dict[str, object]", found).get("file_path") if isinstance(found, dict) else None
        if not isinstance(path, str) or ".." in path or _PATH.fullmatch(path) is None:
            raise FetchFailed("Telegram gave no path for the file")
        return path

    def _line(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(_READ, connect=_CONNECT)
            self._client = httpx.AsyncClient(proxy=self._proxy, timeout=timeout, trust_env=False)
        return self._client


async def _bounded(answer: httpx.Response, limit: int) -> bytes:
    pieces = bytearray()
    async for piece in answer.aiter_bytes():
        pieces += piece
        if len(pieces) > limit:
            raise FileTooLarge(f"the file has more than {limit} bytes")
    return bytes(pieces)
