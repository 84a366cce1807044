"""One big bot over two processes: each chat in order, one of them receives, both answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import until
from tests.integration.replicas.scene import (
    ECHO,
    LEASE,
    SCRIPT,
    Replica,
    held_by,
    replicas,
    shared_store,
    telegram_config,
)

pytestmark = pytest.mark.kill

_CHATS = range(100, 116)


@asynccontextmanager
async def _divided(
    folder: Path, *, count: int = 4, pace: float = 0.0, script: str = ECHO
) -> AsyncGenerator[tuple[TelegramEmulator, Replica, Replica]]:
    """A bot whose partitions are spread over two processes; the first one receives."""
    async with TelegramEmulator() as tg:
        text = telegram_config(tg, shared_store(), bot=f"partitions: {count}", pace=pace, script=script)
        async with replicas(folder, text) as found:
            await until(lambda: _spread(found, count), timeout=30.0)
            one, other = found if await found[0].leads() else found[::-1]
            yield tg, one, other


async def _spread(found: list[Replica], count: int) -> bool:
    held = [await held_by(replica) for replica in found]
    return sum(held) == count and max(held) - min(held) <= 1


async def test_chats_are_answered_in_order_by_both(tmp_path: Path) -> None:
    said: dict[int, list[str]] = {chat: [] for chat in _CHATS}
    async with _divided(tmp_path) as (tg, one, other):
        for number in range(160):
            chat = _CHATS[number % len(_CHATS)]
            tg.say(f"m{number}.", chat=chat)
            said[chat].append(f"m{number}.")
        await tg.until(lambda: all(len(tg.texts(chat)) >= len(said[chat]) for chat in _CHATS), timeout=40.0)
        await asyncio.sleep(0.5)

        assert {chat: tg.texts(chat) for chat in _CHATS} == said
        shares = [len(replica.events("turn.finished")) for replica in (one, other)]
        assert min(shares) > 0
        conversations = [
            {event["gen_ai.conversation.id"] for event in replica.events("turn.finished")}
            for replica in (one, other)
        ]
        assert not conversations[0] & conversations[1]
        assert not [event for replica in (one, other) for event in replica.events("adapter.receiving_failed")]


async def test_stop_reaches_a_turn_that_the_receiver_does_not_run(tmp_path: Path) -> None:
    async with _divided(tmp_path, pace=0.02, script=SCRIPT) as (tg, one, other):
        for chat in _CHATS:
            tg.say("hang please", chat=chat)
        await tg.until(lambda: all(tg.drafts[chat] for chat in _CHATS), timeout=20.0)
        for chat in _CHATS:
            tg.say("/stop", chat=chat)
        await tg.until(lambda: all(tg.texts(chat) for chat in _CHATS), timeout=20.0)
        await asyncio.sleep(0.5)

        ended = Counter(
            event["reason"] for replica in (one, other) for event in replica.events("turn.finished")
        )
        assert ended == {"cancelled": len(_CHATS)}
        assert other.events("turn.finished")
        assert all(len(tg.texts(chat)) == 1 for chat in _CHATS)


async def test_partitions_of_a_killed_process_go_to_the_other(tmp_path: Path) -> None:
    async with _divided(tmp_path) as (tg, one, other):
        for number, chat in enumerate(_CHATS):
            tg.say(f"m{number}.", chat=chat)
        await tg.until(lambda: all(tg.texts(chat) for chat in _CHATS), timeout=20.0)
        await asyncio.sleep(0.5)  # a receipt that was not kept yet would be sent for twice
        await one.kill()
        await until(lambda: _holds_all(other), timeout=LEASE + 10.0)
        for number, chat in enumerate(_CHATS):
            tg.say(f"m{100 + number}.", chat=chat)
        await tg.until(lambda: all(len(tg.texts(chat)) == 2 for chat in _CHATS), timeout=20.0)
        await asyncio.sleep(0.3)

        for number, chat in enumerate(_CHATS):
            assert tg.texts(chat) == [f"m{number}.", f"m{100 + number}."]


async def _holds_all(replica: Replica) -> bool:
    return await held_by(replica) == 4
