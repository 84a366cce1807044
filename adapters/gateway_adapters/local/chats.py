"""Chats as they stand: the durable lines, and what only lasts while an answer is written."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Collection, Mapping
from dataclasses import dataclass, field

from gateway.abc.adapter import AdapterContext
from gateway_adapters.local.transcript import Transcript

__all__ = ["Chat", "Chats", "Preview"]

_IDLE = 64  # chats kept in memory that nobody looks at
_TYPING = 6.0  # seconds one sign of typing lasts
_STALE = 30.0  # seconds after which a preview that nothing grows or ends is given up


@dataclass(frozen=True, slots=True)
class Preview:
    """An answer as it is written."""

    html: str
    at: float


@dataclass(slots=True)
class Chat:
    """One chat.

    Attributes:
        changed: Set, and replaced by a new one, whenever anything changes.
        previews: Growing answers by turn.
        typing_until: Monotonic seconds until which an answer counts as being written.
        notices: Short-lived words for the page, numbered from 1.
        users: How many calls and streams hold it.
        listeners: How many streams are among them.
    """

    transcript: Transcript
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    previews: dict[str, Preview] = field(default_factory=dict[str, Preview])
    typing_until: float = 0.0
    notices: dict[int, str] = field(default_factory=dict[int, str])
    users: int = 0
    listeners: int = 0

    def notify(self) -> None:
        """Wake the streams."""
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    def type(self, now: float) -> None:
        """Count as typing for a few seconds from now on."""
        self.typing_until = now + _TYPING
        self.previews = {
            turn: Preview(preview.html, now) if now - preview.at < _STALE else preview
            for turn, preview in self.previews.items()
        }
        self.notify()

    def grow(self, turn: str, html: str, now: float) -> None:
        """Show a turn's answer as it stands."""
        self.previews[turn] = Preview(html, now)
        self.notify()

    def mirror(self, previews: Mapping[str, str], *, gone: Collection[str], now: float) -> None:
        """Show growing answers as another process sees them, and no more those it does not see any more."""
        kept = {turn: preview for turn, preview in self.previews.items() if turn not in gone}
        self.previews = kept | {turn: Preview(html, now) for turn, html in previews.items()}

    def finish(self, turn: str) -> None:
        """Take down a turn's preview; typing ends with the last one."""
        self.previews.pop(turn, None)
        if not self.previews:
            self.typing_until = 0.0
        self.notify()

    def prune(self, now: float) -> None:
        """Give up previews of turns that ended without a word."""
        self.previews = {
            turn: preview for turn, preview in self.previews.items() if now - preview.at < _STALE
        }

    def notice(self, text: str) -> None:
        """Show a word to whoever is looking now."""
        self.notices = {max(self.notices, default=0) + 1: text}
        self.notify()


class Chats:
    """The chats in memory."""

    def __init__(self, *, ttl: float) -> None:
        self._ttl = ttl
        self._chats: OrderedDict[str, Chat] = OrderedDict()
        self.closed = False

    @contextlib.asynccontextmanager
    async def use(self, context: AdapterContext, chat_id: str) -> AsyncGenerator[Chat, None]:
        """Hold a chat in memory."""
        chat = self._chats.get(chat_id)
        if chat is None:
            chat = self._chats[chat_id] = Chat(Transcript(context, chat_id, ttl=self._ttl))
        self._chats.move_to_end(chat_id)
        chat.users += 1
        try:
            yield chat
        finally:
            chat.users -= 1
            self._evict()

    def listened(self) -> dict[str, Chat]:
        """The chats that pages look at."""
        return {name: chat for name, chat in self._chats.items() if chat.listeners}

    @property
    def in_use(self) -> int:
        """How many calls and streams hold a chat."""
        return sum(chat.users for chat in self._chats.values())

    def close(self) -> None:
        """Let every stream end."""
        self.closed = True
        for chat in self._chats.values():
            chat.notify()

    def _evict(self) -> None:
        idle = [name for name, chat in self._chats.items() if not chat.users]
        for name in idle[: max(0, len(idle) - _IDLE)]:
            del self._chats[name]
