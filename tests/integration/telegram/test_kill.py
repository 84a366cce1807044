"""Kill a real gateway at each step of the line on Telegram; one visible outcome each time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.process import Gateway, until
from tests.integration.telegram.scene import config

pytestmark = pytest.mark.kill

CHAT, GROUP = 4711, -100
LONG = "word " * 1900
SCRIPT = f"""
      - {{when: three, say: "{LONG}"}}
      - {{when: acting, action: send_report, say: "one two three four five six", hang: true, resume: "seven"}}
      - {{when: growing, say: "one two three four five six seven eight nine ten eleven twelve thirteen"}}
      - {{when: waiting, wait: 1.0, say: "done waiting"}}
      - {{when: "*", say: "hello"}}
"""


def _yaml(tg: TelegramEmulator, *, pace: float = 0.15) -> str:
    return config(tg, agent=f"pace: {pace}", script=SCRIPT)


async def _told_once(gateway: Gateway, tg: TelegramEmulator, chat: int, count: int = 1) -> None:
    """Nothing more comes, and every turn has an end that a person saw."""
    await tg.until(lambda: len(tg.messages(chat)) >= count, timeout=20.0)
    await asyncio.sleep(0.5)
    assert len(tg.messages(chat)) == count
    await until(lambda: all(turn["state"] == "delivered" for turn in gateway.turns()))
    assert await gateway.silent() == 0


async def test_killed_before_the_batch_is_confirmed_answers_once(tmp_path: Path) -> None:
    """Telegram sends the update again; it is known."""
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg)) as gateway:
        tg.say("waiting please")
        await until(lambda: gateway.inbox() == 1)
        await gateway.restart()

        await _told_once(gateway, tg, CHAT)
        assert tg.texts(CHAT) == ["done waiting"]


async def test_killed_mid_agent_after_an_action_says_so(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg)) as gateway:
        tg.say("acting please", language="de")
        await tg.until(lambda: tg.drafts[CHAT] and "four" in tg.drafts[CHAT][-1])
        await asyncio.sleep(1.2)
        await gateway.restart()

        await _told_once(gateway, tg, CHAT)
        assert tg.texts(CHAT)[0].startswith("one two three four")
        assert "neu gestartet" in tg.texts(CHAT)[0]

        tg.press(CHAT, "Weiter")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        assert tg.texts(CHAT)[1] == "seven"


async def test_killed_mid_preview_edits_the_same_message(tmp_path: Path) -> None:
    """The preview posted in a group before the kill becomes the answer; no orphan is left."""
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg)) as gateway:
        tg.say("@emulated_bot growing", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))
        preview = tg.messages(GROUP)[0].id
        await asyncio.sleep(0.3)
        await gateway.restart()

        await tg.until(
            lambda: tg.texts(GROUP)[-1:] and tg.texts(GROUP)[-1].endswith("thirteen"), timeout=20.0
        )
        await _told_once(gateway, tg, GROUP)
        assert tg.messages(GROUP)[0].id == preview


async def test_killed_after_the_turn_commit_before_any_part_delivers_once(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg)) as gateway:
        tg.fail(
            "sendMessage",
            *(
                Fault(status=429, description="Too Many Requests: retry after 1", retry_after=1)
                for _ in range(2)
            ),
        )
        tg.say("hi")
        await until(lambda: gateway.events("delivery.postponed"))
        await asyncio.sleep(0.2)  # and that is kept
        await gateway.restart()

        await _told_once(gateway, tg, CHAT)
        assert tg.texts(CHAT) == ["hello"]


async def test_killed_between_parts_goes_on_at_the_next_part(tmp_path: Path) -> None:
    """The second part is held before it is taken; after the restart it may be a duplicate, never a gap."""
    hold = asyncio.Event()
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg, pace=0.0)) as gateway:
        tg.fail("sendMessage", Fault(passes=True), Fault(hold=hold, cut=True))
        tg.say("three parts")
        await tg.until(lambda: len(tg.sent("sendMessage")) >= 2, timeout=30.0)
        await gateway.kill()
        hold.set()
        await gateway.start()

        await until(lambda: gateway.turns()[0]["state"] == "delivered", timeout=30.0)
        told = [text for text in tg.texts(CHAT) if "You may see this answer twice" in text]
        assert len(told) == 1
        said = "".join(text for text in tg.texts(CHAT) if text not in told)
        assert said.replace(" ", "").replace("\n", "") == "word" * 1900
        assert gateway.turns()[0]["maybe_duplicate"] is True


async def test_killed_after_the_last_part_marks_a_possible_duplicate(tmp_path: Path) -> None:
    """Taken, and killed before the receipt: it goes once more, and the record says so."""
    hold = asyncio.Event()
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg)) as gateway:
        tg.fail("sendMessage", Fault(hold=hold, after=True, cut=True))
        tg.say("hi")
        await tg.until(lambda: tg.messages(CHAT))
        await gateway.kill()
        hold.set()
        await gateway.start()

        await _told_once(gateway, tg, CHAT, count=2)
        assert gateway.turns()[0]["maybe_duplicate"] is True


async def test_stopped_gateway_keeps_queued_messages_for_the_next_one(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _yaml(tg)) as gateway:
        tg.say("waiting please")
        for number in range(3):
            tg.say(f"hi {number}")
        await until(lambda: gateway.inbox() == 4)
        assert await gateway.stop() == 0
        await gateway.start()

        await _told_once(gateway, tg, CHAT, count=4)
        assert tg.texts(CHAT) == ["done waiting", "hello", "hello", "hello"]
