"""What becomes of messages that come while the bot still answers."""

from __future__ import annotations

import asyncio

import pytest

from tests.integration.session.conftest import Start
from tests.integration.session.recorder import asked

CHAT, GROUP = 4711, -1001


async def test_messages_wait_their_turn_and_are_answered_one_by_one(start: Start) -> None:
    async with start() as (_, tg):
        for text in ("slow one", "two", "three"):
            tg.say(text)
        await tg.until(lambda: len(tg.messages(CHAT)) == 3)

        assert tg.texts(CHAT) == ["Heard: slow one", "Heard: two", "Heard: three"]


async def test_person_who_waits_long_is_told_once_and_the_sign_is_taken_back(start: Start) -> None:
    async with start(agent=", idle_timeout: 8s") as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say("two")
        tg.say("three")
        await tg.until(lambda: tg.messages(CHAT))
        assert tg.texts(CHAT) == ["⏳ I have your message — I will answer it after 1 other."]
        assert [button["text"] for row in tg.messages(CHAT)[0].buttons for button in row] == ["Stop"]
        tg.press(CHAT, "Stop")
        await tg.until(lambda: "I have your message" not in "".join(tg.texts(CHAT)))
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert "interrupted before it finished" in tg.texts(CHAT)[0] + tg.texts(CHAT)[1]
        assert "2 messages that were waiting" in tg.texts(CHAT)[0] + tg.texts(CHAT)[1]


async def test_messages_that_come_together_are_answered_together(start: Start) -> None:
    async with start(bot="mid_turn: collect\n    session: {debounce: 1s}") as (_, tg):
        for text in ("first", "second", "third"):
            tg.say(text)
            await asyncio.sleep(0.1)
        await tg.until(lambda: tg.messages(CHAT))
        await asyncio.sleep(0.3)

        assert tg.texts(CHAT) == ["Heard: first\nsecond\nthird"]


async def test_speakers_of_a_group_stay_apart_when_they_are_answered_together(start: Start) -> None:
    async with start(bot="mid_turn: collect\n    session: {debounce: 1s}") as (_, tg):
        tg.say("first @emulated_bot", chat=GROUP, user=1, kind="supergroup")
        tg.say("second @emulated_bot", chat=GROUP, user=2, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))

        assert "first" in asked[0].text
        assert "second" in asked[0].text
        assert ":" in asked[0].text


async def test_newer_message_replaces_the_answer_and_knows_of_the_older(start: Start) -> None:
    async with start(bot="mid_turn: interrupt") as (_, tg):
        tg.say("hang on to this")
        await tg.until(lambda: asked)
        tg.say("what did I say?")
        await tg.until(lambda: tg.messages(CHAT))
        await asyncio.sleep(0.2)

        assert tg.texts(CHAT) == ["Heard: what did I say?"]
        assert [line.text for line in asked[1].history if line.role == "user"] == ["hang on to this"]


async def test_answer_of_another_person_is_not_replaced_in_a_group(start: Start) -> None:
    async with start(bot="mid_turn: interrupt", agent=", idle_timeout: 1s") as (_, tg):
        tg.say("hang @emulated_bot", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: asked)
        tg.say("mine @emulated_bot", chat=GROUP, user=2, kind="supergroup")
        await tg.until(lambda: len(tg.messages(GROUP)) == 2)

        assert "longer than I can spend" in tg.texts(GROUP)[0]
        assert tg.texts(GROUP)[1].startswith("Heard: mine")


async def test_message_that_finds_the_queue_full_is_turned_away_at_once(start: Start) -> None:
    async with start(bot="limits: {queue: 2}") as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        for text in ("two", "three", "four", "five"):
            tg.say(text)
        await tg.until(lambda: sum("did not take this one" in text for text in tg.texts(CHAT)) == 2)
        tg.say("/stop")
        await tg.until(lambda: any("2 messages that were waiting" in text for text in tg.texts(CHAT)))


async def test_edit_of_a_message_that_waits_is_read_as_edited(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("slow one")
        await tg.until(lambda: asked)
        message = tg.say("tow")
        tg.edit(message, "two")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT) == ["Heard: slow one", "Heard: two"]


async def test_edit_of_a_message_that_was_answered_changes_nothing(start: Start) -> None:
    async with start() as (_, tg):
        message = tg.say("two")
        await tg.until(lambda: tg.messages(CHAT))
        tg.edit(message, "tree")
        tg.say("four")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT) == ["Heard: two", "Heard: four"]


async def test_new_chat_ends_what_runs_and_what_waits(start: Start) -> None:
    async with start() as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say("two")
        await asyncio.sleep(0.2)
        tg.say("/new")
        await tg.until(lambda: tg.messages(CHAT), timeout=3.0)
        tg.say("three")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert "new chat" in tg.texts(CHAT)[0]
        assert tg.texts(CHAT)[1] == "Heard: three"
        assert asked[-1].history == ()


@pytest.mark.parametrize("command", ["/continue", "/retry", "/status"])
async def test_command_is_answered_at_once_whatever_runs(start: Start, command: str) -> None:
    async with start() as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say(command)
        await tg.until(lambda: tg.messages(CHAT), timeout=1.5)

        assert "I am working on your last message" in tg.texts(CHAT)[0]


@pytest.mark.parametrize("word", ["stop", "Stop!", "cancel"])
async def test_typed_stop_stops_at_once(start: Start, word: str) -> None:
    async with start() as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say(word)
        await tg.until(lambda: tg.messages(CHAT), timeout=1.5)

        assert "interrupted before it finished" in tg.texts(CHAT)[0]


async def test_replaced_answer_that_was_seen_is_edited_to_say_so(start: Start) -> None:
    """In a group the growing answer is a message: it stays and says what became of it."""
    bot = 'mid_turn: interrupt\n    routes: [{chat: "-1001", agent: teller}]'
    teller = '}\n  teller: {target: "tests.integration.session.recorder:teller"'
    async with start(bot=bot, agent=teller) as (_, tg):
        tg.say("hang @emulated_bot", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))
        tg.say("now this @emulated_bot", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: len(tg.messages(GROUP)) == 2)
        await tg.until(lambda: "replaced" in tg.texts(GROUP)[0])

        assert tg.texts(GROUP)[0] == (
            "One two three\n\n🛑 Your newer message replaced this one — my answer follows below."
        )
        assert tg.texts(GROUP)[1].startswith("Heard: now this")
