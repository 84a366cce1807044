"""One connection for events: greet, keep alive, hand on what comes, say how it ended.

Names and numbers are those of Discord's gateway (API 10, opcodes and close codes, read 2026-11).
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import aiohttp

__all__ = ["LEAVING", "Dispatch", "Ended", "Opcode", "Socket"]

LEAVING = 4900
"""Closes a connection and leaves its session to be resumed, as 1000 and 1001 would not."""

_ZOMBIE = 4901  # closes one that answers no more
_GREETING = 20.0  # seconds within which Discord says hello
_WAITING = 10_000  # dispatches read ahead of those that are kept
_SLOWEST, _FASTEST = 120.0, 0.01  # seconds between two heartbeats
_FRAMES = (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY)


class Opcode:
    """What a frame is."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    RESUME = 6
    RECONNECT = 7
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


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


class Socket:
    """One connection until it ends.

    A heartbeat carries the number of the last dispatch that was kept, so Discord never hears of one that was
    not.

    Args:
        ws: The connection.
        kept: The number of the last dispatch that was kept; `None` before the first.
    """

    def __init__(self, ws: aiohttp.ClientWebSocketResponse, *, kept: Callable[[], int | None]) -> None:
        self._ws = ws
        self._kept = kept
        self._answered = True
        self.dispatches: asyncio.Queue[Dispatch | None] = asyncio.Queue(_WAITING)

    async def run(self, opening: Callable[[], dict[str, Any]]) -> Ended:
        """Greet with `opening`, then hand on dispatches, at their end `None`."""
        try:
            ended = await self._conversed(opening)
        finally:
            await self.hang_up()
        await self.dispatches.put(None)
        return ended

    async def hang_up(self) -> None:
        """End the connection, not its session."""
        await self._ws.close(code=LEAVING)

    async def _conversed(self, opening: Callable[[], dict[str, Any]]) -> Ended:
        interval = await self._hello()
        if interval is None:
            return Ended(self._ws.close_code or 0)
        await self._send(opening())
        async with asyncio.TaskGroup() as tasks:
            beating = tasks.create_task(self._beats(interval), name="discord heartbeat")
            try:
                return await self._read()
            finally:
                beating.cancel()

    async def _hello(self) -> float | None:
        """Seconds between two heartbeats; `None` where Discord does not say hello."""
        try:
            async with asyncio.timeout(_GREETING):
                message = await self._ws.receive()
            told = json.loads(message.data)
            interval = float(told["d"]["heartbeat_interval"]) / 1000
        except (TimeoutError, TypeError, LookupError, ValueError):
            return None
        return min(max(interval, _FASTEST), _SLOWEST)

    async def _beats(self, interval: float) -> None:
        # Discord's clock counts here, so this one waits in real time.
        await asyncio.sleep(interval * random.random())  # noqa: S311  # spread, no secret
        while True:
            if not self._answered:
                await self._ws.close(code=_ZOMBIE)
                return
            self._answered = False
            await self._beat()
            await asyncio.sleep(interval)

    async def _beat(self) -> None:
        await self._send({"op": Opcode.HEARTBEAT, "d": self._kept()})

    async def _send(self, frame: dict[str, Any]) -> None:
        """Send a frame; a line that broke is noticed where it is read."""
        try:
            await self._ws.send_str(json.dumps(frame))
        except (ConnectionError, aiohttp.ClientError, RuntimeError):
            return

    async def _read(self) -> Ended:
        while True:
            message = await self._ws.receive()
            if message.type not in _FRAMES:
                return Ended(self._ws.close_code or 0)
            ended = await self._take(message.data)
            if ended is not None:
                return ended

    async def _take(self, data: str | bytes) -> Ended | None:
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
        frame = _decoded(raw)
        match frame.get("op"):
            case Opcode.DISPATCH:
                await self.dispatches.put(_dispatch(frame, raw))
            case Opcode.HEARTBEAT:
                await self._beat()
            case Opcode.HEARTBEAT_ACK:
                self._answered = True
            case Opcode.RECONNECT:
                return Ended(asked=True)
            case Opcode.INVALID_SESSION:
                return Ended(asked=True, lost=frame.get("d") is not True)
            case _:
                await self.dispatches.put(Dispatch("", None, 0, raw))
        return None


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
