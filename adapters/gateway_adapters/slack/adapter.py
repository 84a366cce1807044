"""One Slack bot: receive, send, show that work is going on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.abc.clock import Clock, SystemClock
from gateway.errors import Unauthorised
from gateway.messages import Answer, Attachment, Inbound, Part, Place, Receipt
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.backfill import Backfill
from gateway_adapters.slack.bolt import Bolt
from gateway_adapters.slack.endpoint import Endpoint, path_of
from gateway_adapters.slack.facts import facts
from gateway_adapters.slack.files import Files
from gateway_adapters.slack.ledger import Ledger
from gateway_adapters.slack.limits import Limiter
from gateway_adapters.slack.options import Options
from gateway_adapters.slack.people import People
from gateway_adapters.slack.reception import Reception, introduced
from gateway_adapters.slack.render import render
from gateway_adapters.slack.sending import Sending
from gateway_adapters.slack.sockets import Sockets
from gateway_adapters.slack.standing import Standing
from gateway_adapters.slack.threads import Threads
from gateway_adapters.slack.webhook import Webhook

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["SlackAdapter", "create"]


def create(options: Options, *, bot: str) -> Adapter:
    """The adapter of one Slack bot."""
    return SlackAdapter(options, bot=bot, clock=SystemClock())


class SlackAdapter:
    """See `Adapter`."""

    def __init__(self, options: Options, *, bot: str, clock: Clock) -> None:
        self._options = options
        self._api = Api(options)
        self._files = Files(self._api, options)
        self._threads = Threads()
        self._ledger = Ledger(self._api, clock)
        self._limiter = Limiter(options.rates, clock)
        self._sending = Sending(self._api, self._limiter, self._ledger, self._threads, clock)
        self._bolt = Bolt(options, self._api)
        self._endpoint = Endpoint(path_of(bot), self._bolt) if options.receive == "webhook" else None

    @property
    def features(self) -> Features:
        """Typing, growing text, buttons; a message is known again where the token may read histories."""
        return Features(
            typing=True,
            preview="message",
            preview_interval=1.0,
            reconcile=self._ledger.reconciles,
            buttons=True,
            retracts=True,
            command="!",  # the client keeps what begins with a slash to itself
        )

    async def run(self, context: AdapterContext) -> None:
        """Receive until cancelled; see `Adapter`."""
        context.report("connecting")
        self._api.dates.begin(context.heard_time)
        self.begin(context)
        try:
            await self._receive(context)
        finally:
            context.report("stopped")

    def begin(self, context: AdapterContext) -> None:
        """Keep marks of what is sent; see `Divisible`."""
        self._threads.begin(context)
        self._ledger.begin(context)

    def share(self, part: float) -> None:
        """Speak to everybody together no faster than a part of the whole; see `Divisible`."""
        self._limiter.share(part)

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """Blocks; see `render`."""
        return render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send a part; see `Adapter`."""
        return await self._sending.send(place, part, part.plain if plain else part.body, replaces=replaces)

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written; see `Adapter`."""
        await self._sending.typing(place)

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:  # noqa: ARG002  # a message is known by its handle here
        """Show the answer as it stands; see `Adapter`."""
        return await self._sending.preview(place, text, handle=handle)

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a preview; see `Adapter`."""
        await self._sending.retract(place, handle)

    async def disarm(self, place: Place, message_id: str) -> None:
        """Take the buttons off a message; see `Adapter`."""
        await self._sending.disarm(place, message_id)

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Say something about a press, to the one who pressed; that it arrived, Slack was told."""
        await self._sending.answer(inbound, text)

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """Fetch a file beside a message; see `Adapter`."""
        return await self._files.fetch(attachment.id, limit=limit)

    def routes(self) -> Sequence[BaseRoute]:
        """Where Slack posts; none where it is asked by sockets."""
        return self._endpoint.routes() if self._endpoint is not None else ()

    async def probe(self) -> Mapping[str, str]:
        """Who the token says we are; see `Adapter`."""
        return await facts(self._api, self._options)

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def _receive(self, context: AdapterContext) -> None:
        standing = Standing(context)
        me = await standing.insist(lambda: introduced(self._api))
        self._sending.at_home(me.team)
        reception = Reception(context, me, People(self._api, context), self._threads)
        backfill = Backfill(self._api, context, reception, self._threads)
        refusal: Unauthorised | None = None
        self._bolt.open(reception)
        async with asyncio.TaskGroup() as tasks:
            beside = tasks.create_task(backfill.run(), name="slack backfill")
            try:
                await self._receiver(context, standing, backfill).run()
            except Unauthorised as exc:
                refusal = exc
            finally:
                self._bolt.close()
                beside.cancel()
        if refusal is not None:
            raise refusal

    def _receiver(self, context: AdapterContext, standing: Standing, backfill: Backfill) -> Sockets | Webhook:
        if self._endpoint is None:
            return Sockets(self._api, context, self._bolt, standing, caught_up=backfill.want)
        backfill.want()
        return Webhook(context, self._endpoint, standing)
