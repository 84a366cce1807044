"""The web chat as an adapter: answers become lines of the transcript, and the page shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.errors import FetchFailed, Unreachable
from gateway.messages import Answer, Attachment, Inbound, Part, Place, Receipt
from gateway_adapters.local.chats import Chat, Chats
from gateway_adapters.local.errors import as_delivery
from gateway_adapters.local.markdown import to_html
from gateway_adapters.local.options import Options
from gateway_adapters.local.relay import Relay
from gateway_adapters.local.render import render

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["LocalAdapter", "create"]

_DAY = 86_400.0
_FEATURES = Features(typing=True, preview="ephemeral", preview_interval=0.3, reconcile=True, buttons=True)
_START = 5.0  # seconds a send waits for the adapter to be started


def create(options: Options, *, bot: str) -> Adapter:
    """The adapter of one web chat."""
    return LocalAdapter(options, bot=bot)


class LocalAdapter:
    """One bot's web chat.

    Attributes:
        title: The name people read.
        base: The path it lives under, without a trailing slash.
        chats: The chats in memory.
    """

    def __init__(self, options: Options, *, bot: str) -> None:
        self.title = options.title or bot
        self.base = (options.path or f"/chat/{bot}").rstrip("/")
        self.chats = Chats(ttl=options.keep_days * _DAY)
        self._context: AdapterContext | None = None
        self._relay: Relay | None = None
        self._started = asyncio.Event()
        self._receiving = False

    @property
    def features(self) -> Features:
        """What a page can do."""
        return _FEATURES

    @property
    def receiving(self) -> AdapterContext | None:
        """The context to hand messages to; `None` before `run` and after it."""
        return self._context if self._receiving else None

    @property
    def context(self) -> AdapterContext | None:
        """The context answers are kept with; stays after `run`, since the last ones leave then."""
        return self._context

    async def run(self, context: AdapterContext) -> None:
        """Take messages until cancelled."""
        self._context = context
        self._receiving = True
        self._started.set()
        relay = self._relay = Relay(context, self.chats)
        context.report("up")
        try:
            if context.shared:
                await relay.listen()
            await asyncio.Event().wait()
        finally:
            self._receiving = False
            context.report("stopped")

    async def told(self, chat_id: str, chat: Chat) -> None:
        """Let pages that other processes serve know how a chat stands."""
        if self._relay is not None:
            await self._relay.tell(chat_id, chat)

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """The one part that carries an answer."""
        return render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Keep a part as a line; the same part again is the same line."""
        body = part.plain if plain else part.body
        async with self.chats.use(await self._known(), place.chat) as chat:
            with as_delivery():
                line = await chat.transcript.append("answer", part.id, {**body, "replaces": replaces})
            chat.finish(replaces)
            await self.told(place.chat, chat)
        return Receipt(str(line.n), line.at)

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written."""
        context = await self._known()
        async with self.chats.use(context, place.chat) as chat:
            chat.type(context.clock.monotonic())
            await self.told(place.chat, chat)

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show the answer as it stands; the handle is the turn."""
        context = await self._known()
        html = await asyncio.to_thread(to_html, text)
        async with self.chats.use(context, place.chat) as chat:
            chat.grow(handle or turn, html, context.clock.monotonic())
            await self.told(place.chat, chat)
        return handle or turn

    async def retract(self, place: Place, handle: str) -> None:
        """Take a preview down."""
        async with self.chats.use(await self._known(), place.chat) as chat:
            chat.finish(handle)
            await self.told(place.chat, chat)

    async def disarm(self, place: Place, message_id: str) -> None:
        """Nothing to do: the page takes them off by itself."""

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Show a word about a press; that it arrived, the page saw when it was accepted."""
        if text:
            async with self.chats.use(await self._known(), inbound.place.chat) as chat:
                chat.notice(text)
                await self.told(inbound.place.chat, chat)

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """No file comes this way."""
        del attachment, limit
        raise FetchFailed("there are no files here")

    def routes(self) -> Sequence[BaseRoute]:
        """The page, its files, and what it posts and listens to."""
        from gateway_adapters.local.endpoints import routes

        return routes(self)

    async def probe(self) -> Mapping[str, str]:
        """Where the page is; nothing else can go wrong."""
        return {"page": self.base or "/", "title": self.title}

    async def close(self) -> None:
        """Let open pages go; they connect again to whatever comes after."""
        self.chats.close()

    async def _known(self) -> AdapterContext:
        """The context, waited for a moment: answers owed from before a restart may be early.

        Raises:
            Unreachable: The adapter was not started.
        """
        if self._context is None:
            try:
                async with asyncio.timeout(_START):
                    await self._started.wait()
            except TimeoutError:
                raise Unreachable("the web chat is not running", status="stopped") from None
        if self._context is None:
            raise Unreachable("the web chat is not running", status="stopped")
        return self._context
