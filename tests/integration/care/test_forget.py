"""`lastword forget` leaves nothing of a person in the store, and everything of everybody else."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.emulators.telegram import Fault
from tests.integration.care.scene import kept, ran, talking

ANN, BOB, GROUP = 11, 12, -100500
SECRET, OTHER = "the-word-of-ann", "the-word-of-bob"


def _lanes(folder: Path) -> set[str]:
    """The conversations that are named by what is over."""
    with closing(sqlite3.connect(f"file:{folder}/lastword.db?mode=ro", uri=True)) as db:
        return {lane for (lane,) in db.execute("SELECT lane FROM inbox UNION SELECT lane FROM letters")}


async def test_person_is_forgotten_while_the_gateway_runs(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        for number in range(30):
            telegram.say(f"{SECRET} {number} {'x' * 300}", chat=ANN)
        telegram.say(OTHER, chat=BOB)
        await telegram.until(lambda: len(telegram.texts(ANN)) == 30 and telegram.texts(BOB))
        await asyncio.sleep(0.3)
        assert kept(tmp_path, SECRET)

        code, said = await ran(gateway, "forget", "--bot", "support", "--person", str(ANN), "--dry-run")
        assert code == 0
        assert "rows are kept of person 11" in said
        assert kept(tmp_path, SECRET)
        code, said = await ran(gateway, "forget", "--bot", "support", "--person", str(ANN), "--yes")
        assert code == 0, said
        assert said.startswith("Removed ")

        assert kept(tmp_path, SECRET) == []
        assert kept(tmp_path, OTHER)
        assert _lanes(tmp_path) == {f"support/{BOB}", ""}
        assert {turn["inbound"]["sender"]["id"] for turn in gateway.turns()} == {str(BOB)}
        code, said = await ran(gateway, "forget", "--bot", "support", "--person", str(ANN), "--yes")
        assert "Nothing is kept of person 11" in said
        telegram.say("hello again", chat=ANN)
        await telegram.until(lambda: len(telegram.texts(ANN)) == 31)


async def test_person_is_forgotten_with_what_runs_waits_and_was_lost(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        telegram.fail("sendMessage", *[Fault(status=400)] * 2)
        telegram.say(f"{SECRET} refused", chat=ANN)
        await asyncio.sleep(1.0)
        telegram.say(f"hang {SECRET}", chat=ANN)
        telegram.say(f"{SECRET} waits", chat=ANN)
        await telegram.until(lambda: gateway.inbox() == 2)
        await asyncio.sleep(0.5)

        code, said = await ran(gateway, "forget", "--bot", "support", "--person", str(ANN), "--yes")

        assert code == 0, said
        assert kept(tmp_path, SECRET) == []
        await asyncio.sleep(1.0)
        assert (kept(tmp_path, SECRET), gateway.inbox(), gateway.turns()) == ([], 0, [])
        telegram.say("hello", chat=ANN)
        await telegram.until(lambda: telegram.texts(ANN))


async def test_in_a_group_only_the_person_is_forgotten(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        for user, text in ((ANN, SECRET), (BOB, OTHER), (ANN, f"{SECRET} again")):
            telegram.say(text, chat=GROUP, user=user, kind="supergroup")
        await telegram.until(lambda: len(telegram.texts(GROUP)) == 3)
        await asyncio.sleep(0.3)

        code, said = await ran(gateway, "forget", "--bot", "support", "--person", str(ANN), "--yes")

        assert code == 0, said
        assert kept(tmp_path, SECRET) == []
        assert kept(tmp_path, OTHER)


async def test_chat_is_forgotten_without_a_gateway(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        telegram.say(SECRET, chat=ANN)
        telegram.say(OTHER, chat=BOB)
        await telegram.until(lambda: telegram.texts(ANN) and telegram.texts(BOB))
        await asyncio.sleep(0.3)
        await gateway.stop()

        code, said = await ran(gateway, "forget", "--bot", "support", "--chat", str(ANN), "--yes")

        assert code == 0, said
        assert kept(tmp_path, SECRET) == []
        assert kept(tmp_path, OTHER)


async def test_wrong_words_are_told(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, _):
        both = await ran(gateway, "forget", "--bot", "support", "--person", "1", "--chat", "2")
        unknown = await ran(gateway, "forget", "--bot", "suport", "--person", "1")

    assert both[0] == 2
    assert unknown[0] == 1
    assert "There is no bot 'suport'; there are: support." in unknown[1]
