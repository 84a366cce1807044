"""`lastword backup` and `restore` of a store on a Valkey, and from a file to a server and back."""

# ruff: noqa: ASYNC240  # files are what is tested here
from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from gateway.stores.portable import Recorded, Row, Said, Total, write_archive
from gateway.stores.redis.address import parse
from tests.emulators.telegram import Fault, TelegramEmulator
from tests.emulators.valkey import tell
from tests.integration.care.scene import config, ran
from tests.integration.process import ROOT, Gateway, until
from tests.integration.replicas.scene import shared_store

pytestmark = pytest.mark.kill

PEOPLE = range(20, 28)
BIG = 4000  # conversations; restoring them takes a moment
COUNTS = """
async def talk(request):
    return f"{len(request.history) // 2} before {request.text}"
"""


async def test_backup_under_load_brings_every_conversation_back(tmp_path: Path) -> None:
    store = shared_store()
    async with TelegramEmulator() as telegram, Gateway(tmp_path, config(telegram, store=store)) as gateway:
        for round_ in range(5):
            for person in PEOPLE:
                telegram.say(f"before {round_}", chat=person)
        await telegram.until(lambda: all(len(telegram.texts(person)) == 5 for person in PEOPLE))
        load = asyncio.create_task(_keep_talking(telegram))
        code, said = await ran(gateway, "backup", "copy")
        load.cancel()
        assert code == 0, said
        assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
        again, told = await ran(gateway, "backup", "copy")
        assert (again, "exists already" in told) == (1, True)
        running, refused = await ran(gateway, "restore", "copy", "--replace", "--yes")
        assert (running, "in use by a gateway" in refused) == (1, True), refused
        await gateway.stop()
        full, refused = await ran(gateway, "restore", "copy")
        assert (full, "--replace" in refused) == (1, True)

        code, said = await ran(gateway, "restore", "copy", "--replace", "--yes")

        assert code == 0, said
        await gateway.start()
        kept = Counter(turn["lane"] for turn in await _turns(gateway))
        assert len(kept) == len(PEOPLE)
        assert min(kept.values()) >= 5
        seen = len(telegram.texts(PEOPLE[0]))
        telegram.say("after", chat=PEOPLE[0])
        await telegram.until(lambda: len(telegram.texts(PEOPLE[0])) > seen)


async def test_bot_moves_from_a_file_to_a_server_and_back(tmp_path: Path) -> None:
    """The conversation goes on."""
    (tmp_path / "talker.py").write_text(COUNTS)
    async with TelegramEmulator() as telegram, Gateway(tmp_path, _talker(telegram)) as gateway:
        telegram.say("one", chat=11)
        await telegram.until(lambda: telegram.texts(11) == ["0 before one"])
        for number, store in enumerate((shared_store(), "sqlite:other.db", shared_store()), start=1):
            await asyncio.sleep(0.4)  # its delivery is on the record
            await gateway.kill()
            assert (await ran(gateway, "backup", f"copy-{number}"))[0] == 0
            (tmp_path / "bots.yaml").write_text(_talker(telegram, store=store))

            code, said = await _restored(gateway, f"copy-{number}")

            assert code == 0, said
            await gateway.start()
            telegram.say(f"more {number}", chat=11)
            await telegram.until(partial(_counts, telegram, number + 1))

        assert telegram.texts(11) == ["0 before one", "1 before more 1", "2 before more 2", "3 before more 3"]


async def test_answer_that_is_owed_is_given_once_in_its_new_place(tmp_path: Path) -> None:
    store = shared_store()
    async with TelegramEmulator() as telegram, Gateway(tmp_path, config(telegram)) as gateway:
        telegram.say("one", chat=11)
        await telegram.until(lambda: telegram.texts(11) == ["Heard."])
        telegram.fail("sendMessage", *[Fault(status=500)] * 2)
        telegram.say("two", chat=11)
        await until(lambda: gateway.events("delivery.postponed"))
        await gateway.stop()
        assert (await ran(gateway, "backup", "copy"))[0] == 0
        (tmp_path / "bots.yaml").write_text(config(telegram, store=store))

        code, said = await ran(gateway, "restore", "copy")

        assert code == 0, said
        await gateway.start()
        await telegram.until(lambda: len(telegram.texts(11)) == 2)
        await asyncio.sleep(0.5)
        first, second = telegram.texts(11)
        assert (first, second[-6:]) == ("Heard.", "Heard.")
        assert "twice" in second  # that its first send may have worked is known there too


async def test_restore_that_is_killed_is_told_and_begun_again(tmp_path: Path) -> None:
    """No gateway takes half of a store, and the second time needs no --replace."""
    store = shared_store()
    await write_archive(tmp_path / "copy", _big(), store="redis", made=5.0)
    async with TelegramEmulator() as telegram:
        gateway = Gateway(tmp_path, config(telegram, store=store))
        for _ in range(3):
            await _killed_within(tmp_path, store)
            with pytest.raises(AssertionError, match="restored in part"):
                await gateway.start()
            code, said = await ran(gateway, "turns")
            assert (code, "restored in part" in said) == (1, True), said
            code, said = await ran(gateway, "backup", "other")
            assert (code, "restored in part" in said) == (1, True), said
            assert not (tmp_path / "other").exists()

        code, said = await ran(gateway, "restore", "copy")

        assert code == 0, said
        async with gateway:
            assert len(await _turns(gateway)) == BIG
            telegram.say("hello", chat=11)
            await telegram.until(lambda: telegram.texts(11) == ["Heard."])


