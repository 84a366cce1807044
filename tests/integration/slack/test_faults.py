"""Faults that people reported of chat gateways, as they happen on the wire of this one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.messages import Answer
from tests.emulators.slack import Fault
from tests.integration.slack.alone import CHAT, PLACE, alone
from tests.integration.slack.scene import AT, CHANNEL, slack_bot

_HELLO = '\n      - {when: "*", say: "hello"}\n'


async def test_turn_without_a_word_is_told(tmp_path: Path) -> None:
    """A stream that ends after a tool, or in thoughts alone."""
    async with slack_bot(tmp_path, script='\n      - {when: "*", action: look_up, say: ""}\n') as (_, slack):
        slack.say("hi")
        await slack.until(lambda: slack.messages(CHAT))

        assert "without anything to show you" in slack.texts(CHAT)[0]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(cut=True),
        Fault(after=True, cut=True),
        Fault(status=503),
        Fault(error="internal_error", after=True),
        Fault(error="ratelimited", status=429, retry_after=1),
        Fault(status=200, body=b"<html>portal</html>"),
    ],
)
async def test_answer_comes_once_whatever_becomes_of_its_first_send(tmp_path: Path, fault: Fault) -> None:
    async with slack_bot(tmp_path, script=_HELLO) as (_, slack):
        slack.fail("chat.postMessage", fault)
        slack.say("hi")
        await slack.until(lambda: slack.messages(CHAT) and len(slack.sent("chat.postMessage")) >= 1)
        await asyncio.sleep(1.5)

        assert slack.texts(CHAT) == ["hello"]


async def test_refused_blocks_go_as_plain_words_with_the_buttons(tmp_path: Path) -> None:
    async with slack_bot(tmp_path) as (_, slack):
        slack.fail("chat.postMessage", Fault(error="invalid_blocks"))
        slack.say("cut short")
        await slack.until(lambda: slack.messages(CHAT))

        (shown,) = slack.messages(CHAT)
        assert shown.text.startswith("one two three\n\n⏳")
        assert [button["text"]["text"] for button in shown.buttons] == ["Continue"]
        assert {block["type"] for block in shown.raw["blocks"]} == {"section", "actions"}


async def test_archived_channel_closes_the_answer_and_nothing_else(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_HELLO) as (_, slack):
        slack.say(f"{AT} hi", channel="C0OLD")
        slack.chats.channel("C0OLD").archived = True
        await slack.until(lambda: slack.sent("chat.postMessage"))
        slack.say("hi")
        await slack.until(lambda: slack.messages(CHAT))

        assert slack.messages("C0OLD") == []


async def test_edits_that_are_limited_pause_and_disturb_no_answer(tmp_path: Path) -> None:
    script = '\n      - {when: "*", say: "one two three four five six seven eight nine ten"}\n'
    async with slack_bot(tmp_path, agent="pace: 0.2", script=script) as (_, slack):
        slack.fail("chat.update", Fault(error="ratelimited", status=429, retry_after=1))
        slack.say("hi")
        await slack.until(lambda: slack.texts(CHAT) and slack.texts(CHAT)[0].endswith("ten"), timeout=12.0)
        await asyncio.sleep(0.3)

        assert len(slack.messages(CHAT)) == 1


@pytest.mark.parametrize("fault", [Fault(cut=True), Fault(status=502), Fault(error="missing_scope")])
async def test_status_that_fails_disturbs_no_answer(tmp_path: Path, fault: Fault) -> None:
    script = '\n      - {when: "*", wait: 0.8, say: "hello"}\n'
    async with slack_bot(tmp_path, script=script) as (_, slack):
        slack.fail("assistant.threads.setStatus", fault)
        slack.say(f"{AT} hi", channel=CHANNEL)
        await slack.until(lambda: slack.messages(CHANNEL))

        assert slack.texts(CHANNEL) == ["hello"]


async def test_token_that_was_revoked_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    async with slack_bot(tmp_path, script=_HELLO) as (gateway, slack):
        await slack.until(lambda: len(slack.delivery.sockets) == 2)
        right, slack.token = slack.token, "xoxb-0-0-changed"
        slack.say("hi")
        await slack.until(lambda: slack.sent("chat.postMessage"))
        slack.token = right
        await slack.until(lambda: slack.messages(CHAT), timeout=20.0)

        assert slack.texts(CHAT) == ["hello"]
        assert gateway is not None


@pytest.mark.parametrize("before", range(3885, 3905, 3))
async def test_looks_that_straddle_the_end_of_a_message_go_on_in_the_next(before: int) -> None:
    async with alone() as (adapter, slack):
        for part in adapter.render(Answer(f"{'a' * before} **{'b' * 40}**"), key="k"):
            await adapter.send(PLACE, part)

        bold = sum(
            len(run["text"])
            for shown in slack.messages(CHAT)
            for block in shown.raw["blocks"]
            for element in block["elements"]
            for run in element["elements"]
            if run.get("style") == {"bold": True}
        )
        assert bold == 40


@pytest.mark.parametrize("said", ["use `_` and *", "a_b*c[d](e", "5 * 3 < 7 & 2 > 1", "**", "~~~", "\\"])
async def test_unbalanced_marks_arrive_as_text(said: str) -> None:
    async with alone() as (adapter, slack):
        for part in adapter.render(Answer(said), key="k"):
            await adapter.send(PLACE, part)

        assert len(slack.messages(CHAT)) == 1
        assert "".join(slack.texts(CHAT)).strip()
