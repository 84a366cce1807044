"""Awkward moments while a turn runs: whatever is sent, each message is answered once, and visibly."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import Gateway, until
from tests.integration.session.conftest import Start
from tests.integration.session.recorder import asked

CHAT, GROUP = 4711, -1001
_AT = "@emulated_bot"


async def test_typed_stop_stops_where_newer_messages_interrupt(start: Start) -> None:
    async with start(bot="mid_turn: interrupt") as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say("stop")
        await tg.until(lambda: tg.messages(CHAT), timeout=3.0)
        await asyncio.sleep(0.3)

        assert len(tg.texts(CHAT)) == 1
        assert "interrupted before it finished" in tg.texts(CHAT)[0]


async def test_message_that_is_turned_away_replaces_no_answer(start: Start) -> None:
    """Its sender would get neither the old answer nor a new one."""
    async with start(bot="mid_turn: interrupt\n    limits: {queue: 1}", agent=", idle_timeout: 2s") as (
        _,
        tg,
    ):
        tg.say(f"hang {_AT}", user=1, chat=GROUP, kind="supergroup")
        await tg.until(lambda: asked)
        tg.say(f"waits {_AT}", user=2, chat=GROUP, kind="supergroup")
        await asyncio.sleep(0.2)
        tg.say(f"newer {_AT}", user=1, chat=GROUP, kind="supergroup")
        await tg.until(lambda: len(tg.messages(GROUP)) >= 3)

        assert sum("did not take this one" in text for text in tg.texts(GROUP)) == 1
        assert sum("longer than I can spend" in text for text in tg.texts(GROUP)) == 1


async def test_new_chat_of_one_person_drops_no_message_of_another(start: Start) -> None:
    async with start() as (_, tg):
        tg.say(f"hang {_AT}", user=1, chat=GROUP, kind="supergroup")
        await tg.until(lambda: asked)
        tg.say(f"mine {_AT}", user=2, chat=GROUP, kind="supergroup")
        await asyncio.sleep(0.2)
        tg.say(f"/new{_AT}", user=1, chat=GROUP, kind="supergroup")
        await tg.until(lambda: any("new chat" in text for text in tg.texts(GROUP)))
        await asyncio.sleep(0.3)

        assert any(text.startswith("Heard: mine") for text in tg.texts(GROUP))


async def test_stop_reaches_what_is_still_being_gathered(start: Start) -> None:
    async with start(bot="mid_turn: collect\n    session: {debounce: 2s}") as (_, tg):
        tg.say("one")
        await asyncio.sleep(0.3)
        tg.say("/stop")
        await tg.until(lambda: tg.messages(CHAT))
        await asyncio.sleep(2.5)

        assert not any(text.startswith("Heard") for text in tg.texts(CHAT))
        assert not any("Nothing is running" in text for text in tg.texts(CHAT))


@pytest.mark.parametrize("mode", ["queue", "collect", "interrupt", "steer"])
async def test_burst_is_answered_or_turned_away_message_by_message(start: Start, mode: str) -> None:
    async with start(bot=f"mid_turn: {mode}\n    session: {{debounce: 1s}}") as (_, tg):
        for number in range(50):
            tg.say(f"number {number:02}.")
        await tg.until(
            lambda: (
                sum("did not take" in text for text in tg.texts(CHAT))
                + sum(text.count("number ") for text in tg.texts(CHAT))
                >= 50
            )
        )
        await asyncio.sleep(0.5)

        answered = [text for text in tg.texts(CHAT) if "number" in text]
        numbers = [line.split("number ")[1][:2] for text in answered for line in text.splitlines()]
        refused = sum("did not take" in text for text in tg.texts(CHAT))
        assert numbers == sorted(set(numbers))
        assert len(numbers) + refused == 50


def _acting(tg: TelegramEmulator, bot: str) -> str:
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  actor:
    kind: scripted
    pace: 0.0
    script: [{{when: act, action: pay, hang: true}}, {{when: "*", say: "Answer."}}]
bots:
  support:
    platform: telegram
    token: "{tg.token}"
    api_base: "{tg.base}"
    agent: actor
    surface_completion_reason: true
    access: {{dm: open}}
    {bot}
"""


@pytest.mark.parametrize("mode", ["queue", "collect", "interrupt"])
async def test_message_behind_a_turn_that_a_kill_ended_is_answered(tmp_path: Path, mode: str) -> None:
    config = f"mid_turn: {mode}\n    session: {{debounce: 1s}}"
    async with TelegramEmulator() as tg, Gateway(tmp_path, _acting(tg, config)) as gateway:
        tg.say("act")
        await until(lambda: any("pay" in turn.get("actions", ()) for turn in gateway.turns()))
        if mode == "interrupt":  # what comes while it is down disturbs nothing
            await gateway.kill()
            tg.say("second")
            await gateway.start()
        else:
            tg.say("second")
            await asyncio.sleep(0.5)
            await gateway.restart()
        await tg.until(lambda: len(tg.messages(CHAT)) >= 2)

        assert "I was restarted" in tg.texts(CHAT)[0]
        assert tg.texts(CHAT)[1] == "Answer."
        assert await gateway.silent() == 0
