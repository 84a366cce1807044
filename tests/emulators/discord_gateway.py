"""Discord's gateway on loopback: sessions that can be resumed, numbers, heartbeats, close codes."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable
from typing import Any

from aiohttp import WSMsgType, web

from gateway_adapters.discord.library import Intents
from tests.emulators.discord_world import World

__all__ = ["Gateway", "Session"]

Json = dict[str, Any]

_VERSION = {"v": "10", "encoding": "json", "compress": "zlib-stream"}
_PRIVILEGED = 1 << 15
_KNOWN = (1 << 26) - 1  # every intent there is
_PIECE = 512  # bytes of a frame that is told in one piece


class Line:
    """One connection, which packs what it tells as one stream."""

    def __init__(self, ws: web.WebSocketResponse) -> None:
        self.ws = ws
        self._packer = zlib.compressobj()
        self._turn = asyncio.Lock()

    async def tell(self, frame: str | bytes) -> None:
        """Send a frame, a long one in two pieces; bytes go as they are."""
        async with self._turn:
            if isinstance(frame, bytes):
                await self.ws.send_bytes(frame)
                return
            packed = self._packer.compress(frame.encode("utf-8", "surrogatepass"))
            packed += self._packer.flush(zlib.Z_SYNC_FLUSH)
            if len(packed) > _PIECE:
                await self.ws.send_bytes(packed[:_PIECE])
                packed = packed[_PIECE:]
            await self.ws.send_bytes(packed)


class Session:
    """One session of the bot's, whether a connection holds it or not.

    Attributes:
        frames: Everything that was told in it, by number.
        acked: The number that the last heartbeat carried.
    """

    def __init__(self, number: int, asked: int) -> None:
        self.id = f"session-{number}"
        self.intents = Intents.none()
        self.intents.value = asked
        self.frames: list[str] = []
        self.acked = 0
        self.ws: web.WebSocketResponse | None = None
        self.outgoing: asyncio.Queue[str | bytes] = asyncio.Queue()

    def tell(self, kind: Any, data: Any) -> None:
        """Number a dispatch, and tell it to whoever listens."""
        frame = json.dumps({"op": 0, "t": kind, "s": len(self.frames) + 1, "d": data})
        self.frames.append(frame)
        if self.ws is not None:
            self.outgoing.put_nowait(frame)


class Gateway:
    """The gateway of one bot.

    Attributes:
        interval: Seconds between heartbeats that it asks for.
        content_approved: Whether the portal hands the bot message content.
        refuse_with: A code that the next greetings are closed with; 0 for none.
        deaf: Whether heartbeats get no answer.
        identified: How often a new session was asked for.
        resumed: How often a session was gone on with.
        forgetful: Whether no session can be resumed.
        closes: The codes that the bot closed connections with.
        greetings: What the next connections are greeted with instead; empty for silence.
        asked: What the last new session was asked for with.
        beats: How many heartbeats came.
    """

    def __init__(self, world: World, token: str, woken: Callable[[], None]) -> None:
        self._world = world
        self._token = token
        self._woken = woken
        self.sessions: list[Session] = []
        self.interval = 0.03
        self.content_approved = True
        self.refuse_with = 0
        self.deaf = False
        self.identified = 0
        self.resumed = 0
        self.forgetful = False
        self.closes: list[int] = []
        self.greetings: list[str | bytes] = []
        self.asked: Json = {}
        self.beats = 0
        self.url = ""
        world.backend.subscribers.append(self._emitted)

    @property
    def live(self) -> Session | None:
        """The session that a connection holds."""
        return next((one for one in reversed(self.sessions) if one.ws is not None), None)

    @property
    def acknowledged(self) -> bool:
        """Whether heartbeats said that everything arrived."""
        live = self.live
        return live is not None and live.acked >= len(live.frames)

    def push(self, kind: Any, data: Any) -> None:
        """Tell a dispatch of any shape in every session."""
        for one in self.sessions:
            one.tell(kind, data)

    def push_raw(self, frame: str | bytes) -> None:
        """Send a frame of any shape, which is in no session; bytes as they are, not packed."""
        live = self.live
        assert live is not None
        live.outgoing.put_nowait(frame)

    def say_again(self) -> None:
        """Tell the newest message once more."""
        for one in self.sessions:
            messages = (json.loads(frame) for frame in reversed(one.frames))
            newest = next(frame for frame in messages if frame["t"] == "MESSAGE_CREATE")
            one.tell("MESSAGE_CREATE", newest["d"])

    async def drop(self, code: int = 4000) -> None:
        """Close the bot's connection."""
        live = self.live
        if live is not None and live.ws is not None:
            ws, live.ws = live.ws, None
            await ws.close(code=code)

    def ask(self, opcode: int, data: Any = None) -> None:
        """Send a frame that is no dispatch: 1 asks for a heartbeat, 7 for another connection, 9 ends."""
        live = self.live
        assert live is not None
        live.outgoing.put_nowait(json.dumps({"op": opcode, "d": data}))

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection."""
        ws = web.WebSocketResponse(autoping=True)
        await ws.prepare(request)
        if dict(request.query) != _VERSION:
            await ws.close(code=4012)
            return ws
        line = Line(ws)
        hello = json.dumps({"op": 10, "d": {"heartbeat_interval": self.interval * 1000}})
        greeting = self.greetings.pop(0) if self.greetings else hello
        self._woken()
        if greeting:
            await line.tell(greeting)
        session = await self._greeted(line)
        if session is not None:
            await self._talk(line, session)
        if ws.close_code is not None:
            self.closes.append(ws.close_code)
        self._woken()
        return ws

    async def _greeted(self, line: Line) -> Session | None:
        ws = line.ws
        while True:
            message = await ws.receive()
            if message.type is not WSMsgType.TEXT:
                return None
            frame = json.loads(message.data)
            if frame["op"] == 1:
                self.beats += 1
                await line.tell(json.dumps({"op": 11}))
                continue
            if self.refuse_with:
                await ws.close(code=self.refuse_with)
                return None
            if frame["op"] == 2:
                return await self._identified(ws, frame["d"])
            if frame["op"] == 6:
                session = await self._resumed(line, frame["d"])
                if session is not None:
                    return session
                continue
            await ws.close(code=4003)
            return None

    async def _identified(self, ws: web.WebSocketResponse, asked: Json) -> Session | None:
        self.identified += 1
        self.asked = asked
        code = self._refusal(asked)
        if code:
            await ws.close(code=code)
            return None
        for other in self.sessions:
            other.ws = None
        session = Session(len(self.sessions) + 1, asked["intents"])
        session.ws = ws
        self.sessions.append(session)
        backend = self._world.backend
        me = {"id": str(self._world.bot), "username": backend.bot_user.name, "bot": True}
        ready: Json = {"v": 10, "user": me, "guilds": [], "session_id": session.id}
        session.tell(
            "READY",
            ready
            | {
                "resume_gateway_url": self.url,
                "application": {"id": str(backend.application_id), "flags": 0},
            },
        )
        session.tell("GUILD_CREATE", self._world.guild_payload())
        return session

    def _refusal(self, asked: Json) -> int:
        """The code that an identification is refused with; 0 for none."""
        if asked.get("token") != self._token:
            return 4004
        intents = asked.get("intents")
        if not isinstance(intents, int) or intents & ~_KNOWN or not isinstance(asked.get("properties"), dict):
            return 4013
        return 4014 if intents & _PRIVILEGED and not self.content_approved else 0

    async def _resumed(self, line: Line, asked: Json) -> Session | None:
        ws = line.ws
        if asked.get("token") != self._token:
            await ws.close(code=4004)
            return None
        session = next((one for one in self.sessions if one.id == asked.get("session_id")), None)
        if session is None or self.forgetful:
            await line.tell(json.dumps({"op": 9, "d": False}))
            return None
        if asked["seq"] > len(session.frames):
            await ws.close(code=4007)
            return None
        self.resumed += 1
        session.outgoing = asyncio.Queue()
        for frame in session.frames[asked["seq"] :]:
            session.outgoing.put_nowait(frame)
        session.ws = ws
        session.tell("RESUMED", {"_trace": []})
        return session

    async def _talk(self, line: Line, session: Session) -> None:
        ws = line.ws
        if not session.outgoing.qsize():
            for frame in session.frames:
                session.outgoing.put_nowait(frame)
        writing = asyncio.create_task(self._write(line, session), name="discord gateway")
        try:
            async for message in ws:
                frame = json.loads(message.data)
                if frame["op"] == 1:
                    self.beats += 1
                    session.acked = frame["d"] or 0
                    if not self.deaf:
                        await line.tell(json.dumps({"op": 11}))
                    self._woken()
        finally:
            writing.cancel()
            await asyncio.wait({writing})
            left = session.ws is ws
            session.ws = None if left else session.ws
            if left and ws.close_code in (1000, 1001) and session in self.sessions:
                self.sessions.remove(session)

    async def _write(self, line: Line, session: Session) -> None:
        outgoing = session.outgoing
        while True:
            frame = await outgoing.get()
            await line.tell(frame)
            self._woken()

    def _emitted(self, event: str, payload: Any) -> None:
        for session in self.sessions:
            told = self._world.as_handed(event, dict(payload), session.intents)
            if told is not None:
                session.tell(event, told)
        self._woken()
