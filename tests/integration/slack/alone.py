"""The Slack adapter without a gateway behind it: the real library against the emulator."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from gateway.abc.adapter import Adapter
from gateway.messages import Answer, Part, Place
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from gateway_adapters.slack.adapter import create
from gateway_adapters.slack.options import Options
from tests.emulators.slack import SECRET, SlackEmulator

__all__ = [
    "CHANNEL",
    "CHAT",
    "PERSON",
    "PLACE",
    "UNPACED",
    "adapter_of",
    "alone",
    "heard",
    "parts",
    "sent",
    "threaded",
]

CHAT, CHANNEL, PERSON = "D0ANN", "C0TEAM", "U0ANN"
PLACE = Place(CHAT)
UNPACED = {"overall": 0, "chat": 0, "edits": 0}


def adapter_of(slack: SlackEmulator, *, bot: str = "b", **options: Any) -> Adapter:
    """An adapter for the emulator's bot."""
    given = {"token": slack.token, "app_token": slack.app_token, "signing_secret": SECRET}
    return create(
        Options.model_validate({**given, "api_base": slack.base, "rates": UNPACED, **options}), bot=bot
    )


@asynccontextmanager
async def alone(**options: Any) -> AsyncGenerator[tuple[Adapter, SlackEmulator]]:
    """An adapter that does not receive, and its Slack with one person and one channel."""
    async with SlackEmulator() as slack:
        slack.chats.channel(CHAT)
        slack.chats.channel(CHANNEL)
        slack.chats.person(PERSON, name="Ann")
        adapter = adapter_of(slack, **options)
        try:
            yield adapter, slack
        finally:
            await adapter.close()


@asynccontextmanager
async def heard(
    context: FakeAdapterContext | None = None, **options: Any
) -> AsyncGenerator[tuple[Adapter, SlackEmulator, FakeAdapterContext]]:
    """An adapter that receives, once it does."""
    async with alone(**options) as (adapter, slack), listening(adapter, context) as told:
        await told.until(lambda: len(slack.delivery.sockets) == 2)
        yield adapter, slack, told


def parts(adapter: Adapter, text: str, *, key: str = "k") -> tuple[Part, ...]:
    """The parts of a text."""
    return adapter.render(Answer(text), key=key)


async def sent(adapter: Adapter, text: str, *, place: Place = PLACE, key: str = "k") -> str:
    """Send a text of one part; its timestamp."""
    (part,) = parts(adapter, text, key=key)
    return (await adapter.send(place, part)).message_id


def threaded(slack: SlackEmulator, channel: str = CHANNEL) -> Place:
    """A thread that somebody began."""
    root = slack.chats.put(channel, user=PERSON, text="hello")["ts"]
    return Place(channel, str(root), channel.startswith("D"))
