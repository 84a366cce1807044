"""The Discord adapter without a gateway behind it, against the emulator."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from gateway.abc.adapter import Adapter
from gateway.messages import Place
from gateway.testing.context import FakeAdapterContext
from gateway.testing.watching import listening
from gateway_adapters.discord.adapter import create
from gateway_adapters.discord.options import Options
from tests.emulators.discord import DiscordEmulator

__all__ = ["UNPACED", "Bot", "adapter_of", "alone", "receiving"]

UNPACED = {"overall": 0, "channel": 0}


@dataclass(frozen=True, slots=True)
class Bot:
    """An adapter that receives, what it hands in, and its Discord."""

    adapter: Adapter
    context: FakeAdapterContext
    discord: DiscordEmulator

    @property
    def texts(self) -> list[str]:
        """What people said, in order."""
        return [inbound.text for inbound in self.context.inbounds]

    async def heard(self, *texts: str) -> None:
        """Wait until exactly this was heard."""
        await self.context.until(lambda: len(self.texts) >= len(texts))
        assert self.texts == list(texts)


def adapter_of(discord: DiscordEmulator, **options: Any) -> Adapter:
    """An adapter for the emulator's bot."""
    given = {"token": discord.token, "api_base": discord.base, "rates": UNPACED, **options}
    return create(Options.model_validate(given), bot="b")


@asynccontextmanager
async def alone(**options: Any) -> AsyncGenerator[tuple[Adapter, DiscordEmulator, Place]]:
    """An adapter that does not receive, its Discord, and a place where it is alone with a person."""
    async with DiscordEmulator() as discord:
        adapter = adapter_of(discord, **options)
        try:
            yield adapter, discord, Place(str(discord.world.dm()))
        finally:
            await adapter.close()


@asynccontextmanager
async def receiving(
    discord: DiscordEmulator, context: FakeAdapterContext | None = None, **options: Any
) -> AsyncGenerator[Bot]:
    """An adapter that receives; entered again with the same context, it is the same bot started again."""
    adapter = adapter_of(discord, **options)
    try:
        async with listening(adapter, context) as told:
            await told.until(lambda: told.states[-1:] == ("up",))
            yield Bot(adapter, told, discord)
    finally:
        await adapter.close()
