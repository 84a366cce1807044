"""One Telegram bot: receive, send, show that work is going on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.abc.clock import Clock, SystemClock
from gateway.errors import Unauthorised
from gateway.messages import Answer, Attachment, Inbound, Part, Place, Receipt
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.endpoint import Endpoint
from gateway_adapters.telegram.facts import facts
from gateway_adapters.telegram.files import Files
from gateway_adapters.telegram.limits import Limiter
from gateway_adapters.telegram.menu import register
from gateway_adapters.telegram.moves import Moves
from gateway_adapters.telegram.options import Options
from gateway_adapters.telegram.poller import Poller
from gateway_adapters.telegram.render import render
from gateway_adapters.telegram.sending import Sending
from gateway_adapters.telegram.webhook import Webhook, path_of

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["create"]

_FEATURES = Features(typing=True, preview="message", preview_interval=1.0, buttons=True, retracts=True)
_TOAST = 200  # characters of the answer to a button press


def create(options: Options, *, bot: str) -> Adapter:
    """The adapter of one Telegram bot."""
    return TelegramAdapter(options, bot=bot, clock=SystemClock())


class TelegramAdapter:
    """See `Adapter`."""

    def __init__(self, options: Options, *, bot: str, clock: Clock) -> None:
        self._api = Api(options)
        self._moves = Moves()
        self._files = Files(options, self._api)
        self._limiter = Limiter(options.rates, clock)
        self._sending = Sending(self._api, self._limiter, self._moves)
        self._endpoint = Endpoint(path_of(bot)) if options.receive == "webhook" else None
        self._secret = options.secret_token

    @property
    def features(self) -> Features:
        """Typing, growing text, buttons; no way to know a message again."""
        return _FEATURES

    async def run(self, context: AdapterContext) -> None:
        """Receive until cancelled; see `Adapter`."""
        context.report("connecting")
        self._api.dates.begin(context.heard_time)
        refusal: Unauthorised | None = None
        try:
            async with asyncio.TaskGroup() as tasks:
                beside = tasks.create_task(register(self._api, context), name="telegram menu")
                try:
                    await self._receiver(context).run()
                except Unauthorised as exc:
                    refusal = exc
                finally:
                    beside.cancel()
        finally:
            context.report("stopped")
        if refusal is not None:
            raise refusal

    def begin(self, context: AdapterContext) -> None:
        """Nothing to get ready; a chat that moved is learnt of when it is written to."""

    def share(self, part: float) -> None:
        """Speak to everybody together no faster than a part of the whole; see `Divisible`."""
        self._limiter.share(part)

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """Text with entities; see `render`."""
        return render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send a part; see `Adapter`."""
        return await self._sending.send(place, part.plain if plain else part.body, replaces=replaces)

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
        """Answer a press; see `Adapter`."""
        await self._api.call(
            "answerCallbackQuery", {"callback_query_id": inbound.press, "text": text[:_TOAST]}
        )

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """Fetch a file beside a message; see `Adapter`."""
        return await self._files.fetch(attachment.id, limit=limit)

    def routes(self) -> Sequence[BaseRoute]:
        """Where Telegram posts updates; none where they are polled."""
        return self._endpoint.routes() if self._endpoint is not None else ()

    async def probe(self) -> Mapping[str, str]:
        """Who the token says we are; see `Adapter`."""
        return await facts(self._api)

    async def close(self) -> None:
        """Close the connections."""
        await self._files.close()
        await self._api.close()

    def _receiver(self, context: AdapterContext) -> Poller | Webhook:
        if self._endpoint is None:
            return Poller(self._api, context, self._moves)
        secret = self._secret.get_secret_value()
        return Webhook(self._api, context, self._moves, self._endpoint, secret)