async def test_restore_to_a_file_that_is_killed_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    await write_archive(tmp_path / "copy", _big(), store="redis", made=5.0)
    async with TelegramEmulator() as telegram, Gateway(tmp_path, config(telegram)) as gateway:
        telegram.say("hello", chat=11)
        await telegram.until(lambda: telegram.texts(11) == ["Heard."])
        await gateway.stop()
        for _ in range(3):
            process = await _command(tmp_path, "restore", "copy", "--yes")
            await until((tmp_path / "lastword.db.made").exists)
            await asyncio.sleep(random.uniform(0.0, 0.05))  # noqa: S311  # no secret
            process.kill()
            await process.wait()
            assert len(await _turns(gateway)) in (1, BIG)

        code, said = await ran(gateway, "restore", "copy", "--yes")

        assert code == 0, said
        assert not (tmp_path / "lastword.db.made").exists()
        await gateway.start()
        assert len(await _turns(gateway)) == BIG


async def test_backup_that_is_killed_leaves_none(tmp_path: Path) -> None:
    store = shared_store()
    await write_archive(tmp_path / "copy", _big(), store="redis", made=5.0)
    async with TelegramEmulator() as telegram:
        gateway = Gateway(tmp_path, config(telegram, store=store))
        assert (await ran(gateway, "restore", "copy"))[0] == 0
        process = await _command(tmp_path, "backup", "again")
        await until((tmp_path / "again.partial").exists)
        process.kill()
        await process.wait()
        assert not (tmp_path / "again").exists()

        code, said = await ran(gateway, "backup", "again")

        assert code == 0, said
        assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "bots.yaml", "copy"]


async def test_backup_that_is_damaged_touches_nothing(tmp_path: Path) -> None:
    store = shared_store()
    await write_archive(tmp_path / "copy", _big(), store="redis", made=5.0)
    (tmp_path / "cut").write_bytes((tmp_path / "copy").read_bytes()[:-100])
    (tmp_path / "letter").write_text("dear sir")
    async with TelegramEmulator() as telegram:
        gateway = Gateway(tmp_path, config(telegram, store=store))
        for wrong in ("cut", "letter", "nowhere"):
            code, said = await ran(gateway, "restore", wrong, "--replace", "--yes")
            assert code == 1, wrong
            assert wrong in said
            assert len(said.splitlines()) == 1, said
        async with gateway:
            assert await _turns(gateway) == []


def _counts(telegram: TelegramEmulator, count: int) -> bool:
    return len(telegram.texts(11)) == count


async def _turns(gateway: Gateway) -> list[dict[str, str]]:
    code, said = await ran(gateway, "turns", "--limit", "10000", "--output", "json")
    assert code == 0, said
    return [json.loads(line) for line in said.splitlines()]


async def _restored(gateway: Gateway, source: str) -> tuple[int, str]:
    """Restore once the lease of a gateway that was killed is over."""
    while True:
        code, said = await ran(gateway, "restore", source, "--yes")
        if "in use by a gateway" not in said:
            return code, said
        await asyncio.sleep(0.5)


async def _killed_within(folder: Path, store: str) -> None:
    process = await _command(folder, "restore", "copy")
    prefix = parse(store, base=folder).prefix

    async def begun() -> bool:
        return await tell(store, "EXISTS", f"{{{prefix}}}:turns:rows") == 1

    await until(begun)
    await asyncio.sleep(random.uniform(0.0, 0.2))  # noqa: S311  # no secret
    assert process.returncode is None
    process.kill()
    await process.wait()


async def _command(folder: Path, *words: str) -> asyncio.subprocess.Process:
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway", *words, cwd=folder, env=os.environ | {"PYTHONPATH": path}
    )


async def _big() -> AsyncIterator[Row]:
    for number in range(1, BIG + 1):
        lane, name = b"support/%d" % number, b"t%x" % number
        body = _RECORD % (name, number, lane, number)
        yield Said(lane, name, b"user", b"hello", 5.0, b"", b"")
        yield Recorded(
            number,
            name,
            b"R%d" % number,
            b"support",
            lane,
            number,
            b"delivered",
            b"completed",
            b"c@s",
            5.0,
            body,
        )
    yield Total(BIG)


_RECORD = (
    b'{"id":"%b","ref":"R%d","bot":"support","lane":"%b","entry":%d,"at":5.0,"inbound":{"kind":"message",'
    b'"place":{"chat":"1"},"sender":{"id":"1"}},"state":"delivered"}'
)


async def _keep_talking(telegram: TelegramEmulator) -> None:
    number = 0
    while True:
        number += 1
        telegram.say(f"meanwhile {number}", chat=PEOPLE[number % 8])
        await asyncio.sleep(0.005)


def _talker(telegram: TelegramEmulator, *, store: str = "sqlite:lastword.db") -> str:
    """A bot that counts what it remembers."""
    text = config(telegram, store=store, more="lease: 2s")
    before, _, after = text.partition("    kind: scripted\n")
    return f"{before}    kind: python\n    target: talker:talk\nbots:{after.partition('bots:')[2]}"
