"""One Socket Mode connection: every envelope is kept, then acknowledged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Self, cast

import aiohttp

from gateway.errors import AdapterError, Conflict, StoreError, Unreachable
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.bolt import Bolt
from gateway_adapters.slack.reception import Delivery, Kind
from gateway_adapters.slack.shapes import MALFORMED, Json, maybe, whole

__all__ = ["Link", "SocketsOff"]

_HELLO = 10.0  # seconds until Slack says hello
_SECONDS = 20.0  # one commit
_AT_ONCE = 256  # envelopes on their way into the store
_KINDS: tuple[Kind, ...] = ("events_api", "interactive", "slash_commands")
_FULL = (
    "ten connections are open for this app token, as many as Slack allows: stop other processes that use it,"
    " or make another app"
)


class SocketsOff(AdapterError):
    """Socket Mode is turned off for the app."""

    def __init__(self) -> None:
        super().__init__(
            "Socket Mode is off for this app: turn it on at api.slack.com/apps, Socket Mode, or write"
            " receive: webhook"
        )


class Link:
    """An open socket.

    Attributes:
        connections: How many Slack says are open for the app token, this one included.
        lifetime: Seconds that Slack gives it, roughly; 0 when it does not say.
        over: Set once it should be replaced: Slack asked for that, or it is closed.
        why: What Slack said when it asked.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, hello: Json) -> None:
        self._socket = socket
        self._room = asyncio.Semaphore(_AT_ONCE)
        self.connections = _number(hello.get("num_connections"))
        self.lifetime = _number(_inner(hello, "debug_info").get("approximate_connection_time"))
        self.over = asyncio.Event()
        self.why = ""

    @classmethod
    async def open(cls, api: Api) -> Self:
        """Open a socket and wait until Slack greets.

        Raises:
            Conflict: Too many are open.
            SocketsOff: The app does not use Socket Mode.
            AdapterError: In the member of the family that fits.
        """
        socket = await api.socket(await api.socket_url())
        try:
            async with asyncio.timeout(_HELLO):
                first = _decoded((await socket.receive()).data)
        except TimeoutError:
            first = maybe(None)
        except BaseException:
            await socket.close()
            raise
        if first.get("type") == "hello":
            return cls(socket, first)
        await socket.close()
        raise _farewell(whole(first.get("reason")))

    async def serve(
        self, bolt: Bolt, *, kept: Callable[[], None], failed: Callable[[StoreError], object]
    ) -> None:
        """Take what comes until the socket is closed, by whichever side.

        Args:
            bolt: Where it goes.
            kept: Called after each envelope that was kept.
            failed: Called for each that was not, which Slack sends again.
        """
        try:
            async with asyncio.TaskGroup() as tasks:
                async for message in self._socket:
                    frame = _decoded(cast("object", message.data))
                    if frame.get("type") == "disconnect":
                        self.why = whole(frame.get("reason")) or "closed"
                        self.over.set()
                    envelope = whole(frame.get("envelope_id"))
                    if envelope:
                        await self._room.acquire()
                        raw = str(message.data).encode("utf-8", "replace")
                        tasks.create_task(self._take(envelope, frame, raw, bolt, kept, failed))
        finally:
            self.over.set()

    async def close(self) -> None:
        """Close the socket, so that Slack does not hand it anything more."""
        await self._socket.close()

    def farewell(self) -> AdapterError | None:
        """Our error for what Slack said; `None` where a new socket will do."""
        return _farewell(self.why) if self.why in ("link_disabled", "too_many_websockets") else None

    async def _take(
        self,
        envelope: str,
        frame: Json,
        raw: bytes,
        bolt: Bolt,
        kept: Callable[[], None],
        failed: Callable[[StoreError], object],
    ) -> None:
        try:
            if await self._kept(frame, raw, bolt):
                await self._socket.send_str(json.dumps({"envelope_id": envelope}))
            kept()
        except StoreError as exc:
            failed(exc)
        except TimeoutError:
            failed(StoreError("the store takes too long"))
        except (aiohttp.ClientError, ConnectionError):
            pass  # it is kept; Slack sends it again over another socket, where it is known
        finally:
            self._room.release()

    async def _kept(self, frame: Json, raw: bytes, bolt: Bolt) -> bool:
        """Whether the envelope is to be acknowledged; of a kind nobody here reads, at once."""
        kind = frame.get("type")
        again = _number(frame.get("retry_attempt"))
        if kind not in _KINDS:
            return True
        async with asyncio.timeout(_SECONDS):
            return await bolt.delivered(
                Delivery(kind, frame.get("payload"), raw), again=str(again) if again else ""
            )


def _farewell(reason: str) -> AdapterError:
    if reason == "link_disabled":
        return SocketsOff()
    if reason == "too_many_websockets":
        return Conflict(_FULL)
    return Unreachable("Slack closed the socket at once", status=reason or "closed")


def _decoded(data: object) -> Json:
    """A frame; empty for one that is no JSON object."""
    try:
        return maybe(json.loads(data) if isinstance(data, str) else None)
    except MALFORMED:
        return maybe(None)


def _inner(frame: Json, key: str) -> Json:
    try:
        return maybe(frame.get(key))
    except TypeError:
        return maybe(None)


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6 else 0
