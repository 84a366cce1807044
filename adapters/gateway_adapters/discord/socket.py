"""One connection for events: discord.py's own, except that a number counts only once it is kept.

discord.py greets, identifies or resumes, keeps the line alive, unpacks, and reads close codes. Dispatches do
not reach its parsers, which count before anything is kept and end at the first they cannot read.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

import aiohttp
from yarl import URL

from gateway_adapters.discord.client import Client
from gateway_adapters.discord.library import (
    ConnectionClosed,
    DiscordWebSocket,
    KeepAliveHandler,
    ReconnectWebSocket,
)

__all__ = ["Dispatch", "Ended", "Socket", "connect"]

_GREETING = 20.0  # seconds within which Discord says hello and is answered
_WAITING = 10_000  # dispatches read ahead of those that are kept
_SLOWEST, _FASTEST = 50.0, 0.01  # seconds between two heartbeats; discord.py's patience is 60
_UNANSWERED = 2  # heartbeats without an answer before a line is taken for dead
_LAST_BEAT = 1.0  # seconds that the thread of a connection's heartbeats has to end


class _Garbled(Exception):
    """What arrived cannot be unpacked or gone on with: only another connection helps."""


_ENDS = (ConnectionClosed, ReconnectWebSocket, _Garbled, aiohttp.ClientError, OSError)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """An event as it came.

    Attributes:
        kind: Its name; empty for a frame nobody can read.
        data: What it carries, decoded.
        seq: Its number in the session; 0 for none.
    """

    kind: str
    data: object
    seq: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Ended:
    """How a connection ended.

    Attributes:
        code: The close code; 0 where the line broke.
        asked: Whether Discord asked for another connection at once.
        lost: Whether the session is over and what it held is gone.
    """

    code: int = 0
    asked: bool = False
    lost: bool = False


class Socket(DiscordWebSocket):
    """One connection until it ends.

    `sequence`, which heartbeats carry, is set by whoever keeps what `dispatches` hands on, so Discord never
    hears of a dispatch that was not kept.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(socket, loop=loop)
        self.dispatches: asyncio.Queue[Dispatch | None] = asyncio.Queue(_WAITING)
        self._ahead: list[Dispatch | None] = []  # taken, but not handed on
        self._beating: KeepAliveHandler | None = None
        self._unanswered = 0
        self._asked = False

    @property
    def greeted(self) -> bool:
        """Whether Discord said hello."""
        return self._beating is not None

    async def run(self) -> Ended:
        """Hand on dispatches, at their end `None`."""
        try:
            ended = await self._polled()
        finally:
            await self.hang_up()
        await self.dispatches.put(None)
        return ended

    async def arrived(self, kinds: Collection[str], most: int) -> list[Dispatch]:
        """The next dispatch, with those of these kinds that stand right behind it; none at the end."""
        first = self._ahead.pop() if self._ahead else await self.dispatches.get()
        if first is None:
            return []
        together = [first]
        while first.kind in kinds and len(together) < most and not self.dispatches.empty():
            ahead = self.dispatches.get_nowait()
            if ahead is None or ahead.kind not in kinds:
                self._ahead.append(ahead)
                break
            together.append(ahead)
        return together

    async def hang_up(self) -> None:
        """End the connection, not its session: discord.py's code leaves it open, as 1000 would not."""
        await self.close()
        if self._beating is not None:
            await asyncio.to_thread(self._beating.join, _LAST_BEAT)

    def ended(self, exc: BaseException | None) -> Ended:
        """What it means that the connection ended, and by which error."""
        is_ours = self._close_code is not None
        code = 0 if is_ours else self.socket.close_code or 0
        lost = isinstance(exc, ReconnectWebSocket) and not exc.resume
        return Ended(code, asked=self._asked, lost=lost)

    async def received_message(self, msg: str | bytes, /) -> None:
        """Hand a dispatch on; anything else is discord.py's to handle."""
        text = self._unpacked(msg) if isinstance(msg, bytes) else msg
        if text is None:
            return
        raw = text.encode("utf-8", "surrogatepass")
        frame = _decoded(raw)
        match frame.get("op"):
            case self.DISPATCH:
                if self._keep_alive is not None:
                    self._keep_alive.tick()
                await self.dispatches.put(_dispatch(frame, raw))
            case self.HELLO if self._beating is None:
                await self._hello(frame.get("d"))
            case self.HEARTBEAT | self.HEARTBEAT_ACK | self.RECONNECT | self.INVALIDATE_SESSION as op:
                await self._told(op, frame.get("d"))
            case _:
                await self.dispatches.put(Dispatch("", None, 0, raw))

    async def send_heartbeat(self, data: object) -> None:
        """Keep the line alive, or leave one that answers no more; called by discord.py's thread."""
        if self._unanswered >= _UNANSWERED:
            await self.close()
            return
        self._unanswered += 1
        await super().send_heartbeat(data)

    async def _polled(self) -> Ended:
        try:
            while True:
                await self.poll_event()
        except _ENDS as exc:
            return self.ended(exc)

    async def _hello(self, data: object) -> None:
        try:
            interval = float(cast("Mapping[str, Any]", data)["heartbeat_interval"]) / 1000
        except (ArithmeticError, LookupError, TypeError, ValueError):
            raise _Garbled from None
        # Not a number becomes the slowest.
        interval = max(interval, _FASTEST) if interval < _SLOWEST else _SLOWEST
        await self._handled(self.HELLO, {"heartbeat_interval": interval * 1000})
        self._beating = self._keep_alive

    async def _told(self, op: int, data: object) -> None:
        if op == self.HEARTBEAT_ACK:
            self._unanswered = 0
        self._asked = op in (self.RECONNECT, self.INVALIDATE_SESSION)
        await self._handled(op, data is True)

    async def _handled(self, op: int, data: object) -> None:
        """Let discord.py do what a frame asks for, of which it sees no more than that."""
        await super().received_message(json.dumps({"op": op, "d": data}))

    def _unpacked(self, packed: bytes) -> str | None:
        """What was packed; `None` for a part of it."""
        try:
            return self._decompressor.decompress(packed)
        except Exception as exc:
            # Each way of packing has errors of its own, and after one the stream cannot be gone on with.
            raise _Garbled from exc


