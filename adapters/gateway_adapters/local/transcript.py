"""The lines of one chat, kept durably, so that any page at any time shows all of them."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Literal

import msgspec

from gateway.abc.adapter import AdapterContext

__all__ = ["Line", "LineKind", "Transcript"]

LineKind = Literal["message", "answer", "pressed"]

_SHOWN = 500  # lines a page shows at most
_TAIL = 20  # lines looked at for what another process wrote
_SECONDS = 20.0  # one append, the commit before it included
_LATENESS = 60_000_000  # places, of which there are a million a second where several processes write


class Line(msgspec.Struct, frozen=True):
    """One line.

    Attributes:
        n: Its place; grows within a chat, also across restarts.
        kind: What it is, which is also the page's name of the event.
        id: Unique among lines of its kind; a second one with a known id is the first again.
        at: Unix seconds.
        body: What the page shows.
    """

    n: int
    kind: LineKind
    id: str
    at: float
    body: dict[str, Any]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Line)


class Transcript:
    """One chat's lines in memory and in the store.

    Args:
        context: Where they are kept.
        chat: The chat's id.
        ttl: Seconds each line is kept.
    """

    def __init__(self, context: AdapterContext, chat: str, *, ttl: float) -> None:
        self._context = context
        self._prefix = f"chat/{chat}/"
        self._ttl = ttl
        self._lines: dict[int, Line] = {}
        self._known: dict[tuple[LineKind, str], int] = {}
        self._loaded = False
        self._lock = asyncio.Lock()

    @property
    def lateness(self) -> int:
        """How far before the last place a line may still come to stand, kept late by another process."""
        return _LATENESS if self._context.shared else 0

    def since(self, n: int) -> list[Line]:
        """The lines after a place, in order."""
        return [line for at, line in self._lines.items() if at > n]

    async def load(self, *, anew: bool = False) -> None:
        """Read what is kept, once; again where another process may have written more.

        Raises:
            StoreError: It could not be read.
        """
        async with self._lock:
            if anew:
                self._loaded = False
            await self._load()

    async def refresh(self) -> bool:
        """Read what another process may have written; whether there was anything.

        Raises:
            StoreError: It could not be read.
        """
        async with self._lock:
            return await self._read(_TAIL)

    async def append(
        self,
        kind: LineKind,
        line_id: str,
        body: dict[str, Any],
        *,
        first: Callable[[], Awaitable[object]] | None = None,
    ) -> Line:
        """Keep a line, unless it is there already.

        Args:
            kind: What it is.
            line_id: Unique among lines of its kind.
            body: What the page shows.
            first: Done before the line is written and before any other line can be, so that what it
                sets off comes after the line.

        Raises:
            StoreError: The line was not kept; what `first` did stands.
            TimeoutError: It is not known whether the line was kept.
        """
        async with asyncio.timeout(_SECONDS), self._lock:
            await self._load()
            if self._context.shared:
                await self._read(_TAIL)
            now = self._context.clock.time()
            place = self._next(now)
            if first is not None:
                await first()
            known = self._known.get((kind, line_id))
            if known is not None:
                return self._lines[known]
            line = Line(place, kind, line_id, now, body)
            await self._context.keep(f"{self._prefix}{line.n:016d}", _encoder.encode(line), ttl=self._ttl)
            self._add(line)
            return line

    def _next(self, now: float) -> int:
        """The place of a line that is written now; no two processes come to the same one."""
        if not self._context.shared:
            return max(self._last() + 1, int(now * 1000))
        return max(self._last() + 1, int(now * 1000) * 1000 + secrets.randbelow(1000))

    def _last(self) -> int:
        return next(reversed(self._lines), 0)

    async def _load(self) -> None:
        if not self._loaded:
            await self._read(_SHOWN)
            self._loaded = True

    async def _read(self, limit: int) -> bool:
        before = len(self._lines)
        for _, value in await self._context.scan(self._prefix, limit=limit):
            with contextlib.suppress(msgspec.MsgspecError):  # written by a version that knows more kinds
                self._add(_decoder.decode(value))
        return len(self._lines) != before

    def _add(self, line: Line) -> None:
        """Take a line in; one whose write was repeated after an unknown result counts once."""
        if (line.kind, line.id) in self._known:
            return
        late = line.n < self._last()
        self._lines[line.n] = line
        self._known[line.kind, line.id] = line.n
        if late:
            self._lines = dict(sorted(self._lines.items()))
        while len(self._lines) > _SHOWN:
            oldest = self._lines.pop(next(iter(self._lines)))
            del self._known[oldest.kind, oldest.id]
