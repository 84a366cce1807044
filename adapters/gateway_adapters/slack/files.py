"""Files that people send: Slack names an address, which takes the bot's token and is Slack's own."""

from __future__ import annotations

import asyncio
from typing import cast
from urllib.parse import urlsplit

import aiohttp

from gateway.errors import AdapterError, FetchFailed, FileTooLarge, Unreachable
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.options import Options
from gateway_adapters.slack.shapes import MALFORMED, mapping, whole

__all__ = ["Files"]

_SECONDS = 60.0
_CHUNK = 65_536
_OWN = (".slack.com", ".slack-gov.com", ".slack-files.com", ".slack-edge.com")


class Files:
    """One bot's way to files."""

    def __init__(self, api: Api, options: Options) -> None:
        self._api = api
        self._home = urlsplit(options.api_base)

    async def fetch(self, file_id: str, *, limit: int) -> bytes:
        """The bytes of a file, as many as are taken.

        Raises:
            FileTooLarge: It has more.
            FetchFailed: Slack does not give it, or it lies somewhere else.
        """
        url = await self._address(file_id)
        problem = ""
        try:
            async with asyncio.timeout(_SECONDS), self._api.download(url) as answer:
                # Where the token may not read files, Slack shows a page to log in on, with a 200.
                if answer.status == 200 and answer.content_type != "text/html":
                    return await _bounded(answer, limit)
                problem = f"{answer.status} {answer.content_type}"
        except (Unreachable, aiohttp.ClientError, OSError, TimeoutError) as exc:
            problem = type(exc).__name__
        raise FetchFailed(f"Slack does not give the file ({problem}); the scope files:read is needed")

    async def _address(self, file_id: str) -> str:
        try:
            told = await self._api.read("files.info", {"file": file_id})
            file = mapping(told["file"])
        except (AdapterError, *MALFORMED) as exc:
            word = cast("object", getattr(exc, "status", "")) or type(exc).__name__
            raise FetchFailed(f"Slack does not tell where the file is ({word})") from None
        url = whole(file.get("url_private_download")) or whole(file.get("url_private"))
        if not self._is_slacks(url):
            raise FetchFailed("the file lies outside of Slack")
        return url

    def _is_slacks(self, url: str) -> bool:
        """Whether an address may be shown the token."""
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            if (parts.scheme, parts.netloc) == (self._home.scheme, self._home.netloc):
                return True
        except ValueError:
            return False
        return parts.scheme == "https" and parts.port in (None, 443) and f".{host}".endswith(_OWN)


async def _bounded(answer: aiohttp.ClientResponse, limit: int) -> bytes:
    if (answer.content_length or 0) > limit:
        raise FileTooLarge(f"the file has more than {limit} bytes")
    kept = bytearray()
    async for chunk in answer.content.iter_chunked(_CHUNK):
        kept += chunk
        if len(kept) > limit:
            raise FileTooLarge(f"the file has more than {limit} bytes")
    return bytes(kept)
