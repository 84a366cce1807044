"""What a platform sends again is known again, however a bot is divided by then."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.replicas.scene import ECHO, Replica, shared_store, telegram_config

pytestmark = pytest.mark.kill

_CHATS, _AFTER = range(100, 108), (200, 201)


@pytest.mark.parametrize(("before", "after"), [(4, 1), (1, 4), (2, 3)])
async def test_message_that_comes_again_after_partitions_changed_is_answered_once(
    tmp_path: Path, before: int, after: int
) -> None:
    async with TelegramEmulator() as tg:
        store = shared_store()
        updates = [
            {"update_id": 5000 + chat, "message": {"text": f"m{chat}", **tg.inbound(chat)}} for chat in _CHATS
        ]
        for round_, count in enumerate((before, after)):
            folder = tmp_path / f"{round_}"
            folder.mkdir()
            async with Replica(
                folder, telegram_config(tg, store, bot=f"partitions: {count}", script=ECHO)
            ) as replica:
                for update in updates:
                    tg.push(update)
                await tg.until(lambda: all(tg.texts(chat) for chat in _CHATS), timeout=30.0)
                tg.say("news", chat=_AFTER[round_])
                await tg.until(partial(tg.texts, _AFTER[round_]), timeout=30.0)
                await asyncio.sleep(0.3)
                await replica.stop()

        assert [len(tg.texts(chat)) for chat in _CHATS] == [1] * len(_CHATS)
