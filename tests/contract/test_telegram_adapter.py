"""Telegram sits the exam every adapter sits."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from gateway.errors import DeadTarget, DeliveryError, RateLimited, Rejected, Uncertain
from gateway.messages import Place
from gateway.testing.adapters import AdapterContract, AdapterHarness
from gateway_adapters.telegram.adapter import create
from gateway_adapters.telegram.options import Options
from tests.emulators.telegram import BOT, TOKEN, Fault, TelegramEmulator

CHAT = 4711
FAULTS: dict[type[DeliveryError], Fault] = {
    RateLimited: Fault(status=429, description="Too Many Requests: retry after 7", retry_after=7),
    DeadTarget: Fault(status=403, description="Forbidden: bot was blocked by the user"),
    Rejected: Fault(status=400, description="Bad Request: can't parse entities"),
    Uncertain: Fault(after=True, cut=True),
}


class _Telegram:
    limit = 4096
    place = Place(str(CHAT))
    secrets = (TOKEN, TOKEN.partition(":")[2])
    faults = tuple(FAULTS)

    def __init__(self, tg: TelegramEmulator) -> None:
        options = Options.model_validate({"token": TOKEN, "api_base": tg.base})
        self.adapter = create(options, bot="support")
        self._tg = tg
        self._said = 500
        self._message: dict[str, object] = {}

    async def say(self, text: str) -> None:
        self._said += 1
        self._message = {
            "message_id": self._said,
            "date": 1_790_000_000,
            "chat": {"id": CHAT, "type": "private"},
            "from": {"id": CHAT, "is_bot": False, "first_name": "Ada", "language_code": "en"},
            "text": text,
        }
        if text.startswith("/"):
            self._message["entities"] = [{"type": "bot_command", "offset": 0, "length": len(text)}]
        self._tg.push({"message": self._message})

    async def repeat(self) -> None:
        self._tg.push({"message": self._message})

    async def garble(self) -> None:
        for update in (
            {"message": {"message_id": "?"}},
            {"message": None},
            {},
            {"callback_query": {"id": 1}},
        ):
            self._tg.push(dict(update))

    async def echo_own(self) -> None:
        chat = {"id": CHAT, "type": "private"}
        self._tg.push({"message": {"message_id": 77, "date": 1, "chat": chat, "from": BOT, "text": "mine"}})

    async def seen(self) -> list[str]:
        return [
            "\n".join([shown.text, *(button["text"] for row in shown.buttons for button in row)])
            for shown in self._tg.messages(CHAT)
        ]

    def provoke(self, fault: type[DeliveryError]) -> None:
        self._tg.fail("sendMessage", FAULTS[fault])


class TestTelegramAdapter(AdapterContract):
    @asynccontextmanager
    async def harness(self) -> AsyncGenerator[AdapterHarness]:
        async with TelegramEmulator() as tg:
            telegram = _Telegram(tg)
            try:
                yield telegram
            finally:
                await telegram.adapter.close()
