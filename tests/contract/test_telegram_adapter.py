"""Telegram passes the exam for adapters, against its emulator: by long polls, and by a webhook."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from gateway.abc.adapter import Adapter, AdapterContext
from gateway.abc.clock import SystemClock
from gateway.http import Server
from gateway.messages import Action, Place
from gateway.testing.adapters import WAIT, AdapterContract, AdapterFault, AdapterHarness
from gateway.testing.context import FakeAdapterContext
from gateway_adapters.telegram.adapter import TelegramAdapter, create
from gateway_adapters.telegram.options import Options
from tests.emulators.telegram import BOT, Fault, TelegramEmulator

CHAT = 7_000_000_001
PUBLIC = "https://bots.example"
_FAULTS = {
    "rate_limit": Fault(status=429, description=f"Too Many Requests: retry after {WAIT}", retry_after=WAIT),
    "dead_target": Fault(status=403, description="Forbidden: bot was blocked by the user"),
    "rejected": Fault(status=400, description="Bad Request: can't parse entities"),
    "lost": Fault(cut=True),
    "taken": Fault(after=True, cut=True),
}
_UNREADABLE: tuple[Any, ...] = (
    {"message": None},
    {"message": {"chat": "gone"}},
    {"message": {"from": {"id": "x"}, "chat": {"id": 1e400, "type": "private"}, "text": "\ud83d"}},
    {"update_id": "soon", "callback_query": [1, 2]},
    {},
    ["no", "object"],
    None,
)


class TelegramHarness:
    """One bot, one person, one emulator."""

    def __init__(self, tg: TelegramEmulator, adapter: Adapter | None = None) -> None:
        self.tg = tg
        self.adapter: Adapter = adapter or create(_options(tg.base, tg.token), bot="b")
        self.place = Place(str(CHAT))
        self.secret = tg.token.partition(":")[2]
        self._said: dict[str, Any] = {}

    async def say(self, text: str) -> None:
        self.tg.say(text, chat=CHAT)
        self._said = {"text": text, "message_id": self.tg.chats.next_id(CHAT) - 1}

    async def say_again(self) -> None:
        person = {"id": CHAT, "is_bot": False, "first_name": "A"}
        chat = {"id": CHAT, "type": "private"}
        self.tg.push({"message": {**self._said, "from": person, "chat": chat, "date": int(time.time())}})

    async def edit(self, text: str) -> None:
        self.tg.edit(self._said["message_id"], text, chat=CHAT)

    async def attach(self, name: str, content: bytes) -> None:
        file = {"file_id": self.tg.attach(content), "file_unique_id": "u", "file_size": len(content)}
        named = file | {"file_name": name, "mime_type": "image/png"}
        self.tg.push({"message": self.tg.inbound(CHAT) | {"document": named}})

    async def press(self, action: Action) -> None:
        self.tg.press(CHAT, action.label)

    async def echo(self) -> None:
        message = {"message_id": 990, "date": 1, "chat": {"id": CHAT, "type": "private"}, "text": "mine"}
        self.tg.push({"message": message | {"from": BOT}})

    async def confuse(self) -> None:
        for update in _UNREADABLE:
            self.tg.push(update)

    async def shown(self) -> Sequence[str]:
        return self.tg.texts(CHAT)

    async def offered(self) -> Sequence[str]:
        rows = (row for shown in self.tg.messages(CHAT) for row in shown.buttons)
        return [button["text"] for row in rows for button in row]

    def acknowledged(self) -> bool:
        return self.tg.unconfirmed == 0

    def fail(self, fault: AdapterFault) -> None:
        if fault == "unauthorised":
            self.adapter = create(_options(self.tg.base, f"1:{self.secret}"), bot="b")
        elif fault == "unreachable":
            self.adapter = create(_options("http://127.0.0.1:1", self.tg.token), bot="b")
        else:
            self.tg.fail("sendMessage", _FAULTS[fault])


class TestTelegram(AdapterContract):
    """Telegram."""

    kind = "telegram"
    limit = 4096

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        return _telegram()


class TestTelegramByWebhook(AdapterContract):
    """Telegram that posts updates to the shared server."""

    kind = "telegram"
    limit = 4096

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        return _hooked()


class _Public(TelegramAdapter):
    """One that is reached from outside, whatever the context says."""

    async def run(self, context: AdapterContext) -> None:
        if isinstance(context, FakeAdapterContext):
            context.public_url = PUBLIC
        await super().run(context)


@asynccontextmanager
async def _hooked() -> AsyncGenerator[AdapterHarness]:
    async with TelegramEmulator() as tg:
        tg.chats.known.add(CHAT)
        tg.hooks.strict_pace = False
        adapter = _Public(_options(tg.base, tg.token, receive="webhook"), bot="b", clock=SystemClock())
        async with Server("127.0.0.1", 0, adapter.routes(), public_url=PUBLIC) as server:
            tg.hooks.reach[PUBLIC] = server.address
            yield TelegramHarness(tg, adapter)


@asynccontextmanager
async def _telegram() -> AsyncGenerator[AdapterHarness]:
    async with TelegramEmulator() as tg:
        tg.chats.known.add(CHAT)
        yield TelegramHarness(tg)


def _options(base: str, token: str, **more: Any) -> Options:
    return Options.model_validate({"token": token, "api_base": base, **more})
