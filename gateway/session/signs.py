"""Quiet signs that something goes on: a message waits, a turn takes long. Nothing depends on them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import AdapterError, StoreError, Unreachable
from gateway.messages import Action, Answer, Inbound, Note, Place
from gateway.observability import get_logger
from gateway.session.bots import Bot
from gateway.session.envelope import unseal
from gateway.session.lanes import STOP
from gateway.session.running import Running, RunningTurns

__all__ = ["Signs"]

_QUEUED = 2.0  # seconds a message waits before its sender is told so
_LONG = 45.0  # seconds a turn runs without anything to see before that is told
_CALL = 10.0  # seconds one platform call may take
_KEPT = 86_400.0  # seconds that a sign which was not taken back is remembered
_PREFIX = "sign/"
_Language = Callable[[Bot, Inbound], Awaitable[str]]


class _Sign(msgspec.Struct, frozen=True):
    """A sign that stands.

    Attributes:
        key: Where it is remembered.
        handle: What takes it back; empty where that is not known.
    """

    key: str
    place: Place
    handle: str


class Signs:
    """Says, once and late, that somebody's message waits or that their turn takes long, and takes it back.

    Args:
        language: The language somebody is spoken to in.
        queue_of: The name that work of a place of a bot waits under.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        running: RunningTurns,
        language: _Language,
        queue_of: Callable[[str, Place], str] = lambda bot, _: bot,
    ) -> None:
        self._queue_of = queue_of
        self._store = store
        self._clock = clock
        self._running = running
        self._language = language
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: set[str] = set()  # lanes whose sign is under way or stands
        self._log = get_logger("session")

    def waits(self, bot: Bot, inbound: Inbound, lane: str) -> None:
        """Begin to watch a message that waits; one sign a lane."""
        if bot.adapter.features.retracts and lane not in self._waiting:
            self._waiting.add(lane)
            self._start(self._queued(bot, inbound, lane), f"sign {lane}")

    def runs(self, bot: Bot, inbound: Inbound, running: Running) -> Callable[[], None]:
        """Begin to watch a turn that runs; returns what ends the watch."""
        if not bot.adapter.features.retracts:
            return lambda: None
        task = self._start(self._still_working(bot, inbound, running), f"sign {running.turn}")

        def end() -> None:
            task.cancel()

        return end

    async def close(self) -> None:
        """End every watch."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, watch: Awaitable[None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(watch), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, watch: Awaitable[None]) -> None:
        try:
            await watch
        except (AdapterError, StoreError, TimeoutError) as exc:
            self._log.debug("session.sign_broke", problem=type(exc).__name__)
        except Exception:  # noqa: BLE001  # a sign disturbs nothing
            self._log.exception("session.sign_broke")

    async def _queued(self, bot: Bot, inbound: Inbound, lane: str) -> None:
        try:
            await self._clock.sleep(_QUEUED)
            before = await self._before(inbound, lane)
            running = self._running.at(lane)
            if before is None or running is None:
                return
            steered = bot.mid_turn == "steer" and getattr(bot.seat(inbound.place).agent, "steerable", False)
            line, values = ("interrupted.kept", {}) if steered else ("queued", {"n": str(before)})
            sign = await self._say(bot, inbound, line, values, running)
            try:
                while await self._before(inbound, lane) is not None:
                    await self._clock.sleep(1.0)
            finally:
                await self._take_back(bot, sign)
        finally:
            self._waiting.discard(lane)

    async def _before(self, inbound: Inbound, lane: str) -> int | None:
        """How many are answered before a message that waits; `None` once it waits no more."""
        for at, one in enumerate(await self._store.waiting(lane)):
            said = unseal(one.body).inbound
            if said is not None and said.message_id == inbound.message_id:
                return at + (1 if self._running.at(lane) is not None else 0)
        return None

    async def _still_working(self, bot: Bot, inbound: Inbound, running: Running) -> None:
        await self._clock.sleep(_LONG)
        if running.text.strip() and bot.streaming and bot.adapter.features.preview != "none":
            return
        sign = await self._say(bot, inbound, "still_working", {}, running)
        try:
            await asyncio.Event().wait()  # until the watch is ended
        finally:
            await self._take_back(bot, sign)

    async def adopt(self, bot: Bot, queue: str) -> None:
        """Take back the signs that a process left standing which ended before it could."""
        if not bot.adapter.features.retracts:
            return
        for key, value in await self._store.scan(f"{_PREFIX}{queue}/"):
            try:
                sign = msgspec.json.decode(value, type=_Sign)
            except msgspec.MsgspecError:
                sign = _Sign(key, Place(""), "")
            await self._take_back(bot, sign)

    async def _say(
        self, bot: Bot, inbound: Inbound, line: str, values: dict[str, str], running: Running
    ) -> _Sign:
        stop = running.turn
        language = await self._language(bot, inbound)
        text = bot.notebook.line(line, language, **values)
        note = Note(text, "notice", language, bot.notebook.direction(language))
        actions = (Action("stop", f"{STOP}{stop}", bot.notebook.label("stop", language)),)
        answer = Answer(note=note, actions=actions if bot.adapter.features.buttons else ())
        handle = ""
        async with asyncio.timeout(_CALL):
            for part in bot.adapter.render(answer, key=f"{stop}.{line}"):
                handle = (await bot.adapter.send(inbound.place, part)).message_id
        queue = self._queue_of(bot.name, inbound.place)
        sign = _Sign(f"{_PREFIX}{queue}/{stop}.{line}", inbound.place, handle)
        with contextlib.suppress(StoreError):  # it is taken back all the same, if we live
            await self._store.set(sign.key, msgspec.json.encode(sign), ttl=_KEPT)
        return sign

    async def _take_back(self, bot: Bot, sign: _Sign) -> None:
        """Take a sign back; one that could not be reached stands for whoever comes after us."""
        try:
            async with asyncio.timeout(_CALL):
                if sign.handle:
                    await bot.adapter.retract(sign.place, sign.handle)
        except (Unreachable, TimeoutError):
            return
        except AdapterError as exc:
            self._log.debug("session.sign_left", problem=type(exc).__name__)
        with contextlib.suppress(StoreError):
            await self._store.swap(sign.key, await self._store.get(sign.key), None)