async def connect(client: Client, url: str, *, session: str, seq: int) -> Socket | Ended:
    """Connect, and begin a session or go on with one; how that ended where it came to nothing.

    Args:
        client: For this connection alone.
        url: Where the gateway is.
        session: The one to go on with; empty for a new one.
        seq: The number of the last dispatch that was kept of it.

    Raises:
        AdapterError: The connection did not come about.
    """
    try:
        async with asyncio.timeout(_GREETING):
            socket = await Socket.from_client(
                client.as_discord(),
                gateway=URL(f"{url.rstrip('/')}/"),
                session=session or None,
                sequence=seq if session else None,
                resume=bool(session),
            )
    except _ENDS as exc:
        return await _left(client, exc)
    except BaseException as exc:
        await _left(client, exc)
        raise
    return socket if socket.greeted else await _left(client)


async def _left(client: Client, exc: BaseException | None = None) -> Ended:
    """Leave what was connected to no end."""
    socket = client.socket
    if not isinstance(socket, Socket):
        return Ended()
    ended = socket.ended(exc)
    await socket.hang_up()
    return ended


def _decoded(raw: bytes) -> dict[str, Any]:
    try:
        frame: object = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", frame) if isinstance(frame, dict) else {}


def _dispatch(frame: dict[str, Any], raw: bytes) -> Dispatch:
    kind, seq = frame.get("t"), frame.get("s")
    return Dispatch(
        kind if isinstance(kind, str) else "",
        frame.get("d"),
        seq if isinstance(seq, int) and not isinstance(seq, bool) else 0,
        raw,
    )
