"""What the version before left when it was killed is gone on with by today's, each answer read once."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.stores.portable import Written
from gateway.stores.redis.address import parse
from gateway.stores.redis.restoring import restore
from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import ROOT, until
from tests.integration.replicas.later import SITECUSTOMIZE
from tests.integration.replicas.previous import (
    ACTED,
    BUSY,
    DEAD,
    KNOWN,
    OFFERED,
    OWED,
    PARTS,
    left_behind,
)
from tests.integration.replicas.scene import LONG, Replica, shared_store, telegram_config
from tests.integration.terminal import lastword

pytestmark = pytest.mark.kill

_PATIENT = "delivery: {ttl: 7d, late_after: 365d}\n"  # what was left holds the times of its recording
_USED = 1000  # updates that the version before has seen, at most
_SAID = 9  # messages of a chat in its time, at most


@asynccontextmanager
async def _left(folder: Path) -> AsyncGenerator[tuple[TelegramEmulator, str]]:
    """A store as the version before left it, and a configuration for who comes next."""
    store = shared_store()
    await restore(parse(store, base=folder), left_behind(), leases="bot/")
    async with TelegramEmulator() as tg:
        tg.updates.next_id += _USED
        for chat in (KNOWN, OFFERED, BUSY, ACTED, OWED, DEAD, PARTS):
            tg.chats.known.add(chat)
            for _ in range(_SAID):
                tg.inbound(chat)
        yield tg, telegram_config(tg, store, bot=_PATIENT)


async def test_everything_is_gone_on_with(tmp_path: Path) -> None:
    async with _left(tmp_path) as (tg, text), Replica(tmp_path, text) as today:
        await tg.until(lambda: len(tg.messages(BUSY)) == 2, timeout=20.0)
        await tg.until(lambda: all(tg.messages(chat) for chat in (ACTED, OWED)), timeout=20.0)
        await tg.until(lambda: _words(tg.texts(PARTS)) >= len(LONG.split()))
        assert _ends(tg.texts(BUSY)) == ["done waiting", "hello"]
        assert _ends(tg.texts(OWED)) == ["hello"]
        assert tg.texts(ACTED)[0].startswith("one two three four five six")
        tg.press(ACTED, "Continue")
        tg.press_data(OFFERED, 2, _offered())
        await tg.until(lambda: tg.messages(OFFERED) and len(tg.messages(ACTED)) == 2)
        assert tg.texts(ACTED)[1] == "seven"
        tg.say("!max_steps", chat=KNOWN)
        await tg.until(lambda: tg.messages(KNOWN))
        tg.press(KNOWN, "Weiter")  # in the language that was chosen then
        await tg.until(lambda: len(tg.messages(KNOWN)) == 2)
        code, told = await lastword(tmp_path, "dead", "requeue", "--all")
        assert code == 0, told
        await tg.until(lambda: _ends(tg.texts(DEAD)) == ["hello"])
        await asyncio.sleep(0.5)
        assert {chat: len(tg.messages(chat)) for chat in (KNOWN, OFFERED, BUSY, ACTED, OWED, DEAD)} == {
            KNOWN: 2,
            OFFERED: 1,
            BUSY: 2,
            ACTED: 2,
            OWED: 1,
            DEAD: 1,
        }
        assert _words(tg.texts(PARTS)) == len(LONG.split())
        assert "twice" in tg.texts(PARTS)[0]  # the version before was killed in the middle of that send
        assert await today.silent() == 0
        assert not [line for line in today.log if "unreadable" in line]


async def test_three_versions_hand_on_what_the_first_left(tmp_path: Path) -> None:
    """Today's takes it up and is killed over it, a later one goes on, and hands back to today's."""
    for name in ("later", "today"):
        (tmp_path / name).mkdir()
    (tmp_path / "later" / "sitecustomize.py").write_text(SITECUSTOMIZE)
    async with _left(tmp_path) as (tg, text), Replica(tmp_path / "today", text) as today:
        await until(today.leads)
        await asyncio.sleep(0.7)  # it waits in the middle of a turn
        async with Replica(tmp_path / "later", text) as later:
            await until(later.stands_by)
            await today.kill()
            await until(later.leads)
            await tg.until(lambda: len(tg.messages(BUSY)) == 2, timeout=20.0)
            await tg.until(lambda: all(tg.messages(chat) for chat in (ACTED, OWED)), timeout=20.0)
            tg.press_data(OFFERED, 2, _offered())
            await tg.until(lambda: tg.messages(OFFERED))
            await today.start()
            await until(today.stands_by)
            tg.say("waiting please", chat=KNOWN)
            await asyncio.sleep(0.4)
            assert await later.stop() == 0
            await until(today.leads)
            tg.press(ACTED, "Continue")
            await tg.until(lambda: len(tg.messages(ACTED)) == 2)
            await tg.until(lambda: tg.messages(KNOWN))
            await asyncio.sleep(0.5)

        assert _ends(tg.texts(BUSY)) == ["done waiting", "hello"]
        assert _ends(tg.texts(OWED)) == ["hello"]
        assert tg.texts(ACTED)[1] == "seven"
        assert tg.texts(KNOWN) == ["done waiting"]
        assert len(tg.texts(OFFERED)) == 1
        assert not [line for line in today.log if "unreadable" in line]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The code of the version before: of `LASTWORD_TEST_PREVIOUS`, or of the last tag."""
    given = os.environ.get("LASTWORD_TEST_PREVIOUS")
    if given:
        return Path(given)
    git = ("git", "-C", str(ROOT))
    tag = subprocess.run([*git, "describe", "--tags", "--abbrev=0"], capture_output=True, check=False)
    if tag.returncode:
        pytest.skip("there is no release before this one")
    made = tmp_path / "tree"
    made.mkdir()
    packed = subprocess.run([*git, "archive", tag.stdout.decode().strip()], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(made)], input=packed.stdout, check=True)
    return made


