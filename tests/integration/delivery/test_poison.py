"""What cannot be read ends where operators see it, and holds nobody up."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.delivery.platforms import opened, up
from tests.integration.delivery.scene import counted, dead, execute, turns
from tests.integration.inprocess import running
from tests.integration.process import until
from tests.integration.telegram.scene import config

CHAT, OTHER = 4711, 4712
LOST = "⚠️ I could not deliver an earlier answer — ask again if you still need it."
HELLO = '\n      - {when: "*", say: "hello"}\n'


@pytest.mark.parametrize("what", ["letters", "parts"])
async def test_answer_that_cannot_be_read_any_more_is_told_of_and_kept(tmp_path: Path, what: str) -> None:
    async with opened("telegram") as chat:
        yaml = chat.yaml()
        async with up(tmp_path, chat, yaml) as runtime:
            count = counted(runtime, chat.bot)
            chat.limit(60)
            chat.say("hi")
            await chat.until(lambda: count("retrying") == 1)
        execute(tmp_path, f"UPDATE {what} SET body = x'ff7b'")  # noqa: S608  # one of two names
        execute(tmp_path, "UPDATE outboxes SET hold = 0, ready = 0")  # its wait is over
        async with up(tmp_path, chat, yaml) as runtime:
            count = counted(runtime, chat.bot)
            await chat.until(lambda: len(chat.texts()) == 1)
            chat.say("hi")
            await chat.until(lambda: len(chat.texts()) == 2)
            (letter,) = await until(lambda: dead(tmp_path))

            assert LOST in chat.texts()[0]
            assert chat.texts()[1] == "hello"
            assert (letter["state"], letter["chat"]) == ("dropped", "4711")
            assert letter["why"].startswith("unreadable ")
            assert turns(tmp_path)[0]["state"] == "undeliverable"
            assert count("dropped") == 1
            chat.press("Retry")
            await chat.until(lambda: len(chat.texts()) == 3)


async def test_message_of_a_later_version_is_told_of_kept_and_run_once_it_is_requeued(
    tmp_path: Path,
) -> None:
    alerts = '\nalerts: {bot: support, chat: "99"}\n'
    async with TelegramEmulator() as tg:
        yaml = config(tg, script=HELLO) + alerts
        tg.chats.known |= {CHAT, OTHER}
        async with running(tmp_path, yaml):
            tg.say("hello", chat=99, user=99)
            await tg.until(lambda: tg.messages(99))
        inbound = {"kind": "dance", "place": {"chat": str(CHAT)}, "sender": {"id": str(CHAT)}}
        body = json.dumps({"version": 99, "inbound": inbound}).encode()
        _entry(tmp_path, f"support/{CHAT}", body)
        _entry(tmp_path, f"support/{OTHER}", b"\xff")
        async with running(tmp_path, yaml):
            await tg.until(lambda: tg.messages(CHAT) and len(tg.messages(99)) == 2)
            tg.say("hi", chat=OTHER)
            tg.say("hi", chat=CHAT)
            await tg.until(lambda: tg.messages(OTHER) and len(tg.messages(CHAT)) == 2)

            assert "This turn ended early due to an error" in tg.texts(CHAT)[0]
            assert (tg.texts(CHAT)[1], tg.texts(OTHER)) == ("hello", ["hello"])
            assert "support could not deliver a message" in tg.texts(99)[1]
            found = await dead(tmp_path)
            assert {(one["kind"], one["state"], one["chat"]) for one in found} == {
                ("message", "dropped", str(CHAT)),
                ("message", "dropped", ""),
            }


def _entry(folder: Path, lane: str, body: bytes) -> None:
    """Put something into the inbox as another program might."""
    row = "INSERT INTO inbox (bot, lane, body, at) VALUES ('support', ?, ?, ?)"
    head = "INSERT INTO lanes (lane, bot, head) VALUES (?, 'support', (SELECT max(number) FROM inbox))"
    execute(folder, row, lane, body, time.time())
    execute(folder, head, lane)
