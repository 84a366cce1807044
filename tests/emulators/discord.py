"""A strict Discord on loopback: SimCord's model behind Discord's own wire, with what can go wrong on it."""

from __future__ import annotations

import asyncio
import base64
import fnmatch
import json
import re
import secrets
import socket
import struct
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, cast

from aiohttp import web

from tests.emulators.discord_gateway import Gateway
from tests.emulators.discord_world import BackendError, Json, Shown, World

__all__ = ["DiscordEmulator", "Fault", "Shown"]

_NONCES = 300.0  # seconds for which a nonce is known
_CONTENT = 1 << 19  # flag of an application that is handed message content
_OPEN = ("/interactions/", "/webhooks/", "/files/")  # what needs no token of the bot's
_NONCE = 25


@dataclass(slots=True)
class Fault:
    """What goes wrong with one call.

    Attributes:
        status: Answered instead of doing anything; 0 for 500.
        code: Discord's own, in the body.
        retry_after: Seconds to wait, in the body.
        everywhere: Whether that holds for every call of the bot's.
        via: Whether the answer is marked as that of Discord's own servers.
        after: Whether the call is carried out before it goes wrong.
        cut: Whether the connection is reset instead of an answer.
        hold: Awaited before the answer.
        delay: Seconds before the answer.
        passes: Whether this call goes through, after its delay and hold.
        raw: Answered as it is, as a web page.
    """

    status: int = 0
    code: int = 0
    message: str = "500: Internal Server Error"
    retry_after: float = 0.0
    everywhere: bool = False
    via: bool = True
    after: bool = False
    cut: bool = False
    hold: asyncio.Event | None = None
    delay: float = 0.0
    passes: bool = False
    raw: str = ""


