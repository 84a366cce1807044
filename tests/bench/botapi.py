"""Telegram's Bot API at its leanest: the same cheap server for both sides, so that the bots are measured."""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import parse_qsl

import httptools

from tests.bench.awaiting import Answers

__all__ = ["TOKEN", "Platform"]

TOKEN = "123456789:AAMeasuredTokenOfThirtyFiveLetters__"
_ME = {"id": 123456789, "is_bot": True, "first_name": "Bot", "username": "measured_bot"}


class Platform:
    """Holds updates until they are confirmed, and resolves who waits for an answer.

    `tests/emulators/telegram.py` is the strict one; this one refuses nothing and costs little.
    """

    def __init__(self) -> None:
        self._answers = Answers()
        self._next = 1
        self._first = asyncio.Event()
        self._updates: list[dict[str, Any]] = []
        self._polling: list[asyncio.Future[None]] = []
        self._messages: dict[int, int] = defaultdict(int)
        self._server: asyncio.Server | None = None
        self._open: set[_Connection] = set()
        self.base = ""

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self, self._open), "127.0.0.1", 0)
        self.base = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._open):
            connection.abort()

    async def joined(self) -> None:
        """Until the bot is up, as its first poll shows."""
        async with asyncio.timeout(30.0):
            await self._first.wait()

    async def ask(self, text: str, *, chat: int) -> str:
        """One person writes and waits for the answer."""
        answer = self._answers.expect(chat)
        self._say(text, chat)
        async with asyncio.timeout(30.0):
            return await answer

    async def burst(self, messages: int, *, chats: int) -> None:
        """Many people write at once; until every message is answered."""
        enough = self._answers.expect_many(messages)
        for number in range(messages):
            self._say(f"message {number}", 1000 + number % chats)
        async with asyncio.timeout(120.0):
            await enough

    def _say(self, text: str, chat: int) -> None:
        self._messages[chat] += 1
        message = {
            "message_id": self._messages[chat],
            "date": int(time.time()),
            "chat": {"id": chat, "type": "private"},
            "from": {"id": chat, "is_bot": False, "first_name": "Person", "language_code": "en"},
            "text": text,
        }
        self._updates.append({"update_id": self._next, "message": message})
        self._next += 1
        for polling in self._polling:
            if not polling.done():
                polling.set_result(None)

    async def answer(self, method: str, params: Mapping[str, str]) -> object:
        """The result of one call."""
        match method:
            case "getme":
                return _ME
            case "getupdates":
                return await self._polled(int(params.get("offset") or 0), float(params.get("timeout") or 0))
            case "sendmessage":
                return self._sent(int(params["chat_id"]), params["text"])
            case _:
                return True

    async def _polled(self, offset: int, timeout: float) -> list[dict[str, Any]]:
        self._first.set()
        if offset:
            self._updates = [update for update in self._updates if update["update_id"] >= offset]
        if not self._updates and timeout:
            polling: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._polling.append(polling)
            await asyncio.wait([polling], timeout=timeout)
            self._polling.remove(polling)
        return self._updates[:100]

    def _sent(self, chat: int, text: str) -> dict[str, Any]:
        self._answers.came(chat, text)
        self._messages[chat] += 1
        chat_ = {"id": chat, "type": "private"}
        at = int(time.time())
        return {"message_id": self._messages[chat], "date": at, "chat": chat_, "from": _ME, "text": text}


class _Connection(asyncio.Protocol):
    """One keep-alive connection; one request at a time, as the HTTP clients of both sides send them."""

    def __init__(self, platform: Platform, opened: set[_Connection]) -> None:
        self._platform = platform
        self._opened = opened
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._answering: asyncio.Task[None] | None = None
        self._url = b""
        self._body = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._opened.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._opened.discard(self)
        if self._answering is not None:
            self._answering.cancel()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def abort(self) -> None:
        """Cut it."""
        if self._transport is not None:
            self._transport.abort()

    def on_message_begin(self) -> None:
        """A request starts; called by the parser."""
        self._url = self._body = b""

    def on_url(self, url: bytes) -> None:
        """A piece of the address; called by the parser."""
        self._url += url

    def on_body(self, body: bytes) -> None:
        """A piece of the parameters; called by the parser."""
        self._body += body

    def on_message_complete(self) -> None:
        """The request is whole; called by the parser."""
        self._answering = asyncio.get_running_loop().create_task(self._answer(self._url, self._body))

    async def _answer(self, url: bytes, body: bytes) -> None:
        method = url.decode().partition("?")[0].rpartition("/")[2].lower()
        result = await self._platform.answer(method, dict(parse_qsl(body.decode())))
        told = json.dumps({"ok": True, "result": result}).encode()
        if self._transport is not None:
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
            self._transport.write(head % len(told) + told)
