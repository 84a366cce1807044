"""Stopping, commands, access and what comes mid-turn, from YAML to the wire."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.emulators.slack import SlackEmulator
from tests.integration.inprocess import running
from tests.integration.slack.scene import AT, CHANNEL, CHAT, config, slack_bot

_QUICK = """
      - {when: waiting, wait: 0.6, say: "done waiting"}
      - {when: hang, say: "thinking about it", hang: true}
      - {when: "*", say: "hello"}
"""


async def _started(slack: SlackEmulator, channel: str) -> None:
    await slack.until(lambda: slack.messages(channel))


@pytest.mark.parametrize("said", ["/stop", " /stop", "!stop", "stop"])
async def test_stop_ends_a_hanging_turn_within_a_second(tmp_path: Path, said: str) -> None:
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        slack.say("hang on")
        await _started(slack, CHAT)
        slack.say(said)
        await slack.until(lambda: "interrupted before it finished" in slack.texts(CHAT)[0], timeout=2.0)

        assert slack.texts(CHAT)[0].startswith("thinking about it")

        slack.say("/stop")
        await slack.until(lambda: len(slack.messages(CHAT)) == 2)
        assert "Nothing is running" in slack.texts(CHAT)[1]


async def test_stop_as_a_reply_ends_the_turn_of_its_thread(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        root = slack.say(f"{AT} hang on", channel=CHANNEL)
        await _started(slack, CHANNEL)
        slack.say("stop", channel=CHANNEL, thread=root)
        await slack.until(lambda: "interrupted before it finished" in slack.texts(CHANNEL)[0], timeout=2.0)

        assert [shown.thread for shown in slack.messages(CHANNEL)] == [root]


async def test_slash_command_stops_the_turn_of_the_thread_one_spoke_in_last(tmp_path: Path) -> None:
    """Slack does not say where it was typed."""
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        slack.say(f"{AT} hang on", channel=CHANNEL)
        await _started(slack, CHANNEL)
        slack.slash("stop", channel=CHANNEL)
        await slack.until(lambda: "interrupted before it finished" in slack.texts(CHANNEL)[0], timeout=2.0)

        slack.slash("stop", channel=CHANNEL)
        await slack.until(lambda: slack.responses)
        assert "Nothing is running" in slack.responses[0]["text"]
        assert len(slack.messages(CHANNEL)) == 1


async def test_slash_command_finds_the_thread_also_after_a_restart(tmp_path: Path) -> None:
    async with SlackEmulator() as slack:
        yaml = config(slack, script=_QUICK)
        async with running(tmp_path, yaml):
            slack.say(f"{AT} hi", channel=CHANNEL)
            await slack.until(lambda: slack.messages(CHANNEL))
        async with running(tmp_path, yaml):
            slack.slash("tell me more", channel=CHANNEL)
            await slack.until(lambda: len(slack.messages(CHANNEL)) == 2)

        assert len({shown.thread for shown in slack.messages(CHANNEL)}) == 1


async def test_stop_button_of_a_sign_ends_the_turn(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK, bot="streaming: off") as (_, slack):
        slack.say("hang on")
        await asyncio.sleep(0.3)
        slack.say("and this")
        await slack.until(lambda: slack.messages(CHAT), timeout=6.0)
        slack.press(CHAT, "Stop")
        await slack.until(lambda: any("interrupted" in text for text in slack.texts(CHAT)), timeout=3.0)
        await slack.until(lambda: len(slack.messages(CHAT)) == 2, timeout=5.0)

        assert any("1 message that was waiting" in text for text in slack.texts(CHAT))


async def test_slash_command_where_the_bot_is_not_is_between_the_two(tmp_path: Path) -> None:
    """The answer is shown to one person, and nobody else learns that they asked."""
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        slack.slash("what is this?", channel=CHANNEL)
        await slack.until(lambda: slack.chats.ephemeral)

        assert slack.whispers(CHANNEL, "U0ANN") == ["hello"]
        assert slack.messages(CHANNEL) == []


async def test_slash_command_alone_says_what_there_is(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        slack.slash("", channel=CHANNEL)
        await slack.until(lambda: slack.responses)

        assert "/stop" in slack.responses[0]["text"]


async def test_unaddressed_talk_is_left_alone_until_the_bot_takes_part(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        root = slack.say("just talking", channel=CHANNEL)
        slack.say("still talking", channel=CHANNEL, thread=root)
        await slack.until(lambda: not slack.unacknowledged)
        assert slack.messages(CHANNEL) == []

        slack.say(f"what do you think, {AT}?", channel=CHANNEL, thread=root)
        await slack.until(lambda: len(slack.messages(CHANNEL)) == 1)
        slack.say("go on", channel=CHANNEL, thread=root, user="U0BOB")
        await slack.until(lambda: len(slack.messages(CHANNEL)) == 2)
        slack.say("<@U0BOB> I disagree", channel=CHANNEL, thread=root)
        slack.say("elsewhere", channel=CHANNEL)
        await slack.until(lambda: not slack.unacknowledged)
        await asyncio.sleep(0.2)

        assert {shown.thread for shown in slack.messages(CHANNEL)} == {root}
        assert len(slack.messages(CHANNEL)) == 2


async def test_bot_knows_its_threads_after_a_restart(tmp_path: Path) -> None:
    async with SlackEmulator() as slack:
        yaml = config(slack, script=_QUICK)
        async with running(tmp_path, yaml):
            root = slack.say(f"{AT} hi", channel=CHANNEL)
            await slack.until(lambda: slack.messages(CHANNEL))
        async with running(tmp_path, yaml):
            slack.say("and now?", channel=CHANNEL, thread=root)
            await slack.until(lambda: len(slack.messages(CHANNEL)) == 2)

        assert slack.messages(CHANNEL)[1].thread == root


async def test_mention_that_comes_twice_is_answered_once(tmp_path: Path) -> None:
    """As `message` and as `app_mention`, with two event ids."""
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        for _ in range(5):
            slack.say(f"{AT} hi", channel=CHANNEL)
        await slack.until(lambda: len(slack.messages(CHANNEL)) >= 5)
        await slack.until(lambda: not slack.unacknowledged)
        await asyncio.sleep(0.2)

        assert len(slack.messages(CHANNEL)) == 5


async def test_mention_in_a_public_channel_that_the_bot_is_not_in_is_answered_there(tmp_path: Path) -> None:
    """Only `app_mention` comes from there."""
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        slack.chats.channel("C0FAR").joined = False
        root = slack.say(f"{AT} hi", channel="C0FAR")
        await slack.until(lambda: slack.messages("C0FAR"))

        assert [(shown.text, shown.thread) for shown in slack.messages("C0FAR")] == [("hello", root)]


async def test_stranger_is_paired_and_then_heard(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK, access='dm: pairing, admins: ["U0OWN"]') as (_, slack):
        slack.say("let me in", user="U0EVE", channel="D0EVE")
        await _started(slack, "D0EVE")
        code = re.search(r"\b[0-9A-Z]{6,10}\b", slack.texts("D0EVE")[0])
        assert code is not None
        assert "hello" not in slack.texts("D0EVE")

        slack.say(f"/pair {code.group()}", user="U0OWN", channel="D0OWN")
        await _started(slack, "D0OWN")
        slack.say("hi", user="U0EVE", channel="D0EVE")
        await slack.until(lambda: "hello" in slack.texts("D0EVE"))


async def test_messages_of_one_conversation_are_answered_in_order(tmp_path: Path) -> None:
    script = """
      - {when: one, wait: 0.2, say: "1"}
      - {when: two, say: "2"}
      - {when: "*", say: "3"}
