"""`lastword forget` where what a person said was answered together with what others said."""

# files are what is tested here
from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.emulators.telegram import TelegramEmulator
from tests.integration.care.scene import config, kept, ran
from tests.integration.process import Gateway

ANN, BOB, GROUP = 11, 12, -100500
SECRET, OTHER = "the-word-of-ann", "the-word-of-bob"
COLLECT = "    mid_turn: collect\n    session: {debounce: 1s}\n"


async def test_words_that_were_taken_into_the_turn_of_somebody_else_go_with_it(tmp_path: Path) -> None:
    async with TelegramEmulator() as telegram, Gateway(tmp_path, config(telegram) + COLLECT) as gateway:
        for user, text in ((BOB, "hello from bob"), (ANN, SECRET)):
            telegram.say(text, chat=GROUP, user=user, kind="supergroup")
        await telegram.until(lambda: telegram.texts(GROUP))
        telegram.say(OTHER, chat=GROUP, user=BOB, kind="supergroup")
        await telegram.until(lambda: len(telegram.texts(GROUP)) == 2)
        await asyncio.sleep(0.3)
        assert len(gateway.turns()) == 3
        assert kept(tmp_path, SECRET)

        code, said = await ran(gateway, "forget", "--bot", "support", "--person", str(ANN), "--yes")

        assert code == 0, said
        assert kept(tmp_path, SECRET) == []
        assert kept(tmp_path, OTHER)


async def test_numbers_are_told_to_a_program(tmp_path: Path) -> None:
    command = ("forget", "--bot", "support", "--person", str(ANN), "--output", "json")
    async with TelegramEmulator() as telegram, Gateway(tmp_path, config(telegram)) as gateway:
        telegram.say(SECRET, chat=ANN)
        await telegram.until(lambda: telegram.texts(ANN))
        await asyncio.sleep(0.3)

        _, counted = await ran(gateway, *command, "--dry-run")
        unasked, _ = await ran(gateway, *command)
        _, removed = await ran(gateway, *command, "--yes")
        _, nothing = await ran(gateway, *command, "--yes")

    assert json.loads(counted)["kept"] > 0
    assert unasked != 0  # nobody was there to say yes
    assert json.loads(removed)["kept"] == 0
    assert json.loads(removed)["removed"] > 0
    assert json.loads(nothing) == {"kept": 0, "removed": 0}
