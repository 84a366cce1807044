"""`lastword forget` where what a person said was answered together with what others said."""

# files are what is tested here
from __future__ import annotations

import asyncio
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
