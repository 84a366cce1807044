"""Discord at its leanest: a gateway and the few routes an echo needs, the same for both sides."""

from __future__ import annotations

import asyncio
import itertools
import json
from datetime import UTC, datetime
from typing import Any, Self

from aiohttp import WSMsgType, web

from tests.bench.awaiting import Answers

__all__ = ["TOKEN", "Discord"]

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.measured.of-nobody-at-all-measured"  # of nobody
_ME: dict[str, Any] = {
    "id": "123456789012345678",
    "username": "measured",
    "discriminator": "0",
    "global_name": None,
    "avatar": None,
    "bot": True,
    "flags": 0,
    "verified": True,
    "mfa_enabled": False,
    "locale": "en-US",
}
_APP: dict[str, Any] = {
    "id": _ME["id"],
    "name": "measured",
    "flags": 1 << 18,
    "bot": _ME,
    "description": "",
    "icon": None,
    "rpc_origins": [],
    "bot_public": False,
    "bot_require_code_grant": False,
    "owner": _ME,
    "team": None,
    "verify_key": "0" * 64,
}
_FIRST, _CHANNELS, _PEOPLE = 1_300_000_000_000_000_000, 2_000_000, 3_000_000
_LIMITS = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
_DISPATCH, _HEARTBEAT, _IDENTIFY, _RESUME, _HELLO, _ACK = 0, 1, 2, 6, 10, 11


class Discord:
    """Sends each message to the one connection; takes whatever is answered.

    `tests/emulators/discord.py` is the strict one; this one refuses nothing and costs little.
    """

    def __init__(self) -> None:
        self._answers = Answers()
        self._numbers = itertools.count(1)
        self._seq = itertools.count(1)
        self._socket: web.WebSocketResponse | None = None
        self._up = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.base = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/link/", self._linked)
        app.router.add_post("/api/channels/{channel}/messages", self._posted)
        app.router.add_route("*", "/api/{path:.*}", self._called)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._socket is not None:
            await self._socket.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def gateway(self) -> str:
        """The address of the gateway."""
        return f"{self.base.replace('http', 'ws')}/link/"

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
        author = {"id": str(_PEOPLE + chat), "username": f"p{chat}", "discriminator": "0", "avatar": None}
        await self._tell("MESSAGE_CREATE", self._message(text, chat, author))

    def _message(self, text: str, chat: int, author: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": str(_FIRST + next(self._numbers)),
            "type": 0,
            "channel_id": str(_CHANNELS + chat),
            "channel_type": 1,
            "author": author,
            "content": text,
            "timestamp": datetime.now(UTC).isoformat(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "flags": 0,
            "components": [],
        }

    async def _tell(self, kind: str, data: dict[str, Any]) -> None:
        assert self._socket is not None
        await self._socket.send_str(json.dumps({"op": _DISPATCH, "t": kind, "s": next(self._seq), "d": data}))

    async def _posted(self, request: web.Request) -> web.Response:
        given = await request.json()
        chat = int(request.match_info["channel"]) - _CHANNELS
        self._answers.came(chat, given["content"])
        return _json(self._message(given["content"], chat, dict(_ME)))

    async def _called(self, request: web.Request) -> web.Response:
        path = request.match_info["path"]
        if path == "users/@me":
            return _json(_ME)
        if path in ("applications/@me", "oauth2/applications/@me"):
            return _json(_APP)
        if path.startswith("gateway"):
            return _json({"url": self.gateway, "shards": 1, "session_start_limit": _LIMITS})
        return _json([])

    async def _linked(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": _HELLO, "d": {"heartbeat_interval": 41_250}}))
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            opcode = json.loads(message.data)["op"]
            if opcode == _HEARTBEAT:
                await socket.send_str(json.dumps({"op": _ACK}))
            elif opcode in (_IDENTIFY, _RESUME):
                self._socket = socket
                await self._tell("READY", self._ready())
                self._up.set()
        return socket

    def _ready(self) -> dict[str, Any]:
        return {
            "v": 10,
            "user": _ME,
            "guilds": [],
            "session_id": "measured",
            "resume_gateway_url": self.gateway,
            "application": _APP,
            "private_channels": [],
            "shard": [0, 1],
        }


def _json(found: object) -> web.Response:
    """The library reads an answer as JSON only by this very type, without a charset."""
    return web.Response(body=json.dumps(found).encode(), headers={"Content-Type": "application/json"})
