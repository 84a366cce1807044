"""The event stream of one open page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec

from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway_adapters.local.chats import Chat, Chats
from gateway_adapters.local.transcript import Line

__all__ = ["events"]

_BEAT = 15.0  # seconds; proxies cut connections that are silent for 30 to 60


async def events(chat: Chat, chats: Chats, clock: Clock, *, chat_id: str, after: int) -> AsyncIterator[bytes]:
    """What happens in a chat from a place on, first what was missed, for as long as the page listens."""
    view = _View(chat, clock, after)
    for event in view.news():
        yield event
    yield _event("state", {"chat": chat_id})
    while not chats.closed:
        changed = chat.changed
        for event in view.news():
            yield event
        try:
            async with asyncio.timeout(_BEAT):
                await changed.wait()
        except TimeoutError:
            yield b": still here\n\n" + _event("beat", {})
            try:
                await chat.transcript.refresh()
            except StoreError:
                return


class _View:
    """What one page has been shown."""

    def __init__(self, chat: Chat, clock: Clock, after: int) -> None:
        self._chat = chat
        self._clock = clock
        self._after = after - chat.transcript.lateness
        self._shown: set[int] = set()
        self._typing = 0.0
        self._previews: dict[str, str] = {}
        self._noticed = max(chat.notices, default=0)

    def news(self) -> list[bytes]:
        """Everything that is new to the page, lines first."""
        return [*self._lines(), *self._growing(), *self._pausing(), *self._notices()]

    def _lines(self) -> list[bytes]:
        """Lines that were not shown, also one whose place is before some that were."""
        lines = [line for line in self._chat.transcript.since(self._after) if line.n not in self._shown]
        self._shown.update(line.n for line in lines)
        return [_line(line) for line in lines]

    def _growing(self) -> list[bytes]:
        self._chat.prune(self._clock.monotonic())
        now = {turn: preview.html for turn, preview in self._chat.previews.items()}
        before, self._previews = self._previews, now
        gone = [_event("cleared", {"turn": turn}) for turn in before if turn not in now]
        grown = [
            _event("preview", {"turn": turn, "html": html})
            for turn, html in now.items()
            if before.get(turn) != html
        ]
        return gone + grown

    def _pausing(self) -> list[bytes]:
        if self._chat.typing_until == self._typing:
            return []
        self._typing = self._chat.typing_until
        return [_event("typing", {"seconds": max(0.0, self._typing - self._clock.monotonic())})]

    def _notices(self) -> list[bytes]:
        new = [(n, text) for n, text in self._chat.notices.items() if n > self._noticed]
        if new:
            self._noticed = new[-1][0]
        return [_event("notice", {"text": text}) for _, text in new]


def _line(line: Line) -> bytes:
    return b"id: %d\n" % line.n + _event(line.kind, {"n": line.n, "id": line.id, **line.body})


def _event(kind: str, data: dict[str, object]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), msgspec.json.encode(data))
