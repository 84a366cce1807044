"""`lastword backup` beside a gateway at work, and `lastword restore` without one."""

# files are what is tested here
from __future__ import annotations

import asyncio
from pathlib import Path

from tests.emulators.telegram import TelegramEmulator
from tests.integration.care.scene import config, ran, talking
from tests.integration.terminal import lastword

PEOPLE = range(20, 28)


async def test_backup_under_load_is_whole_and_brings_everything_back(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        for round_ in range(5):
            for person in PEOPLE:
                telegram.say(f"before {round_}", chat=person)
        await telegram.until(lambda: all(len(telegram.texts(person)) == 5 for person in PEOPLE))
        load = asyncio.create_task(_keep_talking(telegram))

        code, said = await ran(gateway, "backup", "copy.db")
        load.cancel()
        assert code == 0, said
        again, told = await ran(gateway, "backup", "copy.db")
        assert again != 0
        assert "exists already" in told
        running, refused = await ran(gateway, "restore", "copy.db", "--yes")
        assert running != 0
        assert "is held by process" in refused
        await gateway.stop()

        (tmp_path / "lastword.db").write_bytes(b"broken")
        code, said = await ran(gateway, "restore", "copy.db", "--yes")
        assert code == 0, said
        assert "before-restore" in said
        assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
        await gateway.start()

        known = {(turn["inbound"]["sender"]["id"], turn["inbound"]["text"]) for turn in gateway.turns()}
        assert {(str(person), f"before {round_}") for person in PEOPLE for round_ in range(5)} <= known
        seen = len(telegram.texts(PEOPLE[0]))
        telegram.say("after", chat=PEOPLE[0])
        await telegram.until(lambda: len(telegram.texts(PEOPLE[0])) > seen)


async def _keep_talking(telegram: TelegramEmulator) -> None:
    number = 0
    while True:
        number += 1
        telegram.say(f"meanwhile {number}", chat=PEOPLE[number % 8])
        await asyncio.sleep(0.005)


async def test_what_is_no_backup_replaces_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        telegram.say("hello", chat=PEOPLE[0])
        await telegram.until(lambda: telegram.texts(PEOPLE[0]))
        await gateway.stop()
        before = (tmp_path / "lastword.db").read_bytes()
        (tmp_path / "torn.db").write_bytes(before[: len(before) // 2])
        (tmp_path / "letter.txt").write_text("dear sir")

        for wrong in ("torn.db", "letter.txt", "nowhere.db"):
            code, said = await ran(gateway, "restore", wrong, "--yes")
            assert code != 0, wrong
            assert wrong in said
        assert (tmp_path / "lastword.db").read_bytes() == before


async def test_store_that_cannot_be_copied_is_told(tmp_path: Path) -> None:
    async with talking(tmp_path) as (_, telegram):
        (tmp_path / "memory.yaml").write_text(config(telegram, store="memory"))
        (tmp_path / "redis.yaml").write_text(config(telegram, store="redis://127.0.0.1:1/0"))
        memory = await lastword(tmp_path, "backup", "x.db", "--config", "memory.yaml")
        server = await lastword(tmp_path, "backup", "x.db", "--config", "redis.yaml")
        nowhere = await lastword(tmp_path, "restore", "x.db", "--config", "memory.yaml")

    assert (memory[0], server[0], nowhere[0]) == (78, 1, 78)
    assert "nothing can be restored to it" in nowhere[1]
    assert "keeps nothing" in memory[1]
    assert "cannot be reached" in server[1]
    assert not (tmp_path / "x.db").exists()


async def test_copy_that_has_no_place_is_told_in_plain_words(tmp_path: Path) -> None:
    async with talking(tmp_path):
        nowhere = await lastword(tmp_path, "backup", "nodir/x.db")
        stdout = await lastword(tmp_path, "backup", "-")
        odd = await lastword(tmp_path, "backup", "a copy.db", "--config", "bots.yaml")

    assert nowhere == (1, "Error: nodir/x.db cannot be written: there is no folder nodir.\n")
    assert stdout[0] == 2
    assert "name one" in stdout[1]
    assert odd[0] == 0
    assert "`lastword restore 'a copy.db' --config bots.yaml` puts it back" in odd[1]


async def test_restore_that_nobody_can_be_asked_about_does_nothing_and_says_so(tmp_path: Path) -> None:
    async with talking(tmp_path):
        await lastword(tmp_path, "backup", "x.db")
    before = (tmp_path / "lastword.db").read_bytes()
    code, said = await lastword(tmp_path, "restore", "x.db")

    assert code == 1
    assert "say --yes to go on without a question" in said
    assert (tmp_path / "lastword.db").read_bytes() == before
