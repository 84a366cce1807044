"""The Telegram adapter without a gateway behind it: the real library against the emulator."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from gateway.abc.adapter import Adapter
from gateway_adapters.telegram.adapter import create
from gateway_adapters.telegram.options import Options
from tests.emulators.telegram import TelegramEmulator

__all__ = ["CHAT", "GROUP", "UNPACED", "adapter_of", "alone"]

CHAT, GROUP = 4711, -100_500
UNPACED = {"overall": 0, "chat": 0, "group": 0}


def adapter_of(tg: TelegramEmulator, *, bot: str = "b", **options: Any) -> Adapter:
    """An adapter for the emulator's bot."""
    return create(Options.model_validate({"bot_token": tg.token, "api_base": tg.base, **options}), bot=bot)


@asynccontextmanager
async def alone(**options: Any) -> AsyncGenerator[tuple[Adapter, TelegramEmulator]]:
    """An adapter that does not receive, and its Telegram with one person and one group."""
    async with TelegramEmulator() as tg:
        tg.chats.known |= {CHAT, GROUP}
        adapter = adapter_of(tg, **options)
        try:
            yield adapter, tg
        finally:
            await adapter.close()
