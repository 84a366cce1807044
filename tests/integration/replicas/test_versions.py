"""Two versions on one store, as while a deploy rolls: one writes what the other does not know."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gateway.session.carrying import FORM
from gateway.stores.redis import RedisStore
from gateway.stores.redis.address import parse
from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import until
from tests.integration.replicas.later import FORMAT, SITECUSTOMIZE
from tests.integration.replicas.scene import LONG, Replica, answered_once, shared_store, telegram_config
from tests.integration.terminal import lastword

pytestmark = pytest.mark.kill


@dataclass(frozen=True, slots=True)
class _Pair:
    tg: TelegramEmulator
    later: Replica
    today: Replica
    store: str

    async def records(self) -> list[dict[str, Any]]:
        """Every record as it stands in the store."""
        store = RedisStore(parse(self.store, base=Path()))
        await store.open()
        try:
            return [json.loads(turn.body) for turn in await store.turns(limit=1000)]
        finally:
            await store.close()

    async def delivered(self) -> bool:
        """Whether every answer is on the record as delivered."""
        return all(one["state"] in ("delivered", "suppressed") for one in await self.records())

    async def offers(self) -> list[dict[str, Any]]:
        """Every offer as it stands in the store."""
        store = RedisStore(parse(self.store, base=Path()))
        await store.open()
        try:
            return [json.loads(value) for _, value in await store.scan("offer/")]
        finally:
            await store.close()


@asynccontextmanager
async def _pair(
    folder: Path, *, env: dict[str, str] | None = None, pace: float = 0.1, overall: int = 0
) -> AsyncGenerator[_Pair]:
    """A process of a later version, which holds the bot, and one of today's, which stands by."""
    for name in ("later", "today"):
        (folder / name).mkdir()
    (folder / "later" / "sitecustomize.py").write_text(SITECUSTOMIZE)
    store = shared_store()
    async with TelegramEmulator() as tg:
        text = telegram_config(tg, store, pace=pace).replace("overall: 0", f"overall: {overall}")
        async with Replica(folder / "later", text, env=env) as later:
            await until(later.leads)
            async with Replica(folder / "today", text) as today:
                await until(today.stands_by)
                yield _Pair(tg, later, today, store)


async def test_today_goes_on_where_a_later_version_was_killed_and_hands_back(tmp_path: Path) -> None:
    async with _pair(tmp_path) as pair:
        tg, later, today = pair.tg, pair.later, pair.today
        tg.say("hi", chat=11)
        tg.say("!max_steps", chat=12)
        await answered_once(tg, ["hello"], chat=11)
        await tg.until(lambda: tg.messages(12))
        tg.say("waiting please", chat=13)
        tg.say("hi", chat=13)
        tg.say("acting please", chat=14)
        await tg.until(lambda: tg.drafts[14] and "four" in tg.drafts[14][-1])
        await asyncio.sleep(1.2)
        await later.kill()
        await until(today.leads)
        await answered_once(tg, ["done waiting", "hello"], chat=13)
        await tg.until(lambda: tg.messages(14), timeout=20.0)
        tg.press(12, "Continue")
        tg.press(14, "Continue")
        await tg.until(lambda: len(tg.messages(12)) == 2)
        await tg.until(lambda: len(tg.messages(14)) == 2)

        await later.start()
        await until(later.stands_by)
        tg.say("waiting please", chat=15)
        tg.say("hi", chat=15)
        await asyncio.sleep(0.4)
        assert await today.stop() == 0
        await until(later.leads)
        await answered_once(tg, ["done waiting", "hello"], chat=15)
        assert tg.texts(14)[1] == "seven"
        for chat, count in ((11, 1), (12, 2), (13, 2), (14, 2), (15, 2)):
            assert len(tg.texts(chat)) == count, tg.texts(chat)
        assert await later.silent() == 0
        assert not [line for line in today.log if "unreadable" in line]


