"""The Web API as plain calls: slack_sdk's client on one shared session, our errors."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, cast

import aiohttp
from pydantic import SecretStr
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from gateway.abc.dates import Dates
from gateway.errors import AdapterError, Uncertain, Unreachable
from gateway_adapters.slack.errors import ODD, ours
from gateway_adapters.slack.options import Options
from gateway_adapters.slack.quiet import hush
from gateway_adapters.slack.shapes import MALFORMED, Json

__all__ = ["Api"]

_WHOLE, _CONNECT = 25.0, 10.0  # seconds
_SHOWN = 8.0  # seconds for what an answer does without
_CONNECTIONS = 32
_PING = 10.0  # seconds between two pings on a socket; half of it more without an answer, and it is dead
_FRAME = 4 * 1024 * 1024  # bytes of one envelope
_CLOSING = 0.4  # seconds for Slack to close too, which it does not always
_BROKEN = (SlackClientError, aiohttp.ClientError, OSError, *MALFORMED)


class _Response(Protocol):
    """What the library answers with, which it does not say."""

    @property
    def data(self) -> object: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


class _Client(Protocol):
    async def api_call(
        self, api_method: str, *, json: dict[str, Any] | None, data: dict[str, Any] | None
    ) -> _Response: ...


class Api:
    """One bot's calls.

    The library's client opens a connection for each call unless it is given a session, and sends again by
    itself what may have been taken unless it is told not to; neither happens here. An error that leaves here
    has none of the library's behind it, which holds the request and so the token.

    Attributes:
        dates: What answers say of the time.
        granted: What the bot token may do, as far as Slack has told.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._session: aiohttp.ClientSession | None = None
        self._closed = False
        self._clients: dict[str, AsyncWebClient] = {}  # by token
        self.dates = Dates()
        self.granted: frozenset[str] = frozenset()

    async def call(self, method: str, params: dict[str, Any]) -> Json:
        """One method that takes JSON; its answer.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        return await self._asked(method, self._options.token, json=params)

    async def read(self, method: str, params: dict[str, Any]) -> Json:
        """One method that only reads, and takes a form.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        return await self._asked(method, self._options.token, data=params)

    async def show(self, method: str, params: dict[str, Any]) -> Json:
        """One method for what an answer does without: a status, growing text.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        try:
            async with asyncio.timeout(_SHOWN):
                return await self.call(method, params)
        except TimeoutError:
            raise Uncertain("Slack takes too long", status=method) from None

    async def socket_url(self) -> str:
        """Where a socket can be opened; good for one.

        Raises:
            AdapterError: In the member of the family that fits.
        """
        told = await self._asked("apps.connections.open", self._options.app_token, data={})
        url = told.get("url")
        if not isinstance(url, str):
            raise Uncertain(ODD, status="apps.connections.open")
        return url

    async def socket(self, url: str) -> aiohttp.ClientWebSocketResponse:
        """Open a socket, which ends by itself when the other side is silent.

        Raises:
            AdapterError: It could not be opened.
        """
        failure: AdapterError
        try:
            async with asyncio.timeout(_CONNECT):
                return await self._shared().ws_connect(
                    url,
                    heartbeat=_PING,
                    proxy=self._options.proxy or None,
                    max_msg_size=_FRAME,
                    timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSING),  # pyright: ignore[reportCallIssue]  # attrs
                )
        except _BROKEN as exc:
            failure = Unreachable("the socket could not be opened", status=type(exc).__name__)
        raise failure

    async def respond(self, url: str, body: dict[str, Any]) -> None:
        """Post to the address that came with a press or a slash command.

        Raises:
            AdapterError: It is used up, or Slack could not be reached.
        """
        failure: AdapterError
        try:
            async with self._shared().post(url, json=body, proxy=self._options.proxy or None) as answer:
                if answer.status == 200:
                    return
                failure = Uncertain("Slack did not take the response", status=str(answer.status))
        except _BROKEN as exc:
            failure = ours(exc)
        raise failure

    def client(self) -> AsyncWebClient:
        """The library's client for the bot token, on the shared session."""
        return self._client(self._options.token.get_secret_value())

    def download(self, url: str) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """Ask for a file with the bot's token; whose address it is, the caller made sure of."""
        return self._shared().get(
            url,
            headers={"Authorization": f"Bearer {self._options.token.get_secret_value()}"},
            allow_redirects=False,
            proxy=self._options.proxy or None,
        )

    async def close(self) -> None:
        """Close every connection."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    async def _asked(
        self,
        method: str,
        token: SecretStr,
        *,
        json: dict[str, Any] | None = None,
        data: dict[str, Any] | None = None,
    ) -> Json:
        failure: AdapterError
        try:
            client = cast("_Client", self._client(token.get_secret_value()))
            began = time.monotonic()
            response = await client.api_call(method, json=json, data=data)
            told = response.data
            self.dates.answered(response.headers.get("Date"), began=began)
            self._note_scopes(response.headers)
        except _BROKEN as exc:
            failure = ours(exc)
        else:
            if isinstance(told, dict):
                return cast("Json", told)
            failure = Uncertain(ODD, status=type(told).__name__)
        raise failure

    def _note_scopes(self, headers: Mapping[str, str]) -> None:
        """Remember what the bot token may do, which Slack tells beside every answer to it."""
        told = headers.get("x-oauth-scopes", "")
        scopes = frozenset(scope.strip() for scope in told.split(",") if scope.strip())
        if scopes and "connections:write" not in scopes:
            self.granted = scopes

    def _client(self, token: str) -> AsyncWebClient:
        session = self._shared()
        if token in self._clients:
            return self._clients[token]
        client = AsyncWebClient(
            token,
            base_url=f"{self._options.api_base.rstrip('/')}/",
            session=session,
            retry_handlers=[],
            logger=hush("slack_sdk.web.async_client"),
        )
        client.proxy = self._options.proxy or None  # the library takes one from the environment by itself
        return self._clients.setdefault(token, client)

    def _shared(self) -> aiohttp.ClientSession:
        if self._closed:
            raise Unreachable("the connection to Slack is closed", status="closed")
        if self._session is None or self._session.closed:
            self._clients.clear()
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
                timeout=aiohttp.ClientTimeout(total=_WHOLE, sock_connect=_CONNECT),
            )
        return self._session
