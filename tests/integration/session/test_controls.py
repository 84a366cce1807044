"""Stopping, trying again, and asking why."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tests.emulators.telegram_chats import Shown
from tests.integration.session.conftest import Start
from tests.integration.session.recorder import asked

CHAT, GROUP = 4711, -1001
_SCRIPTED = """kind: scripted
    directives: true
    pace: 0.0
"""


async def test_stop_drops_what_waits_and_offers_to_run_it(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say("two")
        await asyncio.sleep(0.3)
        tg.say("/stop")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2, timeout=3.0)
        dropped = next(text for text in tg.texts(CHAT) if "waiting" in text)
        assert "1 message that was waiting" in dropped
        tg.say("/stop")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3, timeout=3.0)
        assert "Nothing is running" in tg.texts(CHAT)[2]
        tg.press_data(CHAT, *_button(tg.messages(CHAT), dropped))
        await tg.until(lambda: len(tg.messages(CHAT)) == 4)

        assert tg.texts(CHAT)[3] == "Heard: two"


def _button(messages: Sequence[Shown], text: str) -> tuple[int, str]:
    shown = next(one for one in messages if one.text == text)
    return shown.id, shown.buttons[0][0]["callback_data"]


async def test_next_message_runs_at_once_after_a_stop(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say("/stop")
        tg.say("two")
        await tg.until(lambda: "Heard: two" in tg.texts(CHAT), timeout=3.0)


async def test_group_turn_is_stopped_by_its_owner_or_an_admin_who_is_named(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("hang @emulated_bot", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: asked)
        tg.say("/stop", chat=GROUP, user=2, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP), timeout=3.0)
        assert "Only the person who asked" in tg.texts(GROUP)[0]
        tg.say("/stop", chat=GROUP, user=99, kind="supergroup")
        await tg.until(lambda: len(tg.messages(GROUP)) == 2, timeout=3.0)

        assert "stopped this — send it again to retry." in tg.texts(GROUP)[1]


async def test_why_tells_how_the_last_answer_ended(start: Start) -> None:
    async with start(agent=", idle_timeout: 1s") as (_, tg):
        tg.say("/why")
        await tg.until(lambda: tg.messages(CHAT))
        assert "no earlier answer" in tg.texts(CHAT)[0]
        tg.say("hang")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        tg.say("/why")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3)
        assert "longer than I can spend on one answer" in tg.texts(CHAT)[2]
        assert "Ref " in tg.texts(CHAT)[2]
        tg.say("two")
        await tg.until(lambda: len(tg.messages(CHAT)) == 4)
        tg.say("/why")
        await tg.until(lambda: len(tg.messages(CHAT)) == 5)
        assert "My last answer is complete" in tg.texts(CHAT)[4]


async def test_buttons_go_when_one_was_pressed(start: Start) -> None:
    async with start(agent=", idle_timeout: 1s") as (_, tg):
        tg.say("hang")
        await tg.until(lambda: tg.messages(CHAT))
        assert tg.messages(CHAT)[0].buttons
        tg.press(CHAT, "Retry")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert not tg.messages(CHAT)[0].buttons


async def test_retry_pressed_early_runs_when_the_wait_is_over(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("crowded")
        await tg.until(lambda: tg.messages(CHAT))
        assert "try again in" in tg.texts(CHAT)[0]
        query = tg.press(CHAT, "Retry")
        await tg.until(lambda: tg.pressed.get(query))
        assert "I will try this again by myself" in tg.pressed[query]
        assert len(tg.messages(CHAT)) == 1
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT)[1] == "Heard: crowded"


async def test_retry_that_waits_can_be_stopped(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("crowded")
        await tg.until(lambda: tg.messages(CHAT))
        tg.say("/retry")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        assert "I will try this again by myself" in tg.texts(CHAT)[1]
        tg.say("/stop")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3, timeout=2.0)

        assert "interrupted before it finished" in tg.texts(CHAT)[2]
        assert len(asked) == 1
