"""Kill a real gateway at each step of the line on Slack; one visible outcome each time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.slack import Fault, SlackEmulator
from tests.integration.process import Gateway, until
from tests.integration.slack.scene import AT, CHANNEL, CHAT, config

pytestmark = pytest.mark.kill

LONG = "word " * 1900
SCRIPT = f"""
      - {{when: three, say: "{LONG}"}}
      - {{when: acting, action: send_report, say: "one two three four five six", hang: true, resume: "seven"}}
      - {{when: growing, say: "one two three four five six seven eight nine ten eleven twelve thirteen"}}
      - {{when: waiting, wait: 1.0, say: "done waiting"}}
      - {{when: "*", say: "hello"}}
"""


def _yaml(slack: SlackEmulator, *, pace: float = 0.15) -> str:
    slack.chats.channel(CHAT)
    slack.chats.channel(CHANNEL)
    return config(slack, agent=f"pace: {pace}", script=SCRIPT)


async def _told_once(gateway: Gateway, slack: SlackEmulator, channel: str, count: int = 1) -> None:
    """Nothing more comes, and every turn has an end that a person saw."""
    await slack.until(lambda: len(slack.messages(channel)) >= count, timeout=20.0)
    await until(lambda: all(turn.get("state") == "delivered" for turn in gateway.turns()), timeout=20.0)
    await asyncio.sleep(0.5)
    assert len(slack.messages(channel)) == count
    assert await gateway.silent() == 0


async def test_killed_between_commit_and_acknowledgement_answers_once(tmp_path: Path) -> None:
    """Slack sends the envelope again; it is known."""
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack)) as gateway:
        slack.say("waiting please")
        await until(lambda: gateway.inbox() == 1)
        await gateway.restart()
        for event_id in ("Ev_again", "Ev_again"):
            message = next(iter(slack.chats.channel(CHAT).messages.values()))
            slack.event("message", {**message, "channel": CHAT, "channel_type": "im"}, event_id=event_id)

        await _told_once(gateway, slack, CHAT)
        assert slack.texts(CHAT) == ["done waiting"]


async def test_killed_mid_agent_after_an_action_says_so(tmp_path: Path) -> None:
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack)) as gateway:
        slack.say("acting please", locale="de-DE")
        await slack.until(lambda: slack.messages(CHAT) and "four" in slack.texts(CHAT)[0])
        await asyncio.sleep(1.2)
        await gateway.restart()

        await _told_once(gateway, slack, CHAT)
        assert slack.texts(CHAT)[0].startswith("one two three four")
        assert "neu gestartet" in slack.texts(CHAT)[0]

        slack.press(CHAT, "Weiter")
        await slack.until(lambda: len(slack.messages(CHAT)) == 2)
        assert slack.texts(CHAT)[1] == "seven"


@pytest.mark.parametrize("channel", [CHAT, CHANNEL])
async def test_killed_mid_preview_goes_on_in_the_same_message(tmp_path: Path, channel: str) -> None:
    """An edited message in private, a stream in a channel."""
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack)) as gateway:
        slack.say(f"{AT} growing", channel=channel)
        await slack.until(lambda: slack.messages(channel))
        preview = slack.messages(channel)[0].ts
        assert bool(slack.methods.streams) == (channel == CHANNEL)
        await asyncio.sleep(0.3)
        await gateway.restart()

        await slack.until(
            lambda: slack.texts(channel)[-1:] and slack.texts(channel)[-1].endswith("thirteen"), timeout=20.0
        )
        await _told_once(gateway, slack, channel)
        assert slack.messages(channel)[0].ts == preview
        assert not slack.methods.streams


async def test_killed_after_the_turn_commit_before_any_part_delivers_once(tmp_path: Path) -> None:
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack)) as gateway:
        slack.fail(
            "chat.postMessage", *(Fault(error="ratelimited", status=429, retry_after=1) for _ in range(2))
        )
        slack.say("hi")
        await slack.until(lambda: slack.sent("chat.postMessage"))
        await gateway.restart()

        await _told_once(gateway, slack, CHAT)
        assert slack.texts(CHAT) == ["hello"]


@pytest.mark.parametrize("taken", [True, False])
async def test_killed_within_a_send_leaves_neither_gap_nor_duplicate(tmp_path: Path, *, taken: bool) -> None:
    """Whether Slack had the second part already, its history tells."""
    hold = asyncio.Event()
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack, pace=0.0)) as gateway:
        slack.fail("chat.postMessage", Fault(passes=True), Fault(hold=hold, cut=True, after=taken))
        slack.say("three parts")
        await slack.until(lambda: len(slack.sent("chat.postMessage")) >= 2, timeout=30.0)
        await gateway.kill()
        hold.set()
        await gateway.start()

        await until(lambda: gateway.turns()[0].get("state") == "delivered", timeout=30.0)
        assert "".join(slack.texts(CHAT)).replace(" ", "").replace("\n", "") == "word" * 1900
        assert len(slack.messages(CHAT)) == 3
        assert not gateway.turns()[0].get("maybe_duplicate")


async def test_message_said_while_the_process_was_dead_is_answered(tmp_path: Path) -> None:
    """No socket stood, so Slack gave it up; its history has it."""
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack)) as gateway:
        slack.say("hi")
        await slack.until(lambda: slack.messages(CHAT))
        await gateway.kill()
        slack.delivery.keeps = False
        await slack.until(lambda: not slack.delivery.sockets)
        slack.say("are you there?")
        assert slack.delivery.lost
        await gateway.start()

        await _told_once(gateway, slack, CHAT, count=2)


async def test_stopped_gateway_keeps_queued_messages_for_the_next_one(tmp_path: Path) -> None:
    async with SlackEmulator() as slack, Gateway(tmp_path, _yaml(slack)) as gateway:
        slack.say("waiting please")
        for number in range(3):
            slack.say(f"hi {number}")
        await until(lambda: gateway.inbox() == 4)
        assert await gateway.stop() == 0
        assert slack.delivery.sockets == []
        await gateway.start()

        await _told_once(gateway, slack, CHAT, count=4)
        assert slack.texts(CHAT) == ["done waiting", "hello", "hello", "hello"]
