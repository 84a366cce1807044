"""How Slack delivers: over the sockets of an app by turns, or by posts that are signed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

Json = dict[str, Any]

_RETRIED = "events_api"  # presses and slash commands are never sent again


@dataclass(slots=True)
class Envelope:
    """Something on its way.

    Attributes:
        tries: How often it was sent.
        sent_at: When it was sent last.
        over: The socket it went over last.
    """

    id: str
    kind: str
    payload: Json
    tries: int = 0
    sent_at: float = 0.0
    over: web.WebSocketResponse | None = None


@dataclass(slots=True)
class Delivery:
    """What waits for the app.

    Attributes:
        hook: Where it is posted to; empty for sockets.
        secret: What posts are signed with.
        pace: Seconds until something that was not acknowledged is sent again.
        retries: How often it is sent again, at most.
        keeps: Whether what comes while no socket stands is kept until one does; else it is lost.
        silent: Whether sockets stay open and nothing is sent over them, nor any ping answered.
        mute: Whether new sockets are not greeted.
        acknowledged: Ids of envelopes that were.
        lost: What was given up.
        posts: Every post as `(kind, status, headers)`.
        sockets: Those that stand.
        opened: How many ever were.
    """

    secret: str
    hook: str = ""
    pace: float = 0.2
    retries: int = 3
    keeps: bool = True
    silent: bool = False
    mute: bool = False
    acknowledged: list[str] = field(default_factory=list[str])
    lost: list[Envelope] = field(default_factory=list[Envelope])
    posts: list[tuple[str, int, dict[str, str]]] = field(
        default_factory=list[tuple[str, int, dict[str, str]]]
    )
    sockets: list[web.WebSocketResponse] = field(default_factory=list[web.WebSocketResponse])
    opened: int = 0
    waiting: dict[str, Envelope] = field(default_factory=dict[str, Envelope])
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _turn: int = 0
    _leaving: list[tuple[float, web.WebSocketResponse]] = field(
        default_factory=list[tuple[float, web.WebSocketResponse]]
    )

    def push(self, kind: str, payload: Json) -> str:
        """Deliver something soon; its id."""
        envelope = Envelope(f"envelope-{next(self._numbers)}", kind, payload)
        if not self.hook and not self.sockets and not self.keeps:
            self.lost.append(envelope)
        else:
            self.waiting[envelope.id] = envelope
        return envelope.id

    async def run(self) -> None:
        """Deliver until cancelled."""
        async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
            while True:
                now = time.monotonic()
                for envelope in [*self.waiting.values()]:
                    if envelope.tries and now - envelope.sent_at < self.pace:
                        continue
                    if envelope.tries > (self.retries if envelope.kind == _RETRIED else 0):
                        self._give_up(envelope)
                    elif self.hook:
                        envelope.tries, envelope.sent_at = envelope.tries + 1, now + 10.0
                        tasks.create_task(self._post(session, envelope))
                    elif self.sockets and not self.silent:
                        await self._send(envelope)
                for at, socket in [*self._leaving]:
                    if at <= now:
                        self._leaving.remove((at, socket))
                        tasks.create_task(_closed(socket))
                await asyncio.sleep(0.005)

    async def serve(self, request: web.Request, hello: Json) -> web.WebSocketResponse:
        """One socket until it is closed."""
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        self.sockets.append(socket)
        self.opened += 1
        if not self.mute:
            await socket.send_json({"type": "hello", "num_connections": len(self.sockets), **hello})
        try:
            async for message in socket:
                if message.type == aiohttp.WSMsgType.PING and not self.silent:
                    await socket.pong(message.data)
                elif message.type == aiohttp.WSMsgType.TEXT:
                    self._acknowledge(json.loads(message.data))
        finally:
            if socket in self.sockets:
                self.sockets.remove(socket)
        return socket

    async def disconnect(self, reason: str, *, index: int = 0, after: float = 0.0) -> None:
        """Tell a socket that it must go, hand it nothing more, and close it after some seconds."""
        socket = self.sockets.pop(index)
        self._leaving.append((time.monotonic() + after, socket))
        await socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {"host": "emulated"}})

    def _acknowledge(self, frame: Json) -> None:
        envelope = self.waiting.pop(frame.get("envelope_id", ""), None)
        if envelope is not None:
            self.acknowledged.append(envelope.id)

    def _give_up(self, envelope: Envelope) -> None:
        self.waiting.pop(envelope.id, None)
        self.lost.append(envelope)

    async def _send(self, envelope: Envelope) -> None:
        self._turn += 1
        socket = self.sockets[self._turn % len(self.sockets)]
        envelope.tries, envelope.sent_at = envelope.tries + 1, time.monotonic()
        again = {"retry_attempt": envelope.tries - 1, "retry_reason": "timeout" if envelope.tries > 1 else ""}
        frame = {
            "envelope_id": envelope.id,
            "type": envelope.kind,
            "payload": envelope.payload,
            "accepts_response_payload": envelope.kind != _RETRIED,
            **(again if envelope.kind == _RETRIED else {}),
        }
        try:
            await socket.send_json(frame)
        except ConnectionError:
            envelope.sent_at = 0.0

    async def _post(self, session: aiohttp.ClientSession, envelope: Envelope) -> None:
        body, headers = self.signed(envelope)
        if envelope.tries > 1:
            headers |= {"X-Slack-Retry-Num": str(envelope.tries - 1), "X-Slack-Retry-Reason": "http_error"}
        try:
            async with session.post(
                self.hook, data=body, headers=headers, timeout=aiohttp.ClientTimeout(total=3.0)
            ) as answer:
                await answer.read()
                status, told = answer.status, {key.lower(): value for key, value in answer.headers.items()}
        except (aiohttp.ClientError, TimeoutError):
            status, told = 0, {}
        self.posts.append((envelope.kind, status, told))
        if status == 200:
            self._acknowledge({"envelope_id": envelope.id})
        elif told.get("x-slack-no-retry") == "1":
            self._give_up(envelope)
        envelope.sent_at = time.monotonic()

    def signed(self, envelope: Envelope, *, at: float = 0.0) -> tuple[bytes, dict[str, str]]:
        """The body and headers of a post."""
        body, kind = _body(envelope)
        return body, self.sign(body, kind=kind, at=at)

    def sign(self, body: bytes, *, kind: str = "application/json", at: float = 0.0) -> dict[str, str]:
        """The headers of a post."""
        stamp = str(int(at or time.time()))
        told = b"v0:" + stamp.encode() + b":" + body
        made = hmac.new(self.secret.encode(), told, hashlib.sha256).hexdigest()
        return {
            "Content-Type": kind,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={made}",
        }


def _body(envelope: Envelope) -> tuple[bytes, str]:
    form = "application/x-www-form-urlencoded"
    match envelope.kind:
        case "interactive":
            return urlencode({"payload": json.dumps(envelope.payload)}).encode(), form
        case "slash_commands":
            return urlencode(envelope.payload, errors="surrogatepass").encode(), form
        case _:
            return json.dumps(envelope.payload).encode(), "application/json"


async def _closed(socket: web.WebSocketResponse) -> None:
    await socket.close()