async def test_process_of_the_version_before_and_todays_take_turns(tmp_path: Path, tree: Path) -> None:
    for name in ("before", "today"):
        (tmp_path / name).mkdir()
    path = os.pathsep.join(str(tree / part) for part in ("", "adapters", "agents"))
    async with TelegramEmulator() as tg:
        text = telegram_config(tg, shared_store())
        async with Replica(tmp_path / "before", text, env={"PYTHONPATH": path}) as before:
            await until(before.leads)
            async with Replica(tmp_path / "today", text) as today:
                await until(today.stands_by)
                for owner, other in ((before, today), (today, before), (before, today)):
                    await _both(tg, owner, other)

        said = ["done waiting", "hello"] * 3
        assert tg.texts(BUSY) == said
        assert [text for chat in range(20, 26) for text in tg.texts(chat)] == ["hello"] * 18


async def _both(tg: TelegramEmulator, owner: Replica, other: Replica) -> None:
    """Who holds the bot is killed in the middle of a turn; the other ends it, and the first comes back."""
    count, greeted = len(tg.texts(BUSY)), len(tg.texts(20)) + 1
    for chat in range(20, 26):
        tg.say("hi", chat=chat)
    await tg.until(lambda: all(len(tg.texts(chat)) == greeted for chat in range(20, 26)))
    tg.say("waiting please", chat=BUSY)
    tg.say("hi", chat=BUSY)
    await asyncio.sleep(0.8)
    await owner.kill()
    await until(other.leads)
    await tg.until(lambda: len(tg.texts(BUSY)) == count + 2, timeout=20.0)
    await owner.start()
    await until(owner.stands_by)


def _offered() -> str:
    """What the button carries that the version before showed."""
    rows = left_behind()
    (offer,) = [row.value for row in rows if isinstance(row, Written) and row.key.startswith(b"offer/")]
    return str(next(iter(json.loads(offer)["tokens"])))


def _ends(texts: list[str]) -> list[str]:
    """Answers without a line before them that says how late they are."""
    return [text.rpartition("\n")[2] for text in texts]


def _words(texts: list[str]) -> int:
    return sum(text.split().count("word") for text in texts)
