"""What a person and a bot may use, and what people read when it is used up."""

from __future__ import annotations

from tests.integration.session.conftest import Start
from tests.integration.session.recorder import asked

CHAT = 4711


async def test_person_has_so_many_turns_and_learns_when_more_come(start: Start) -> None:
    async with start(bot="limits: {turns_per_person: 2/hour}") as (_, tg):
        for text in ("one", "two", "three"):
            tg.say(text)
        tg.say("one", chat=5, user=5)
        await tg.until(lambda: len(tg.messages(CHAT)) == 3 and tg.messages(5))

        assert tg.texts(CHAT)[:2] == ["Heard: one", "Heard: two"]
        assert "You have reached your limit for now — you can go on in " in tg.texts(CHAT)[2]
        assert tg.texts(5) == ["Heard: one"]


async def test_bot_has_so_many_turns_for_everybody(start: Start) -> None:
    async with start(bot="limits: {turns: 1/day}") as (_, tg):
        tg.say("one")
        await tg.until(lambda: tg.messages(CHAT))
        tg.say("two", chat=5, user=5)
        await tg.until(lambda: tg.messages(5))

        assert "I have reached my limit for now — please come back in " in tg.texts(5)[0]


async def test_person_may_have_so_many_turns_at_once(start: Start) -> None:
    async with start(bot="limits: {concurrent_per_person: 1}") as (_, tg):
        tg.say("hang")
        await tg.until(lambda: asked)
        tg.say("two @emulated_bot", chat=-1001, user=CHAT, kind="supergroup")
        await tg.until(lambda: tg.messages(-1001))

        assert "I did not take this one" in tg.texts(-1001)[0]
