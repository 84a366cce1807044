"""How far each channel was read, kept durably, and the session that events come in."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from gateway.abc.adapter import AdapterContext
from gateway_adapters.discord.shapes import MALFORMED, mapping, snowflake, whole

__all__ = ["Mark", "Marks", "Session"]

_MARK, _SESSION = "seen/", "session"
_MARK_TTL = 7 * 24 * 3600.0  # seconds
_SESSION_TTL = 3600.0  # seconds; Discord remembers a session for a few minutes
_CHANNELS = 2000  # remembered in memory
_EVERY = 5.0  # seconds between two writes of what only moves on


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a channel was read.

    Attributes:
        last: The newest message that was kept.
        guild: The channel's server; empty for a private one.
    """

    channel: str
    last: str
    guild: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """What a connection needs to go on where another ended.

    Attributes:
        url: Where to.
        seq: The number of the last dispatch that was kept.
    """

    id: str
    url: str
    seq: int


class Marks:
    """One bot's reading marks.

    A channel that is new here is written down at once, later moves every few seconds: what is read again
    after a crash is known by its message's id.
    """

    def __init__(self, context: AdapterContext) -> None:
        self._context = context
        self._known: OrderedDict[str, Mark] = OrderedDict()
        self._moved: set[str] = set()
        self._written = 0.0
        self._kept: Session | None = None
        self.session: Session | None = None

    async def load(self) -> None:
        """Read what was kept.

        Raises:
            StoreError: It could not be read.
        """
        rows = await self._context.scan(_MARK, limit=_CHANNELS)
        found = filter(None, (_mark(key.removeprefix(_MARK), value) for key, value in rows))
        self._known = OrderedDict(
            (mark.channel, mark) for mark in sorted(found, key=lambda one: int(one.last))
        )
        self.session = self._kept = _session(await self._context.recall(_SESSION))

    def recent(self, *, since: str, limit: int) -> Sequence[Mark]:
        """Channels in which something was said after a message's id, the latest first."""
        newest = sorted(self._known.values(), key=lambda mark: int(mark.last), reverse=True)
        return [mark for mark in newest if int(mark.last) >= int(since)][:limit]

    async def read(self, channel: str, message: str, guild: str, *, known: bool) -> None:
        """A message was kept.

        Args:
            channel: Where it stands.
            message: Its id.
            guild: The channel's server.
            known: Whether only a channel that has a mark already moves on.

        Raises:
            StoreError: It could not be written down.
        """
        before = self._known.get(channel)
        if before is None and known:
            return
        if before is None or int(message) > int(before.last):
            self._known[channel] = Mark(channel, message, guild)
            self._known.move_to_end(channel)
            self._moved.add(channel)
        if before is None:
            await self._write(channel)
        while len(self._known) > _CHANNELS:
            self._known.popitem(last=False)

    async def forget(self, channel: str) -> None:
        """A channel is gone."""
        if self._known.pop(channel, None) is not None:
            self._moved.discard(channel)
            await self._context.keep(_MARK + channel, b"", ttl=1.0)

    def counted(self, seq: int) -> int | None:
        """A dispatch was kept; the number of the last that was, `None` outside a session."""
        if self.session is not None and seq > self.session.seq:
            self.session = replace(self.session, seq=seq)
        return self.session.seq if self.session is not None else None

    async def flush(self, *, now: bool = False) -> None:
        """Write down what moved on, now and then or at once.

        Raises:
            StoreError: It could not be written down.
        """
        at = self._context.clock.monotonic()
        if not now and at < self._written + _EVERY:
            return
        self._written = at
        for channel in tuple(self._moved):
            await self._write(channel)
        if self.session != self._kept:
            kept = json.dumps(asdict(self.session)).encode() if self.session else b""
            await self._context.keep(_SESSION, kept, ttl=_SESSION_TTL)
            self._kept = self.session

    async def _write(self, channel: str) -> None:
        mark = self._known.get(channel)
        if mark is not None:
            value = json.dumps({"last": mark.last, "guild": mark.guild}).encode()
            await self._context.keep(_MARK + channel, value, ttl=_MARK_TTL)
        self._moved.discard(channel)


def _mark(channel: str, value: bytes) -> Mark | None:
    try:
        told = mapping(json.loads(value))
        return Mark(snowflake(channel), snowflake(told["last"]), whole(told.get("guild")))
    except MALFORMED:
        return None


def _session(value: bytes | None) -> Session | None:
    try:
        told = mapping(json.loads(value or b""))
        return Session(str(told["id"]), str(told["url"]), int(told["seq"]))
    except MALFORMED:
        return None