"""
    async with slack_bot(tmp_path, script=script) as (_, slack):
        for text in ("one", "two", "three"):
            slack.say(text)
        await slack.until(lambda: len(slack.messages(CHAT)) == 3)

        assert slack.texts(CHAT) == ["1", "2", "3"]


async def test_message_edited_while_it_waits_is_answered_as_it_reads_now(tmp_path: Path) -> None:
    script = """
      - {when: waiting, wait: 0.8, say: "done waiting"}
      - {when: new, say: "as new"}
      - {when: "*", say: "as old"}
"""
    async with slack_bot(tmp_path, script=script) as (_, slack):
        slack.say("waiting")
        second = slack.say("old words")
        await slack.until(lambda: not slack.unacknowledged)
        slack.edit(CHAT, second, "new words")
        await slack.until(lambda: len(slack.messages(CHAT)) == 2)

        assert slack.texts(CHAT) == ["done waiting", "as new"]


async def test_new_message_interrupts_where_the_operator_wants_that(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK, bot="mid_turn: interrupt") as (_, slack):
        slack.say("hang on")
        await _started(slack, CHAT)
        slack.say("hi")
        await slack.until(lambda: slack.texts(CHAT)[-1] == "hello", timeout=4.0)

        assert "Your newer message replaced this one" in slack.texts(CHAT)[0]


async def test_assistant_chat_begins_with_a_welcome(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        slack.chats.person("U0ANN", locale="de-DE")
        root = slack.chats.put(CHAT, user="U0ANN", text="")["ts"]
        opened: dict[str, object] = {"user_id": "U0ANN", "channel_id": CHAT, "thread_ts": root}
        slack.event("assistant_thread_started", {"assistant_thread": opened})
        await slack.until(lambda: slack.messages(CHAT))

        assert slack.messages(CHAT)[0].thread == root
        assert "/help" in slack.texts(CHAT)[0] or "Hallo" in slack.texts(CHAT)[0]


async def test_two_bots_of_two_workspaces_never_mix(tmp_path: Path) -> None:
    """The same channel ids in both, and people of the same id."""
    async with (
        SlackEmulator() as one,
        SlackEmulator(team="T0OTHER", token="xoxb-7-7-OtherSecret", app_token="xapp-7-OtherSecret") as two,
    ):
        first, second = config(one, script=_QUICK), config(two, script=_QUICK)
        other = second[second.index("  team:") :].replace("  team:", "  other:", 1)
        async with running(tmp_path, first + other):
            one.say("hi")
            two.say("hang on")
            await one.until(lambda: one.texts(CHAT) == ["hello"])
            await two.until(lambda: two.messages(CHAT))
            one.say("/stop")
            await one.until(lambda: len(one.messages(CHAT)) == 2)
            assert "Nothing is running" in one.texts(CHAT)[1]
            two.say("/stop")
            await two.until(lambda: "interrupted" in two.texts(CHAT)[0], timeout=3.0)

        assert len(two.messages(CHAT)) == 1


async def test_file_beside_a_message_is_told_apart(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_QUICK) as (_, slack):
        file = slack.add_file("F0ONE", b"\x00\x01", mimetype="application/x-strange", name="odd.bin")
        slack.say("look at this", subtype="file_share", files=[file])
        await slack.until(lambda: slack.messages(CHAT))

        assert "kind of file" in slack.texts(CHAT)[0]
