"""Where the bot takes part, who it spoke with there, and how far it has read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeVar

from gateway.abc.adapter import AdapterContext
from gateway.messages import Inbound, Place
from gateway_adapters.slack.shapes import MALFORMED, moment

__all__ = ["Threads"]

T = TypeVar("T")

_KEPT = 30 * 86_400.0  # seconds
_REMEMBERED = 4096
_STEP = 5.0  # seconds that the kept reading position may lie behind; what is read twice is known
_CHANNEL, _THREAD, _LATEST = "seen/", "thread/", "latest/"


class Threads:
    """The places of one bot."""

    def __init__(self) -> None:
        self._context: AdapterContext | None = None
        self._read: OrderedDict[str, float] = OrderedDict()  # by the key it is kept under
        self._latest: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._person: OrderedDict[tuple[str, str], str] = OrderedDict()

    def begin(self, context: AdapterContext) -> None:
        """Keep what is learnt with a context."""
        self._context = context

    async def joined(self, channel: str, thread: str) -> bool:
        """Whether the bot takes part in a thread."""
        key = f"{_THREAD}{channel}/{thread}"
        if key in self._read:
            return True
        kept = await self._context.recall(key) if self._context is not None else None
        if kept is not None:
            _remember(self._read, key, _time(kept))
        return kept is not None

    async def meet(self, inbound: Inbound) -> None:
        """Take part where somebody spoke to the bot; kept before their message is.

        Raises:
            StoreError: It was not kept.
        """
        place, person = inbound.place, inbound.sender.id
        if place.thread.startswith("@"):
            return
        if self._latest.get((place.chat, person)) != place.thread and self._context is not None:
            key = f"{_LATEST}{place.chat}/{person}"
            await self._context.keep(key, place.thread.encode(), ttl=_KEPT)
        _remember(self._latest, (place.chat, person), place.thread)
        _remember(self._person, (place.chat, place.thread), person)
        if place.thread:
            await self._keep(f"{_THREAD}{place.chat}/{place.thread}", place.thread)

    async def seen(self, inbound: Inbound) -> None:
        """Remember how far a channel, and a thread the bot takes part in, was read.

        Raises:
            StoreError: It was not kept.
        """
        place, ts = inbound.place, inbound.message_id
        if inbound.kind not in ("message", "command") or _time(ts.encode()) <= 0:
            return
        thread = f"{_THREAD}{place.chat}/{place.thread}"
        if place.thread and thread in self._read:
            await self._keep(thread, ts)
        await self._keep(f"{_CHANNEL}{place.chat}", ts)

    async def latest(self, channel: str, person: str) -> str | None:
        """The thread where somebody last spoke to the bot in a channel; `None` where they never did."""
        known = self._latest.get((channel, person))
        if known is None and self._context is not None:
            kept = await self._context.recall(f"{_LATEST}{channel}/{person}")
            known = kept.decode("ascii", "replace") if kept is not None else None
        return known

    def person(self, place: Place) -> str:
        """Who last spoke to the bot in a place; empty when that is not known."""
        return self._person.get((place.chat, place.thread), "")

    async def channels(self, *, limit: int) -> Sequence[tuple[str, str]]:
        """Channels, and how far they were read, the latest first."""
        found = await self._kept(_CHANNEL, limit=limit)
        return [(key.removeprefix(_CHANNEL), ts) for key, ts in found]

    async def threads(self, *, limit: int) -> Sequence[tuple[str, str, str]]:
        """Threads, their channel, and how far they were read, the latest first."""
        found = await self._kept(_THREAD, limit=limit)
        parted = [(*key.removeprefix(_THREAD).partition("/")[::2], ts) for key, ts in found]
        return [(channel, thread, ts) for channel, thread, ts in parted if thread]

    async def _kept(self, prefix: str, *, limit: int) -> list[tuple[str, str]]:
        if self._context is None:
            return []
        rows = await self._context.scan(prefix)
        read = [(key, value.decode("ascii", "replace")) for key, value in rows if _time(value) > 0]
        return sorted(read, key=lambda row: _time(row[1].encode()), reverse=True)[:limit]

    async def _keep(self, key: str, ts: str) -> None:
        at = _time(ts.encode())
        before = self._read.get(key)
        if self._context is None or (before is not None and at < before + _STEP):
            return
        await self._context.keep(key, ts.encode(), ttl=_KEPT)
        _remember(self._read, key, at)


def _time(ts: bytes) -> float:
    try:
        return moment(ts.decode("ascii"))
    except MALFORMED:
        return 0.0


def _remember(memory: OrderedDict[T, float] | OrderedDict[T, str], key: T, value: object) -> None:
    memory[key] = value  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]  # of one kind each
    memory.move_to_end(key)
    if len(memory) > _REMEMBERED:
        memory.popitem(last=False)
