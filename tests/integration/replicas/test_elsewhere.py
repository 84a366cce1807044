"""What one process takes in does in the other what it would have done there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.emulators.valkey import shared_url, tell
from tests.integration.process import until
from tests.integration.replicas.scene import CHAT, Replica, answered_once, telegram_replicas

pytestmark = pytest.mark.kill

_PUBLIC = "https://bots.example"


@asynccontextmanager
async def _hooked(
    folder: Path, *, bot: str = "", pace: float = 0.0
) -> AsyncGenerator[tuple[TelegramEmulator, Replica, Replica]]:
    """A bot with a webhook, which posts to the process that does not hold it."""
    async with telegram_replicas(
        folder, bot=f"receive: webhook\n    {bot}", pace=pace, top=f"public_url: {_PUBLIC}\n"
    ) as (tg, one, other):
        tg.hooks.strict_pace = False
        tg.hooks.reach[_PUBLIC] = other.address
        await until(lambda: tg.updates.webhook)
        yield tg, one, other


async def _posted(tg: TelegramEmulator, text: str, *, chat: int = CHAT) -> None:
    """Say something, and wait until it was taken in."""
    count = len(tg.hooks.posts)
    tg.say(text, chat=chat)
    await tg.until(lambda: len(tg.hooks.posts) > count and tg.unconfirmed == 0)


async def _without_hints() -> None:
    """Cut the channel that wakes processes; it is back after two seconds."""
    await tell(shared_url(), "CLIENT", "KILL", "TYPE", "pubsub")


async def test_owner_answers_what_the_other_took_in(tmp_path: Path) -> None:
    async with _hooked(tmp_path) as (tg, one, other):
        for _ in range(3):
            await _posted(tg, "hi")

        await answered_once(tg, ["hello"] * 3)
        assert len(one.events("turn.finished")) == 3
        assert not other.events("turn.finished")
        assert {status for _, status in tg.hooks.posts} == {200}
        assert len(tg.sent("setWebhook")) == 1


@pytest.mark.parametrize("word", ["/stop", "stop"])
async def test_stop_reaches_the_turn_of_the_owner(tmp_path: Path, word: str) -> None:
    """The channel for hints is cut: the poll alone must do."""
    async with _hooked(tmp_path, pace=0.02) as (tg, one, _):
        await _posted(tg, "hang please")
        await tg.until(lambda: tg.drafts[CHAT])
        await _without_hints()
        began = asyncio.get_running_loop().time()
        await _posted(tg, word)
        await tg.until(lambda: tg.messages(CHAT))

        assert asyncio.get_running_loop().time() - began < 1.5
        assert tg.texts(CHAT)[0].startswith("thinking about it")
        await asyncio.sleep(0.5)
        assert len(tg.messages(CHAT)) == 1
        (ended,) = one.events("turn.finished")
        assert ended["reason"] == "cancelled"


async def test_status_tells_of_the_turn_of_the_owner(tmp_path: Path) -> None:
    async with _hooked(tmp_path) as (tg, _, _other):
        await _posted(tg, "waiting please")
        await asyncio.sleep(0.6)
        await _posted(tg, "/status")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        status, answer = tg.texts(CHAT)
        assert "done waiting" in answer
        await _posted(tg, "/status")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3)
        assert tg.texts(CHAT)[2] != status


async def test_newer_message_replaces_the_turn_of_the_owner(tmp_path: Path) -> None:
    async with _hooked(tmp_path, bot="mid_turn: interrupt", pace=0.02) as (tg, one, _):
        await _posted(tg, "hang please")
        await tg.until(lambda: tg.drafts[CHAT])
        await _posted(tg, "hi")

        await tg.until(lambda: tg.texts(CHAT)[-1:] == ["hello"])
        assert [ended["reason"] for ended in one.events("turn.finished")] == ["superseded", "completed"]


async def test_both_take_in_what_the_owner_answers_in_order(tmp_path: Path) -> None:
    async with _hooked(tmp_path) as (tg, one, other):
        for number in range(20):
            tg.hooks.reach[_PUBLIC] = (one, other)[number % 2].address
            await _posted(tg, f"hi {number}", chat=100 + number % 3)

        for chat in range(100, 103):
            await answered_once(tg, ["hello"] * len(range(chat - 100, 20, 3)), chat=chat)


async def test_update_that_both_took_in_is_answered_once(tmp_path: Path) -> None:
    """Telegram posts again what it got no answer to, and a balancer gives it to the other process."""
    async with _hooked(tmp_path) as (tg, one, other):
        tg.chats.known.add(CHAT)
        for replica in (other, one, other):
            assert await _post(tg, replica) == 200

        await answered_once(tg, ["hello"])


async def _post(tg: TelegramEmulator, replica: Replica) -> int:
    """Post one and the same update to a process."""
    person = {"id": CHAT, "is_bot": False, "first_name": "Ada"}
    message = {
        "message_id": 1,
        "date": int(time.time()),
        "chat": {"id": CHAT, "type": "private"},
        "from": person,
    }
    async with httpx.AsyncClient() as client:
        answer = await client.post(
            f"{replica.address}/telegram/support",
            json={"update_id": 9, "message": message | {"text": "hi"}},
            headers={"x-telegram-bot-api-secret-token": tg.hooks.secret},
        )
    return answer.status_code
