"""What belongs to one conversation, and who answers in it."""

from __future__ import annotations

import asyncio

import pytest

from tests.integration.session.conftest import Start
from tests.integration.session.recorder import asked

CHAT, GROUP = 4711, -1001
_AT = "@emulated_bot"


def _past(number: int = -1) -> list[str]:
    return [line.text for line in asked[number].history if line.role == "user"]


async def test_quiet_conversation_begins_anew(start: Start) -> None:
    async with start(bot="session: {reset: {idle: 1s}}") as (_, tg):
        tg.say("one")
        await tg.until(lambda: tg.messages(CHAT))
        tg.say("two")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)
        assert _past() == ["one"]
        await asyncio.sleep(1.2)
        tg.say("three")
        await tg.until(lambda: len(tg.messages(CHAT)) == 3)
        assert _past() == []
        tg.say("four")
        await tg.until(lambda: len(tg.messages(CHAT)) == 4)
        assert _past() == ["three"]


@pytest.mark.parametrize(
    ("scope", "of_topic", "of_other"),
    [("auto", [], [f"one {_AT}"]), ("chat", [f"one {_AT}"], [f"one {_AT}"]), ("user", [], [])],
)
async def test_scope_says_who_shares_a_conversation(
    start: Start, scope: str, of_topic: list[str], of_other: list[str]
) -> None:
    async with start(bot=f"session: {{scope: {scope}}}") as (_, tg):
        tg.say(f"one {_AT}", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))
        tg.say(f"other {_AT}", chat=GROUP, user=2, kind="supergroup")
        await tg.until(lambda: len(tg.messages(GROUP)) == 2)
        other = [text.strip() for text in _past()]
        tg.say(f"topic {_AT}", chat=GROUP, user=1, kind="supergroup", thread=42)
        await tg.until(lambda: len(tg.messages(GROUP)) == 3)
        topic = [text.strip() for text in _past()]

        bare = [text.replace(_AT, "").strip() for text in of_other]
        assert [text.replace(_AT, "").strip() for text in other] == bare
        assert bool(topic) == bool(of_topic)


async def test_group_never_bleeds_into_a_private_chat(start: Start) -> None:
    async with start() as (_, tg):
        tg.say(f"secret {_AT}", chat=GROUP, user=CHAT, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))
        tg.say("hello")
        await tg.until(lambda: tg.messages(CHAT))

        assert asked[-1].history == ()
        assert asked[-1].overheard == ()


async def test_what_the_group_said_meanwhile_is_told_and_marked(start: Start) -> None:
    async with start(bot="session: {group_context: 2}") as (_, tg):
        for text in ("aaa", "bbb", "ccc"):
            tg.say(text, chat=GROUP, user=1, kind="supergroup")
        tg.say(f"so? {_AT}", chat=GROUP, user=2, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))
        assert [line.text for line in asked[-1].overheard] == ["bbb", "ccc"]
        assert asked[-1].history == ()
        tg.say(f"and? {_AT}", chat=GROUP, user=2, kind="supergroup")
        await tg.until(lambda: len(tg.messages(GROUP)) == 2)
        assert asked[-1].overheard == ()


async def test_routes_choose_who_answers_where(start: Start) -> None:
    routes = f"""routes:
      - {{chat: "{GROUP}", topic: 42, agent: clerk, instructions: "Be brief."}}
      - {{chat: 5, instructions: "Be kind."}}"""
    async with start(bot=routes) as (_, tg):
        tg.say(f"one {_AT}", chat=GROUP, user=1, kind="supergroup")
        tg.say(f"two {_AT}", chat=GROUP, user=1, kind="supergroup", thread=42)
        tg.say("three", chat=5, user=5)
        await tg.until(lambda: len(tg.messages(GROUP)) == 2 and tg.messages(5))

        assert any(text.startswith("Heard: one") for text in tg.texts(GROUP))
        assert any(text.startswith("Clerk: two") and text.endswith("[Be brief.]") for text in tg.texts(GROUP))
        assert next(request.instructions for request in asked if request.text == "three") == "Be kind."


async def test_group_keeps_its_conversation_when_it_moves(start: Start) -> None:
    async with start() as (_, tg):
        tg.say(f"one {_AT}", chat=-500, user=1, kind="group")
        await tg.until(lambda: tg.messages(-500))
        tg.migrate(-500, GROUP)
        await asyncio.sleep(0.3)
        tg.say(f"two {_AT}", chat=GROUP, user=1, kind="supergroup")
        await tg.until(lambda: tg.messages(GROUP))

        assert [text.replace(_AT, "").strip() for text in _past()] == ["one"]
