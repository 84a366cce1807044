"""What becomes of an answer while its platform is away, or its person."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.slack import Fault as SlackFault
from tests.emulators.slack import SlackEmulator
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.delivery.platforms import PLATFORMS, SCRIPT, opened, up
from tests.integration.delivery.scene import counted, turns
from tests.integration.inprocess import running
from tests.integration.slack.scene import CHAT as SLACK_CHAT
from tests.integration.slack.scene import config as slack_config
from tests.integration.telegram.scene import config

LOST = "⚠️ I could not deliver an earlier answer — ask again if you still need it."
LATE = "⏳ This answer is late because I was offline — ask again if it no longer fits."


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_answer_that_cannot_be_delivered_in_time_is_told_of_at_the_next_contact(
    tmp_path: Path, platform: str
) -> None:
    """Once, with its reference, and pressing Retry answers the old question."""
    async with opened(platform) as chat, up(tmp_path, chat, chat.yaml(bot="delivery: {ttl: 2s}")) as runtime:
        count = counted(runtime, chat.bot)
        chat.limit(1, times=3)
        chat.say("cut short")
        await chat.until(lambda: count("expired") == 1)
        assert chat.texts() == []

        chat.say("hi")
        await chat.until(lambda: len(chat.texts()) == 2)
        chat.say("hi again")
        await chat.until(lambda: len(chat.texts()) == 3)

        lost, *answers = sorted(chat.texts(), key=lambda text: "hello" in text)
        first = turns(tmp_path)[0]
        assert LOST in lost
        assert first["ref"] in lost
        assert answers == ["hello", "hello"]
        assert (first["state"], first["failure"]) == ("expired", "expired")
        await chat.until(lambda: count("delivered") == 3)
        assert count("retrying") >= 1

        chat.press("Retry")
        await chat.until(lambda: any("one two three" in text for text in chat.texts()))
        assert b"lastword_turns_without_visible_outcome_total{" not in runtime.metrics.render()


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_person_who_left_is_asked_once_and_told_when_they_are_back(
    tmp_path: Path, platform: str
) -> None:
    quiet = "streaming: 'off'"  # a growing answer may be what is refused, and is no answer
    async with opened(platform) as chat, up(tmp_path, chat, chat.yaml(bot=quiet)) as runtime:
        count = counted(runtime, chat.bot)
        chat.leave()
        for text in ("waiting please", "hi", "hi"):
            chat.say(text)
            await asyncio.sleep(0.1)  # what Slack sends at once over two sockets may be read in either order
        await chat.until(lambda: count("undeliverable") == 3)
        assert chat.calls() == 1

        chat.say("hi, I am back")
        await chat.until(lambda: len(chat.texts()) == 2)
        chat.say("hi")
        await chat.until(lambda: len(chat.texts()) == 3)

        lost, *answers = sorted(chat.texts(), key=lambda text: "hello" in text)
        assert LOST in lost
        assert answers == ["hello", "hello"]
        first = turns(tmp_path)[0]
        assert first["state"] == "undeliverable"
        assert first["failure"]


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_answer_that_leaves_long_after_it_was_asked_says_so_and_offers_to_try_again(
    tmp_path: Path, platform: str
) -> None:
    """Whether its platform kept it waiting, or nobody was there to hear the question."""
    async with opened(platform) as chat:
        yaml = chat.yaml(bot="delivery: {late_after: 1s}")
        async with up(tmp_path, chat, yaml) as runtime:
            count = counted(runtime, chat.bot)
            chat.limit(1, times=2)
            chat.say("hi")
            await chat.until(lambda: count("delivered") == 1)
            await chat.until(lambda: turns(tmp_path)[0]["state"] == "delivered")
        chat.say("hi while you are away")
        await asyncio.sleep(1.5)
        async with up(tmp_path, chat, yaml):
            await chat.until(lambda: len(chat.texts()) == 2)
            assert chat.texts()[1].endswith("hello")
            chat.press("Retry")
            await chat.until(lambda: len(chat.texts()) == 3)
            chat.say("hi")
            await chat.until(lambda: len(chat.texts()) == 4)

    assert [LATE in text for text in chat.texts()] == [True, True, False, False]


async def test_late_answer_points_to_the_question_it_answers(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        async with running(tmp_path, config(tg, bot="delivery: {late_after: 1s}", script=SCRIPT)):
            tg.fail("sendMessage", *(Fault(429, "Too Many Requests: retry after 1", 1) for _ in range(2)))
            asked = tg.say("hi")
            await tg.until(lambda: tg.messages(4711))

        first, *_, late = tg.sent("sendMessage")
        assert "reply_parameters" not in first
        assert late["reply_parameters"]["message_id"] == asked


async def test_owner_is_told_once_of_answers_that_expired(tmp_path: Path) -> None:
    """And once that answers arrive again."""
    async with TelegramEmulator() as tg:
        yaml = config(tg, bot="delivery: {ttl: 1s}", script=SCRIPT) + 'alerts: {bot: support, chat: "99"}\n'
        async with running(tmp_path, yaml) as runtime:
            count = counted(runtime, "support")
            tg.say("hi", chat=99, user=99)
            await tg.until(lambda: count("delivered") == 1)
            tg.fail("sendMessage", *(Fault(429, "Too Many Requests: retry after 9", 9) for _ in range(2)))
            tg.say("hi", chat=5, user=5)
            tg.say("hi", chat=6, user=6)
            await tg.until(lambda: count("expired") == 2)
            await tg.until(lambda: len(tg.messages(99)) == 2)
            tg.say("hi", chat=99, user=99)
            await tg.until(lambda: len(tg.messages(99)) == 4)
            await asyncio.sleep(0.3)

        told = [text for text in tg.texts(99) if text != "hello"]
        refs = [turn["ref"] for turn in turns(tmp_path) if turn["state"] == "expired"]
        assert len(told) == 2
        assert told[0].startswith("⚠️ support could not deliver a message")
        assert any(ref in told[0] for ref in refs)
        assert told[1].startswith("support works again")


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_nobody_reads_of_delivery_where_endings_are_not_told(tmp_path: Path, platform: str) -> None:
    """But a person whose message led to nothing at all: that takes another key."""
    off = "\n    never_silent: false\n    delivery: {ttl: 2s, late_after: 1s}"
    async with opened(platform) as chat:
        yaml = chat.yaml().replace(
            "surface_completion_reason: true", f"surface_completion_reason: false{off}"
        )
        async with up(tmp_path, chat, yaml) as runtime:
            count = counted(runtime, chat.bot)
            chat.limit(1, times=3)
            chat.say("hi")
            await chat.until(lambda: count("expired") == 1)
        chat.say("hi")
        await asyncio.sleep(1.2)
        async with up(tmp_path, chat, yaml):
            await chat.until(chat.texts)
            await asyncio.sleep(0.3)

    assert chat.texts() == ["hello"]


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_part_whose_answer_was_lost_comes_once_or_says_that_it_may_be_there_twice(
    tmp_path: Path, platform: str
) -> None:
    twice = "⏳ You may see this answer twice — you can ignore the second copy.\n\nhello"
    async with opened(platform) as chat, up(tmp_path, chat, chat.yaml()) as runtime:
        count = counted(runtime, chat.bot)
        chat.lose()
        chat.say("hi")
        await chat.until(lambda: count("delivered") + count("maybe_duplicate") == 1)
        await chat.until(lambda: turns(tmp_path)[0]["state"] == "delivered")

        assert chat.texts() == (["hello"] if chat.reconciles else ["hello", twice])
        assert bool(turns(tmp_path)[0].get("maybe_duplicate")) is not chat.reconciles


async def test_part_whose_answer_was_lost_says_so_on_slack_too_where_history_may_not_be_read(
    tmp_path: Path,
) -> None:
    async with SlackEmulator() as slack:
        slack.scopes = slack.scopes - {"groups:history"}
        slack.chats.channel(SLACK_CHAT)
        async with running(tmp_path, slack_config(slack, script=SCRIPT)):
            await slack.until(lambda: slack.delivery.sockets)
            slack.fail("chat.postMessage", SlackFault(after=True, cut=True))
            slack.say("hi")
            await slack.until(lambda: len(slack.messages(SLACK_CHAT)) == 2)
            await slack.until(lambda: turns(tmp_path)[0]["state"] == "delivered")

            assert slack.texts(SLACK_CHAT)[0] == "hello"
            assert slack.texts(SLACK_CHAT)[1].startswith("⏳ You may see this answer twice")
            assert turns(tmp_path)[0]["maybe_duplicate"] is True


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_part_that_is_refused_goes_plainly_once_and_never_holds_the_lane(
    tmp_path: Path, platform: str
) -> None:
    long = "word " * 1900
    script = f"""
      - {{when: long, say: "{long}", end: max_steps}}
      - {{when: "*", say: "hello"}}
"""
    async with opened(platform) as chat, up(tmp_path, chat, chat.yaml(script=script)) as runtime:
        count = counted(runtime, chat.bot)
        chat.refuse(2)
        chat.say("long")
        chat.say("hi")
        await chat.until(lambda: count("delivered") == 2)

        first = turns(tmp_path)[0]
        assert (first["state"], first["skipped"]) == ("delivered", 1)
        assert "step limit" in "".join(chat.texts())
        assert chat.texts()[-1] == "hello"
        assert len("".join(chat.texts()).replace(" ", "").replace("\n", "")) > 2000