class DiscordEmulator:
    """One bot's Discord, with the side people see.

    Attributes:
        world: What people see and do.
        gateway: Where events come from.
        calls: Every call as `(method, path, body)`, in the order of arrival.
        per_bucket: Messages that a channel takes in five seconds; 0 for any number.
        starts_left: New sessions that are granted.
        files: What can be fetched beside messages, by name.
        unauthorised_fetches: How often a file was fetched by somebody who showed no token.
    """

    def __init__(self) -> None:
        self.world = World()
        head = base64.urlsafe_b64encode(str(self.world.backend.application_id).encode()).decode().rstrip("=")
        self.token = f"{head}.Gx4mpl.e5ecret-half-{secrets.token_hex(8)}"
        self._changed = asyncio.Event()
        self.gateway = Gateway(self.world, self.token, self._wake)
        self.calls: list[tuple[str, str, Any]] = []
        self.per_bucket = 0
        self.starts_left = 1000
        self.files: dict[str, bytes] = {}
        self.unauthorised_fetches = 0
        self._faults: dict[str, list[Fault]] = defaultdict(list)
        self._nonces: dict[tuple[str, str], tuple[float, Json]] = {}
        self._spent: dict[str, list[float]] = defaultdict(list)
        self._runner: web.AppRunner | None = None
        self.port = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/gw/", self.gateway.serve)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = int(self._runner.addresses[0][1])
        self.gateway.url = f"ws://127.0.0.1:{self.port}/gw"
        return self

    async def __aexit__(self, *_: object) -> None:
        for session in self.gateway.sessions:
            if session.ws is not None:
                await session.ws.close(code=4000)
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def base(self) -> str:
        """For `api_base`."""
        return f"http://127.0.0.1:{self.port}/api/v10"

    def texts(self, channel: int = 0) -> list[str]:
        """The bot's messages in a channel, as people read them; "thinking" is none."""
        return [shown.text for shown in self.world.shown(channel) if not shown.loading]

    def sent(self, method: str, pattern: str) -> list[Any]:
        """The bodies of every call of a kind; the pattern is a shell's."""
        return [body for how, path, body in self.calls if how == method and fnmatch.fnmatch(path, pattern)]

    def fail(self, method: str, pattern: str, *faults: Fault) -> None:
        """Spoil the next calls of a kind, one fault each."""
        self._faults[f"{method} {pattern}"] += faults

    def pass_time(self, seconds: float) -> None:
        """Let time pass on Discord's side."""
        self.world.backend.advance_clock(seconds)

    async def until(self, holds: Callable[[], object], *, timeout: float = 15.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout):
            while not holds():
                try:
                    async with asyncio.timeout(0.05):
                        await self._changed.wait()
                except TimeoutError:
                    pass
                self._changed.clear()

    def _wake(self) -> None:
        self._changed.set()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v10")
        if path == request.path:
            return _json(404, {"message": "404: Not Found", "code": 0})
        raw = await request.read()
        if raw and request.content_type != "application/json":
            return _json(400, {"message": "Expected application/json", "code": 50109})
        body: Any = json.loads(raw) if raw else None
        self.calls.append((request.method, path, body))
        if not path.startswith(_OPEN) and request.headers.get("Authorization") != f"Bot {self.token}":
            return _json(401, {"message": "401: Unauthorized", "code": 0})
        fault = self._fault(request.method, path)
        try:
            if fault is None and path.startswith("/files/"):
                return self._file(request, path)
            if fault is None:
                return self._done(request.method, path, body, dict(request.query))
            return await self._spoilt(fault, request, path, body)
        finally:
            self._wake()

    def _file(self, request: web.Request, path: str) -> web.Response:
        self.unauthorised_fetches += "Authorization" not in request.headers
        return web.Response(body=self.files[path.removeprefix("/files/")], content_type="image/png")

    def _fault(self, method: str, path: str) -> Fault | None:
        for kind, faults in self._faults.items():
            how, _, pattern = kind.partition(" ")
            if faults and how == method and fnmatch.fnmatch(path, pattern):
                return faults.pop(0)
        return None

    def _done(self, method: str, path: str, body: Any, query: Json) -> web.Response:
        bucket, wait = self._bucket(method, path)
        if wait:
            slowed = {"message": "You are being rate limited.", "retry_after": wait, "global": False}
            return _json(429, slowed, bucket | {"Retry-After": str(int(wait) + 1)})
        try:
            found = self._known(method, path, body)
            found = self._carried_out(method, path, body, query) if found is None else found
        except BackendError as exc:
            return _json(exc.status, exc.to_json(), bucket)
        if method == "POST" and re.fullmatch(r"/channels/\d+/messages", path) and "nonce" in body:
            self._nonces.setdefault((path, body["nonce"]), (time.monotonic(), found))
        if found is None:
            return web.Response(status=204, headers=bucket)
        return _json(200, found, bucket)

    def _carried_out(self, method: str, path: str, body: Any, query: Json) -> Any:
        backend = self.world.backend
        if path == "/applications/@me":
            flags = _CONTENT if self.gateway.content_approved else 0
            return {"id": str(backend.application_id), "flags": flags, "approximate_guild_count": 1}
        if path == "/gateway/bot":
            limit = {"total": 1000, "remaining": self.starts_left, "reset_after": 1000, "max_concurrency": 1}
            self.starts_left = max(0, self.starts_left - 1) or (1000 if not self.starts_left else 0)
            return {"url": self.gateway.url, "shards": 1, "session_start_limit": limit}
        return self.world.call(method, path, body=body, params=query, content=self.gateway.content_approved)

    def _known(self, method: str, path: str, body: Any) -> Json | None:
        """The message that a nonce was used for within minutes."""
        told = cast("Json", body) if isinstance(body, dict) else {}
        if method != "POST" or not told.get("enforce_nonce"):
            return None
        nonce = told.get("nonce")
        if not isinstance(nonce, str) or len(nonce) > _NONCE:
            raise BackendError(400, 50035, "Invalid Form Body")
        at, message = self._nonces.get((path, nonce), (0.0, None))
        return message if message is not None and time.monotonic() - at < _NONCES else None

    def _bucket(self, method: str, path: str) -> tuple[dict[str, str], float]:
        """The headers of a bucket, and how long it stays empty."""
        marks = {"Via": "1.1 google", "X-RateLimit-Bucket": "abcd1234"}
        if not self.per_bucket or not re.fullmatch(r"/channels/\d+/messages(/\d+)?", path):
            return marks | {"X-RateLimit-Remaining": "4", "X-RateLimit-Reset-After": "5.000"}, 0.0
        key = f"{method} {path.split('/messages', maxsplit=1)[0]}"
        now = time.monotonic()
        spent = self._spent[key] = [at for at in self._spent[key] if at > now - 5.0]
        if len(spent) >= self.per_bucket:
            return marks | {"X-RateLimit-Remaining": "0"}, spent[0] + 5.0 - now
        spent.append(now)
        left = {
            "X-RateLimit-Limit": str(self.per_bucket),
            "X-RateLimit-Remaining": str(self.per_bucket - len(spent)),
            "X-RateLimit-Reset-After": f"{spent[0] + 5.0 - now:.3f}",
        }
        return marks | left, 0.0

    async def _spoilt(self, fault: Fault, request: web.Request, path: str, body: Any) -> web.StreamResponse:
        query = dict(request.query)
        done = self._done(request.method, path, body, query) if fault.after else None
        self._wake()
        await asyncio.sleep(fault.delay)
        if fault.hold is not None:
            await fault.hold.wait()
        if fault.passes:
            return done or self._done(request.method, path, body, query)
        if fault.cut:
            _reset(request)
            return web.Response()
        marks = {"Via": "1.1 google"} if fault.via else {}
        if fault.raw:
            return web.Response(status=fault.status or 502, text=fault.raw, content_type="text/html")
        told: Json = {"message": fault.message, "code": fault.code}
        if fault.retry_after:
            told |= {"retry_after": fault.retry_after, "global": fault.everywhere}
            marks["Retry-After"] = str(int(fault.retry_after))
        return _json(fault.status or 500, told, marks)


def _json(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    """An answer whose type is spelt as Discord spells it, without a charset."""
    kind = {"Content-Type": "application/json"}
    return web.Response(status=status, body=json.dumps(body).encode(), headers=(headers or {}) | kind)


def _reset(request: web.Request) -> None:
    """Close with a reset, as a broken network does."""
    transport = request.transport
    if transport is not None:
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
