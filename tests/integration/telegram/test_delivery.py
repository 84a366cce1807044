"""What the person sees when Telegram misbehaves."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.emulators.telegram import Fault
from tests.integration.telegram.scene import telegram_bot

CHAT = 4711
_TWICE = "⏳ You may see this answer twice — you can ignore the second copy."
_LONG = "word " * 1900
SCRIPT = f"""
      - {{when: three, say: "{_LONG}"}}
      - {{when: "", say: "hello"}}
""".replace('{when: "", say', '{when: "*", say')


async def test_rate_limit_between_parts_resumes_at_the_part(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path, script=SCRIPT) as (_, tg):
        limit = Fault(status=429, description="Too Many Requests: retry after 1", retry_after=1)
        tg.fail("sendMessage", Fault(passes=True), limit)
        tg.say("three parts")
        await tg.until(lambda: len(tg.messages(CHAT)) >= 3)
        await asyncio.sleep(0.3)

        assert len(tg.messages(CHAT)) == 3
        assert "".join(tg.texts(CHAT)).replace(" ", "").replace("\n", "") == "word" * 1900


async def test_connection_refused_is_retried_until_delivered(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path, script=SCRIPT) as (runtime, tg):
        tg.fail("sendMessage", Fault(cut=True), Fault(cut=True))
        tg.say("hi")
        await tg.until(lambda: tg.messages(CHAT))

        assert tg.texts(CHAT) == [f"{_TWICE}\n\nhello"]
        del runtime


async def test_answer_taken_before_the_connection_broke_is_marked(tmp_path: Path) -> None:
    """Telegram cannot tell us whether it has the message: it is sent again, and says so."""
    async with telegram_bot(tmp_path, script=SCRIPT) as (_, tg):
        tg.fail("sendMessage", Fault(after=True, cut=True))
        tg.say("hi")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert tg.texts(CHAT) == ["hello", f"{_TWICE}\n\nhello"]


async def test_refused_entities_go_as_plain_text(tmp_path: Path) -> None:
    script = SCRIPT.replace('"hello"', '"**hello** there"')
    async with telegram_bot(tmp_path, script=script) as (_, tg):
        tg.fail("sendMessage", Fault(status=400, description="Bad Request: can't parse entities"))
        tg.say("hi")
        await tg.until(lambda: tg.messages(CHAT))

        assert "hello" in tg.texts(CHAT)[0]
        assert tg.messages(CHAT)[0].entities == []


async def test_blocked_person_closes_the_answer_and_is_served_again_later(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path, script=SCRIPT) as (_, tg):
        tg.blocked.add(CHAT)
        tg.say("hi")
        await tg.until(lambda: tg.sent("sendMessage"))
        await asyncio.sleep(0.2)
        tg.blocked.clear()
        tg.say("hi again")
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        lost, answer = sorted(tg.texts(CHAT), key=lambda text: text == "hello")
        assert lost.startswith("⚠️ I could not deliver an earlier answer — ask again if you still need it.")
        assert answer == "hello"


async def test_group_that_became_a_supergroup_gets_its_answer_there(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path, script=SCRIPT) as (_, tg):
        tg.fail(
            "sendMessage",
            Fault(
                status=400,
                description="Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to=-100500,
            ),
        )
        tg.say("@emulated_bot hi", chat=-500, user=1, kind="group")
        await tg.until(lambda: tg.messages(-100500))

        assert tg.texts(-100500) == ["hello"]


async def test_deleted_topic_falls_back_to_the_chat(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path, script=SCRIPT) as (_, tg):
        tg.fail("sendMessage", Fault(status=400, description="Bad Request: message thread not found"))
        tg.say("@emulated_bot hi", chat=-100, user=1, kind="supergroup", thread=36)
        await tg.until(lambda: tg.messages(-100))

        assert tg.messages(-100)[0].thread is None


async def test_updates_are_confirmed_only_after_they_are_kept(tmp_path: Path) -> None:
    async with telegram_bot(tmp_path, script=SCRIPT) as (_, tg):
        for number in range(150):
            tg.say(f"hi {number}")
        await tg.until(lambda: len(tg.messages(CHAT)) == 150, timeout=30.0)
        await tg.until(lambda: tg.unconfirmed == 0)

        assert tg.confirmed == 150
