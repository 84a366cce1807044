"""Receive until cancelled: connect, resume, begin anew and catch up; never give up on what may pass."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, StoreError, Unauthorised, Unreachable
from gateway.messages import Inbound
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.backfill import Backfill
from gateway_adapters.discord.client import Client
from gateway_adapters.discord.errors import ODD
from gateway_adapters.discord.inbound import MESSAGES, Me
from gateway_adapters.discord.library import Intents
from gateway_adapters.discord.marks import Marks, Session
from gateway_adapters.discord.options import Options
from gateway_adapters.discord.reception import Reception
from gateway_adapters.discord.shapes import MALFORMED, mapping
from gateway_adapters.discord.socket import Dispatch, Ended, Socket, connect
from gateway_adapters.discord.standing import Standing

__all__ = ["Receiver", "intents_of"]

_PORTAL = "https://discord.com/developers/applications"
_LOOK_AGAIN = 600.0  # seconds before what an operator must mend is tried again
_SAVING = 0.5  # seconds that a stop leaves for writing down how far was read
_TOGETHER = 64  # messages that are committed at once, at most
_LOST = frozenset({1000, 1001, 4007, 4009})  # codes after which the session is over
_REFUSED = 4004
_AT_ONCE = 0.2  # seconds before going on elsewhere
_SETTLE = 1.0, 5.0  # seconds, after which a new session is taken (gateway, resuming)
_MISCONFIGURED = {
    4010: "Discord says the shard is wrong",
    4011: "the bot is in more servers than one connection may serve (2,500), which this version cannot split",
    4012: "Discord no longer speaks version 10 of its API: update Lastword",
    4013: "Discord knows none of the intents asked for: update Lastword",
    4014: (
        "Discord does not hand this bot the message content intent: switch on Message Content Intent at"
        f" {_PORTAL} (your application, Bot, Privileged Gateway Intents), or write"
        " intents: {message_content: false}"
    ),
}


def intents_of(options: Options) -> Intents:
    """What the bot asks Discord to hand it."""
    asked = Intents.none()
    asked.guilds = asked.guild_messages = asked.dm_messages = True
    asked.message_content = options.intents.message_content
    return asked


class Receiver:
    """One bot's events until cancelled."""

    def __init__(
        self,
        api: Api,
        context: AdapterContext,
        options: Options,
        me: Me,
        *,
        greet: Callable[[Inbound, str], object],
    ) -> None:
        self._api = api
        self._context = context
        self._options = options
        self._standing = Standing(context)
        self._marks = Marks(context)
        self._reception = Reception(context, self._marks, me, greet=greet)
        self._backfill = Backfill(api, context, self._marks, self._reception)

    async def run(self) -> None:
        """Receive until cancelled.

        Raises:
            Unauthorised: The token is wrong.
        """
        await self._standing.insist(self._marks.load)
        await self._standing.insist(self._reception.load)
        try:
            while True:
                wait = await self._connection()
                await self._context.clock.sleep(wait)
        finally:
            await self._save()

    async def _connection(self) -> float:
        """One connection from greeting to end; seconds to wait before the next."""
        try:
            socket = await self._connected(await self._address())
        except Unauthorised:
            raise
        except AdapterError as exc:
            if self._marks.session is not None:
                self._marks.session = replace(self._marks.session, url="")
            return self._standing.ill(exc)
        if isinstance(socket, Ended):
            return self._next(socket)
        async with asyncio.TaskGroup() as tasks:
            taking = tasks.create_task(self._take_all(socket), name="discord dispatches")
            ended = await socket.run()
            refusal = await taking
        if refusal is not None:
            raise refusal
        return self._next(ended)

    async def _connected(self, url: str) -> Socket | Ended:
        token, session = self._options.token.get_secret_value(), self._marks.session
        client = Client(self._api.connect, token=token, intents=intents_of(self._options))
        if session is None:
            return await connect(client, url, session="", seq=0)
        return await connect(client, url, session=session.id, seq=session.seq)

    def _next(self, ended: Ended) -> float:
        """What an end means; seconds to wait before the next connection."""
        if ended.code == _REFUSED:
            raise Unauthorised(
                "Discord rejected the token: reset it in the developer portal and copy it again"
            )
        if ended.lost or ended.code in _LOST:
            self._marks.session = None
        if ended.code in _MISCONFIGURED:
            self._context.report("misconfigured", f"{_MISCONFIGURED[ended.code]}; trying again in 10 minutes")
            return _LOOK_AGAIN
        if ended.asked:
            self._context.log.info("adapter.reconnecting", lost=ended.lost)
            return random.uniform(*_SETTLE) if ended.lost else _AT_ONCE  # noqa: S311  # spread, no secret
        what = f"Discord closed the connection (code {ended.code})" if ended.code else "the connection broke"
        return self._standing.ill(Unreachable(what, status=str(ended.code)))

    async def _address(self) -> str:
        """Where to connect; for a new session Discord is asked, and whether it grants one."""
        session = self._marks.session
        if session is not None and session.url:
            return session.url
        while True:
            told = (await self._api.call("GET", "/gateway/bot")).body
            try:
                limit = mapping(mapping(told).get("session_start_limit", {}))
                left, wait = int(limit.get("remaining", 1)), float(limit.get("reset_after", 0)) / 1000
                url = self._options.gateway_url or str(mapping(told)["url"])
            except MALFORMED:
                raise Unreachable(ODD, status="/gateway/bot") from None
            if left > 0 or session is not None:
                return url
            self._context.report("deaf", f"Discord grants no new session for {wait:.0f} s; waiting")
            await self._context.clock.sleep(max(wait, 1.0))

    async def _take_all(self, socket: Socket) -> Unauthorised | None:
        """Commit dispatches in order, and count each once it is kept; what Discord refuses the bot for."""
        while together := await socket.arrived(MESSAGES, _TOGETHER):
            refusal = await self._kept(socket, together)
            if refusal is not None:
                return refusal
        return None

    async def _kept(self, socket: Socket, together: Sequence[Dispatch]) -> Unauthorised | None:
        """Commit dispatches at once; where that breaks, one by one: none may end the rest, nor come again."""
        defect: Exception | None = None
        try:
            await self._standing.insist(partial(self._take, together))
            self._standing.recovered()
        except Unauthorised as exc:
            await socket.hang_up()
            return exc
        except Exception as exc:  # noqa: BLE001  # told below
            defect = exc
        if defect is not None and len(together) > 1:
            for dispatch in together:
                refusal = await self._kept(socket, [dispatch])
                if refusal is not None:
                    return refusal
            return None
        if defect is not None:
            name = type(defect).__name__
            kind = together[0].kind
            self._context.log.error("adapter.dispatch_broke", kind=kind, problem=name, exc_info=defect)
        for dispatch in together:
            socket.sequence = self._marks.counted(dispatch.seq)
        return None

    async def _take(self, together: Sequence[Dispatch]) -> None:
        dispatch = together[0]
        if dispatch.kind in MESSAGES:
            await self._reception.take_messages([(one.kind, one.data, one.raw) for one in together])
            await self._marks.flush()
            return
        match dispatch.kind:
            case "READY":
                await self._ready(dispatch)
            case "RESUMED":
                self._standing.well()
            case kind:
                await self._reception.take(kind, dispatch.data, dispatch.raw)
        await self._marks.flush()

    async def _ready(self, dispatch: Dispatch) -> None:
        """A new session: catch up on what none held."""
        try:
            told = mapping(dispatch.data)
            url = self._options.gateway_url or str(told["resume_gateway_url"])
            session = Session(str(told["session_id"]), url, dispatch.seq)
        except MALFORMED:
            session = None
        await self._backfill.run()
        self._marks.session = session
        await self._marks.flush(now=True)
        self._standing.well()

    async def _save(self) -> None:
        try:
            async with asyncio.timeout(_SAVING):
                await self._marks.flush(now=True)
        except (StoreError, TimeoutError) as exc:
            self._context.log.warning("adapter.marks_not_kept", problem=type(exc).__name__)
