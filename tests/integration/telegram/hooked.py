"""The Telegram adapter behind the shared server, where the emulator posts updates to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from gateway.abc.adapter import Adapter
from gateway.http import Server
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from tests.emulators.telegram import TelegramEmulator
from tests.integration.telegram.alone import CHAT, GROUP, adapter_of

__all__ = ["PUBLIC", "Hooked", "hooked", "public_context"]

PUBLIC = "https://bots.example"
_SECRET = b"x-telegram-bot-api-secret-token"


@dataclass(slots=True)
class Hooked:
    """One bot that receives by a webhook."""

    tg: TelegramEmulator
    adapter: Adapter
    server: Server
    context: FakeAdapterContext

    async def post(
        self, body: bytes, *, secret: str | None = None, kind: str = "application/json", method: str = "POST"
    ) -> int:
        """What a stranger gets who posts to the bot's address; the secret as Telegram has it by default."""
        given = self.tg.hooks.secret if secret is None else secret
        headers = {b"content-type": kind.encode(), _SECRET: given.encode("latin-1")}
        async with httpx.AsyncClient(trust_env=False, verify=False) as client:  # noqa: S501  # loopback
            url = f"{self.server.address}/telegram/b"
            return (await client.request(method, url, content=body, headers=headers)).status_code


def public_context(**more: Any) -> FakeAdapterContext:
    """The context of a server that is reached from outside."""
    return FakeAdapterContext(public_url=PUBLIC, **more)


@asynccontextmanager
async def hooked(
    context: FakeAdapterContext | None = None, *, tg: TelegramEmulator | None = None, **options: Any
) -> AsyncGenerator[Hooked]:
    """A bot whose webhook is set; `tg` is a Telegram that is there already."""
    if tg is None:
        async with TelegramEmulator() as mine, hooked(context, tg=mine, **options) as found:
            yield found
        return
    tg.hooks.strict_pace = False
    tg.chats.known |= {CHAT, GROUP}
    adapter = adapter_of(tg, receive="webhook", **options)
    context = context or public_context()
    try:
        async with Server("127.0.0.1", 0, adapter.routes(), public_url=PUBLIC) as server:
            tg.hooks.reach[PUBLIC] = server.address
            async with listening(adapter, context):
                await context.until(lambda: "up" in context.states)
                yield Hooked(tg, adapter, server, context)
    finally:
        await adapter.close()
