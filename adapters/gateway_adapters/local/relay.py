"""What only lasts while an answer is written, told through the store to pages that another process serves."""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter

import msgspec

from gateway.abc.adapter import AdapterContext
from gateway.errors import StoreError
from gateway_adapters.local.chats import Chat, Chats

__all__ = ["Relay"]

_NEWS, _LIVE = "news/", "live/"
_EVERY = 0.4  # seconds between two looks
_KEPT = 40.0  # seconds that what is told is of use
_MOST = 10_000  # chats in which something goes on at once


class _Live(msgspec.Struct, frozen=True):
    """A chat as one process sees it.

    Attributes:
        previews: Growing answers as HTML, by turn.
        typing: Seconds for which an answer still counts as being written.
        notice: The last word for the page, with its number; 0 for none.
    """

    previews: dict[str, str]
    typing: float
    notice: tuple[int, str]


_decoder = msgspec.json.Decoder(_Live)


class Relay:
    """One bot's word to and from the other processes.

    Args:
        context: Where it is kept.
        chats: The chats of this process.
    """

    def __init__(self, context: AdapterContext, chats: Chats) -> None:
        self._context = context
        self._chats = chats
        self._token = secrets.token_hex(8)
        self._said: Counter[str] = Counter()
        self._heard: dict[str, bytes] = {}
        self._shown: dict[str, set[str]] = {}
        self._noticed: dict[str, int] = {}

    async def tell(self, chat_id: str, chat: Chat) -> None:
        """Tell the others how a chat stands; nothing depends on it, for lines are kept."""
        if not self._context.shared:
            return
        now = self._context.clock.monotonic()
        number = max(chat.notices, default=0)
        live = _Live(
            {turn: preview.html for turn, preview in chat.previews.items()},
            max(0.0, chat.typing_until - now),
            (number, chat.notices.get(number, "")),
        )
        self._said[chat_id] += 1
        with contextlib.suppress(StoreError):
            name = f"{chat_id}/{self._token}"
            await self._context.keep(f"{_LIVE}{name}", msgspec.json.encode(live), ttl=_KEPT)
            await self._context.keep(f"{_NEWS}{name}", b"%d" % self._said[chat_id], ttl=_KEPT)

    async def listen(self) -> None:
        """Show what other processes tell to the pages that are open here, until cancelled."""
        while True:
            await self._context.clock.sleep(_EVERY)
            listened = self._chats.listened()
            if listened:
                with contextlib.suppress(StoreError):
                    await self._look(listened)

    async def _look(self, listened: dict[str, Chat]) -> None:
        told = dict(await self._context.scan(_NEWS, limit=_MOST))
        for key, said in told.items():
            chat_id, _, token = key.removeprefix(_NEWS).partition("/")
            chat = listened.get(chat_id)
            if chat is not None and token != self._token and self._heard.get(key) != said:
                await self._show(f"{chat_id}/{token}", chat)
                self._heard[key] = said
        for key in self._heard.keys() - told.keys():
            del self._heard[key]

    async def _show(self, name: str, chat: Chat) -> None:
        value = await self._context.recall(f"{_LIVE}{name}")
        if value is None:
            return
        live = _decoder.decode(value)
        now = self._context.clock.monotonic()
        await chat.transcript.refresh()
        chat.mirror(live.previews, gone=self._shown.get(name, set()) - live.previews.keys(), now=now)
        self._shown[name] = set(live.previews)
        chat.typing_until = now + live.typing if live.typing else 0.0
        number, text = live.notice
        if number > self._noticed.get(name, 0):
            self._noticed[name] = number
            chat.notice(text)
        chat.notify()
