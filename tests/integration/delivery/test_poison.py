"""What cannot be read ends where operators see it, and holds nobody up."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.delivery.platforms import opened, up
from tests.integration.delivery.scene import counted, dead, execute, lastword, turns
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


async def test_message_that_cannot_be_read_is_told_of_kept_and_run_once_it_can_be(tmp_path: Path) -> None:
    """One of a later version, whose place is known, and one of which nothing is."""
    alerts = '\nalerts: {bot: support, chat: "99"}\n'
    async with TelegramEmulator() as tg:
        yaml = config(tg, script=HELLO) + alerts
        tg.chats.known |= {CHAT, OTHER}
        async with running(tmp_path, yaml):
            tg.say("hello", chat=99, user=99)
            await tg.until(lambda: tg.messages(99))
        _entry(tmp_path, f"support/{CHAT}", _message("dance", CHAT))
        _entry(tmp_path, f"support/{OTHER}", b"\xff")
        async with running(tmp_path, yaml):
            await tg.until(lambda: tg.messages(CHAT) and len(tg.messages(99)) == 2)
            tg.say("hi", chat=OTHER)
            tg.say("hi", chat=CHAT)
            await tg.until(lambda: tg.messages(OTHER) and len(tg.messages(CHAT)) == 2)

            assert "This turn ended early due to an error" in tg.texts(CHAT)[0]
            assert (tg.texts(CHAT)[1], tg.texts(OTHER)) == ("hello", ["hello"])
            assert "support could not deliver a message" in tg.texts(99)[1]
            unread, known = await until(lambda: _of(tmp_path, 2))
            assert [one["chat"] for one in (unread, known)] == ["", str(CHAT)]
            assert {(one["kind"], one["state"]) for one in (unread, known)} == {("message", "dropped")}
            assert "cannot be read" in known["why"]

        readable = _message("message", CHAT)
        execute(tmp_path, "UPDATE letters SET body = ? WHERE id = ?", readable, known["id"])
        assert (await lastword(tmp_path, "dead", "requeue", "--all")).out == "Requeued 2 letters.\n"
        async with running(tmp_path, yaml):
            await tg.until(lambda: len(tg.messages(CHAT)) == 3)
            assert tg.texts(CHAT)[2] == "hello"
            assert [one["chat"] for one in await until(lambda: _of(tmp_path, 1))] == [""]


async def _of(folder: Path, count: int) -> list[dict[str, Any]]:
    """What is dead, by its chat, once it is so many."""
    found = await dead(folder)
    return sorted(found, key=lambda one: str(one["chat"])) if len(found) == count else []


def _message(kind: str, chat: int) -> bytes:
    """An entry of the inbox."""
    place, sender = {"chat": str(chat)}, {"id": str(chat)}
    said = {"kind": kind, "place": place, "sender": sender, "text": "old", "message_id": "1"}
    return json.dumps({"inbound": said}).encode()


def _entry(folder: Path, lane: str, body: bytes) -> None:
    """Put something into the inbox as another program might."""
    row = "INSERT INTO inbox (bot, lane, body, at) VALUES ('support', ?, ?, ?)"
    head = "INSERT INTO lanes (lane, bot, head) VALUES (?, 'support', (SELECT max(number) FROM inbox))"
    execute(folder, row, lane, body, time.time())
    execute(folder, head, lane)
