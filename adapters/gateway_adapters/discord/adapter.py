"""One Discord bot: receive, send, show that work is going on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.abc.clock import Clock, SystemClock
from gateway.errors import Unauthorised, Unreachable
from gateway.messages import Answer, Attachment, Inbound, Part, Place, Receipt
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.facts import facts, introduced
from gateway_adapters.discord.files import Files
from gateway_adapters.discord.interactions import Interactions, Spawn
from gateway_adapters.discord.limits import Limiter
from gateway_adapters.discord.menu import register
from gateway_adapters.discord.options import Options
from gateway_adapters.discord.receiver import Receiver
from gateway_adapters.discord.render import render
from gateway_adapters.discord.sending import Sending
from gateway_adapters.discord.standing import Standing

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["create"]

_FEATURES = Features(
    typing=True, preview="message", preview_interval=1.5, reconcile=True, buttons=True, retracts=True
)


def create(options: Options, *, bot: str) -> Adapter:
    """The adapter of one Discord bot."""
    del bot
    return DiscordAdapter(options, clock=SystemClock())


class DiscordAdapter:
    """See `Adapter`."""

    def __init__(self, options: Options, *, clock: Clock) -> None:
        self._options = options
        self._api = Api(options)
        self._limiter = Limiter(options.rates, clock)
        self._sending = Sending(self._api, self._limiter, clock)
        self._files = Files(options, self._api)
        self._interactions: Interactions | None = None

    @property
    def features(self) -> Features:
        """Typing, growing text, buttons, and messages that are known again when they are sent again."""
        return _FEATURES

    async def run(self, context: AdapterContext) -> None:
        """Receive until cancelled; see `Adapter`."""
        context.report("connecting")
        self._api.dates.begin(context.heard_time)
        try:
            refusal = await self._running(context)
        finally:
            context.report("stopped")
        if refusal is not None:
            raise refusal

    def begin(self, context: AdapterContext) -> None:
        """Nothing to get ready: answers to commands that arrived elsewhere are messages of their own."""

    def share(self, part: float) -> None:
        """Speak to everybody together no faster than a part of the whole; see `Divisible`."""
        self._limiter.share(part)

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """Discord's Markdown, notes as subtext; see `render`."""
        return render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send a part; see `Adapter`."""
        body = part.plain if plain else part.body
        return await self._sending.send(place, body, nonce=part.id, replaces=replaces)

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written; see `Adapter`."""
        await self._sending.typing(place)

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show the answer as it stands; see `Adapter`."""
        return await self._sending.preview(place, text, turn=turn, handle=handle)

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a preview; see `Adapter`."""
        await self._sending.retract(place, handle)

    async def disarm(self, place: Place, message_id: str) -> None:
        """Take the buttons off a message; see `Adapter`."""
        await self._sending.disarm(place, message_id)

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Answer a press; that it arrived, Discord was told when it did.

        Raises:
            Unreachable: Another process receives, which alone knows how to answer.
        """
        if not text:
            return
        if self._interactions is None:
            raise Unreachable("presses arrive elsewhere", status="standby")
        await self._interactions.tell(inbound.press, text)

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """A file beside a message; see `Adapter`."""
        return await self._files.fetch(attachment.id, limit=limit)

    def routes(self) -> Sequence[BaseRoute]:
        """None: events come in by a connection of the bot's own."""
        return ()

    async def probe(self) -> Mapping[str, str]:
        """Who the token says we are; see `Adapter`."""
        return await facts(self._api, content=self._options.intents.message_content)

    async def close(self) -> None:
        """Close the connections."""
        await self._files.close()
        await self._api.close()

    async def _running(self, context: AdapterContext) -> Unauthorised | None:
        """Receive, with whatever goes on beside that; what Discord refuses the bot for."""
        beside: set[asyncio.Task[None]] = set()
        async with asyncio.TaskGroup() as tasks:

            def spawn(work: Coroutine[Any, Any, None]) -> None:
                task = tasks.create_task(_contained(work, context))
                beside.add(task)
                task.add_done_callback(beside.discard)

            try:
                await self._receive(context, spawn)
            except Unauthorised as exc:
                return exc
            finally:
                for task in tuple(beside):
                    task.cancel()
        return None

    async def _receive(self, context: AdapterContext, spawn: Spawn) -> None:
        standing = Standing(context)
        me = await standing.insist(lambda: introduced(self._api))
        interactions = Interactions(self._api, context, me.application, spawn)
        await standing.insist(interactions.resume)
        self._interactions = interactions
        self._sending.answer_through(interactions)
        if self._options.register_commands:
            spawn(register(self._api, context, me.application))
        await Receiver(self._api, context, self._options, me, greet=interactions.greet).run()


async def _contained(work: Coroutine[Any, Any, None], context: AdapterContext) -> None:
    """Do something beside receiving, which goes on whatever comes of it."""
    defect: Exception
    try:
        await work
    except Exception as exc:  # noqa: BLE001  # a defect beside receiving must not end it
        defect = exc
    else:
        return
    context.log.error("adapter.task_broke", problem=type(defect).__name__, exc_info=defect)