async def test_today_keeps_what_a_later_version_wrote(tmp_path: Path) -> None:
    """The later one took the message and began its turn, and its button was pressed at today's."""
    async with _pair(tmp_path) as pair:
        tg = pair.tg
        tg.say("!max_steps", chat=12)
        await tg.until(lambda: tg.messages(12))
        tg.say("acting please", chat=13)
        await tg.until(lambda: tg.drafts[13] and "four" in tg.drafts[13][-1])
        tg.say("waiting please", chat=14)
        await asyncio.sleep(1.2)
        await pair.later.kill()
        await until(pair.today.leads)
        tg.press(12, "Continue")
        await tg.until(lambda: [len(tg.messages(chat)) for chat in (12, 13, 14)] == [2, 1, 1], timeout=20.0)
        await until(pair.delivered)

        (acted,) = [one for one in await pair.records() if one["inbound"]["text"] == "acting please"]
        (waited,) = [one for one in await pair.records() if one["inbound"]["text"] == "waiting please"]
        taken = [one for one in await pair.offers() if one.get("used")]

        assert acted["weather"] == {"at": acted["id"], "of": [1, 2.5, None]}
        assert acted["attempts"][0]["cost"] == 0.25
        assert acted["completion"]["reason"] == "aborted"
        for one in (acted, waited):
            assert (one["state"], one["form"]) == ("delivered", FORM + 1)
            assert one["inbound"]["quoted"] == "what was said before"
            assert one["inbound"]["place"]["room"] == "kitchen"
        assert [one["until"] for one in taken] == [5.5]
        assert [kind for kind in taken[0]["tokens"].values() if kind == "share"] == ["share"]
        code, told = await lastword(tmp_path / "today", "why", acted["ref"])
        assert (code, acted["ref"] in told) == (0, True)


async def test_letter_of_a_later_version_is_gone_on_with_where_it_was(tmp_path: Path) -> None:
    async with _pair(tmp_path, pace=0.0, overall=2) as pair:
        tg = pair.tg
        tg.say("three parts", chat=11)
        await tg.until(lambda: tg.messages(11))
        await asyncio.sleep(0.1)
        await pair.later.kill()
        await tg.until(lambda: _words(tg.texts(11)) >= len(LONG.split()), timeout=20.0)
        await asyncio.sleep(1.0)

        assert _words(tg.texts(11)) in (len(LONG.split()), len(LONG.split()) + _repeated(tg.texts(11)))
        (record,) = await pair.records()
        assert record["weather"]["at"] == record["id"]
        assert record["state"] == "delivered"


async def test_entry_that_is_to_be_read_another_way_is_told_of_and_kept(tmp_path: Path) -> None:
    """Such a change is not to be rolled; where it was, nobody waits in vain and nothing is lost."""
    async with _pair(tmp_path, env={FORMAT: "2"}) as pair:
        tg = pair.tg
        tg.say("waiting please", chat=11)
        tg.say("hi", chat=11)
        await asyncio.sleep(0.6)
        await pair.later.kill()
        await until(pair.today.leads)
        await tg.until(lambda: len(tg.messages(11)) == 2, timeout=20.0)
        before = tg.texts(11)
        assert "hello" not in before
        code, listed = await lastword(tmp_path / "today", "dead", "list")
        assert code == 0
        assert len(re.findall(r"\bin\.", listed)) == 2, listed

        await pair.later.start()
        assert await pair.today.stop() == 0
        await until(pair.later.leads)
        code, told = await lastword(tmp_path / "later", "dead", "requeue", "--all")

        assert code == 0, told
        await tg.until(lambda: len(tg.messages(11)) == 4, timeout=20.0)
        assert sorted(tg.texts(11)[2:]) == ["done waiting", "hello"]


def _words(texts: list[str]) -> int:
    return sum(text.split().count("word") for text in texts)


def _repeated(texts: list[str]) -> int:
    """Words of the one part whose send nobody saw the end of, where it says that it may come twice."""
    marked = [text for text in texts if "twice" in text]
    return _words(marked[:1])
