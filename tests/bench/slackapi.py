"""Slack at its leanest: Socket Mode and the few methods an echo needs, the same for both sides."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from typing import Any, Self

from aiohttp import WSMsgType, web

from tests.bench.awaiting import Answers

__all__ = ["APP_TOKEN", "TOKEN", "Slack"]

TOKEN, APP_TOKEN = "xoxb-1-measured", "xapp-1-measured"  # of nobody
_TEAM, _BOT = "T0MEASURED", "U0MEASURED"
_ME = {"url": "https://measured.example/", "team_id": _TEAM, "team": "T", "user": "bot", "user_id": _BOT}


class Slack:
    """Sends each message to the connection that was opened last; takes every acknowledgement.

    `tests/emulators/slack.py` is the strict one; this one refuses nothing and costs little.
    """

    def __init__(self) -> None:
        self._answers = Answers()
        self._numbers = itertools.count(1)
        self._sockets: list[web.WebSocketResponse] = []
        self._up = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.base = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/api/{method}", self._called)
        app.router.add_get("/link", self._linked)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        for socket in self._sockets:
            await socket.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def joined(self) -> None:
        """Until the bot listens."""
        async with asyncio.timeout(30.0):
            await self._up.wait()

    async def ask(self, text: str, *, chat: int) -> str:
        """One person writes and waits for the answer."""
        answer = self._answers.expect(chat)
        await self._say(text, chat)
        async with asyncio.timeout(30.0):
            return await answer

    async def burst(self, messages: int, *, chats: int) -> None:
        """Many people write at once; until every message is answered."""
        enough = self._answers.expect_many(messages)
        for number in range(messages):
            await self._say(f"message {number}", 1000 + number % chats)
        async with asyncio.timeout(120.0):
            await enough

    async def _say(self, text: str, chat: int) -> None:
        number = next(self._numbers)
        ts = f"{time.time():.0f}.{number:06d}"
        event = {
            "type": "message",
            "channel": f"D{chat:08d}",
            "channel_type": "im",
            "user": f"U{chat:08d}",
            "text": text,
            "ts": ts,
            "event_ts": ts,
            "team": _TEAM,
        }
        payload = {
            "type": "event_callback",
            "token": "unused",
            "team_id": _TEAM,
            "api_app_id": "A0MEASURED",
            "event_id": f"Ev{number:08d}",
            "event_time": int(time.time()),
            "authorizations": [{"team_id": _TEAM, "user_id": _BOT, "is_bot": True}],
            "event": event,
        }
        envelope = {
            "type": "events_api",
            "envelope_id": f"e-{number}",
            "accepts_response_payload": False,
            "payload": payload,
        }
        await self._sockets[-1].send_str(json.dumps(envelope))

    async def _called(self, request: web.Request) -> web.Response:
        method = request.match_info["method"]
        if method == "chat.postMessage":
            return web.json_response(self._posted(await _given(request)))
        return web.json_response({"ok": True, **self._other(method)})

    def _posted(self, given: dict[str, Any]) -> dict[str, Any]:
        ts = f"{time.time():.0f}.{next(self._numbers):06d}"
        self._answers.came(int(given["channel"][1:]), str(given.get("text", "")))
        message = {"type": "message", "user": _BOT, "ts": ts, "text": given.get("text", "")}
        return {"ok": True, "channel": given["channel"], "ts": ts, "message": message}

    def _other(self, method: str) -> dict[str, Any]:
        match method:
            case "auth.test":
                return {**_ME, "bot_id": "B0MEASURED", "is_enterprise_install": False}
            case "apps.connections.open":
                return {"url": f"{self.base.replace('http', 'ws')}/link"}
            case "users.info":
                return {"user": {"id": "U1", "locale": "en-US", "profile": {}}}
            case _:
                return {"messages": [], "channels": []}

    async def _linked(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(heartbeat=None, autoping=True)
        await socket.prepare(request)
        await socket.send_str(json.dumps({"type": "hello", "num_connections": 1}))
        self._sockets.append(socket)
        self._up.set()
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    break
        finally:
            self._sockets.remove(socket)
        return socket


async def _given(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return dict(await request.json())
    return dict(await request.post())
