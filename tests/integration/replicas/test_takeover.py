"""One process speaks for a bot at a time: when it goes, dies or sleeps, the other goes on where it was."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.integration.process import until
from tests.integration.replicas.scene import CHAT, LEASE, LONG, answered_once, telegram_replicas

pytestmark = pytest.mark.kill


async def test_only_one_process_receives(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path) as (tg, one, other):
        tg.say("hi")

        await answered_once(tg, ["hello"])
        assert not one.events("adapter.receiving_failed")
        assert not other.events("adapter.receiving_failed")
        assert await other.state() == "standby"


async def test_killed_owner_is_replaced_within_the_lease(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path) as (tg, one, other):
        await one.kill()
        began = time.monotonic()
        await until(other.leads)

        assert time.monotonic() - began < LEASE + 1.5
        tg.say("hi")
        await answered_once(tg, ["hello"])


async def test_stopped_owner_is_replaced_at_once(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path) as (tg, one, other):
        tg.say("waiting please")
        await asyncio.sleep(0.3)
        stopping = asyncio.create_task(one.stop())
        tg.say("hi")
        assert await stopping == 0
        began = time.monotonic()
        await until(other.leads)

        assert time.monotonic() - began < 1.0
        await answered_once(tg, ["done waiting", "hello"])


async def test_turn_of_a_killed_owner_runs_again_at_the_other(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path) as (tg, one, _):
        tg.say("waiting please")
        tg.say("hi")
        await asyncio.sleep(0.6)
        await one.kill()

        await answered_once(tg, ["done waiting", "hello"])


async def test_turn_that_acted_is_explained_by_the_other(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path, pace=0.15) as (tg, one, other):
        tg.say("acting please", language="de")
        await tg.until(lambda: tg.drafts[CHAT] and "four" in tg.drafts[CHAT][-1])
        await asyncio.sleep(1.2)
        await one.kill()

        await tg.until(lambda: tg.messages(CHAT), timeout=20.0)
        assert tg.texts(CHAT)[0].startswith("one two three four")
        assert "neu gestartet" in tg.texts(CHAT)[0]
        tg.press(CHAT, "Weiter")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        assert tg.texts(CHAT)[1] == "seven"
        assert await other.silent() == 0


async def test_preview_of_a_killed_owner_becomes_the_answer_of_the_other(tmp_path: Path) -> None:
    group = -100
    async with telegram_replicas(tmp_path, pace=0.15) as (tg, one, _):
        tg.say("@emulated_bot growing", chat=group, user=1, kind="supergroup")
        await tg.until(lambda: tg.messages(group))
        preview = tg.messages(group)[0].id
        await asyncio.sleep(0.3)
        await one.kill()

        await tg.until(
            lambda: tg.texts(group)[-1:] and tg.texts(group)[-1].endswith("thirteen"), timeout=20.0
        )
        await asyncio.sleep(0.5)
        assert [message.id for message in tg.messages(group)] == [preview]


async def test_frozen_owner_says_nothing_once_it_was_replaced(tmp_path: Path) -> None:
    """It comes back in the middle of its turns, which the other has ended by then."""
    async with telegram_replicas(tmp_path, pace=0.05) as (tg, one, other):
        chats = range(100, 110)
        for chat in chats:
            tg.say("waiting please", chat=chat, user=chat)
        await asyncio.sleep(0.7)
        one.freeze()
        await until(other.leads)
        await tg.until(lambda: all(tg.texts(chat) == ["done waiting"] for chat in chats), timeout=20.0)
        one.thaw()
        await until(one.stands_by)
        for chat in chats:
            tg.say("hi", chat=chat, user=chat)
        for chat in chats:
            await answered_once(tg, ["done waiting", "hello"], chat=chat)
        assert one.events("ownership.lost")


async def test_frozen_owner_does_not_go_on_with_a_delivery_that_was_taken_over(tmp_path: Path) -> None:
    """It slept between two parts, one of which was about to be sent; each is seen once."""
    async with telegram_replicas(tmp_path, overall=2) as (tg, one, other):
        tg.say("three parts")
        await tg.until(lambda: tg.messages(CHAT))
        await asyncio.sleep(0.1)
        one.freeze()
        await until(other.leads)
        await tg.until(lambda: _words(tg.texts(CHAT)) >= 1900, timeout=20.0)
        one.thaw()
        await until(one.stands_by)
        await asyncio.sleep(2.0)

        assert _words(tg.texts(CHAT)) == len(LONG.split())


async def test_sign_of_a_killed_owner_is_taken_back_by_the_other(tmp_path: Path) -> None:
    """It says that a message waits, and has a button for the turn that died."""
    async with telegram_replicas(tmp_path) as (tg, one, other):
        tg.say("hang please")
        await asyncio.sleep(0.5)
        tg.say("hi")
        await tg.until(lambda: tg.messages(CHAT), timeout=10.0)
        (sign,) = tg.messages(CHAT)
        await asyncio.sleep(0.3)
        await one.kill()
        await until(other.leads)
        await tg.until(lambda: sign.id not in [message.id for message in tg.messages(CHAT)])

        assert sign.buttons


def _words(texts: list[str]) -> int:
    return sum(text.split().count("word") for text in texts)
