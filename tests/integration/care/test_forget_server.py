"""`lastword forget` on a Redis server: nothing of a person is in what it holds, or writes to its disk."""

# files are what is tested here
from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.emulators.telegram import Fault, TelegramEmulator
from tests.emulators.valkey import Valkey, tell
from tests.integration.care.scene import config, ran
from tests.integration.process import Gateway, until

pytestmark = pytest.mark.kill

ANN, BOB, GROUP = 11, 12, -100500
SECRET, OTHER = "the-word-of-ann", "the-word-of-bob"
COMMAND = ("forget", "--bot", "support", "--yes")


@asynccontextmanager
async def _talking(folder: Path) -> AsyncGenerator[tuple[Gateway, TelegramEmulator, Valkey]]:
    with Valkey(folder / "server") as server:
        async with (
            TelegramEmulator() as telegram,
            Gateway(folder, config(telegram, store=server.url)) as gateway,
        ):
            yield gateway, telegram, server


async def _written(server: Valkey, folder: Path) -> bytes:
    """What the server's own copy holds."""
    await tell(server.url, "SAVE")
    return await asyncio.to_thread((folder / "server" / "dump.rdb").read_bytes)


async def test_server_holds_nothing_of_a_person_that_is_forgotten(tmp_path: Path) -> None:
    async with _talking(tmp_path) as (gateway, telegram, server):
        telegram.fail("sendMessage", *[Fault(status=400)] * 2)
        telegram.say(f"{SECRET} refused", chat=ANN)
        await asyncio.sleep(1.0)
        for user, text in ((ANN, SECRET), (BOB, OTHER)):
            telegram.say(text, chat=GROUP, user=user, kind="supergroup")
        await telegram.until(lambda: len(telegram.texts(GROUP)) == 2)
        telegram.say(f"hang {SECRET}", chat=ANN)
        telegram.say(f"{SECRET} waits", chat=ANN)
        await asyncio.sleep(1.0)
        before = await _written(server, tmp_path)
        assert SECRET.encode() in before
        assert OTHER.encode() in before

        code, said = await ran(gateway, *COMMAND, "--person", str(ANN))

        assert code == 0, said
        assert said.startswith("Removed ")
        after = await _written(server, tmp_path)
        assert SECRET.encode() not in after
        assert OTHER.encode() in after
        await asyncio.sleep(1.0)
        assert SECRET.encode() not in await _written(server, tmp_path)
        telegram.say("hello again", chat=ANN)
        await telegram.until(lambda: telegram.texts(ANN)[-1:] == ["Heard."])


async def test_without_a_gateway_the_server_forgets_too_and_once_more_is_nothing(tmp_path: Path) -> None:
    async with _talking(tmp_path) as (gateway, telegram, server):
        telegram.say(SECRET, chat=ANN)
        await telegram.until(lambda: telegram.texts(ANN))

        async def delivered() -> bool:
            return b"delivered" in await _written(server, tmp_path)

        await until(delivered)
        await gateway.stop()

        first = await ran(gateway, *COMMAND, "--person", str(ANN))
        again = await ran(gateway, *COMMAND, "--person", str(ANN))

        assert first[0] == again[0] == 0
        assert first[1].startswith("Removed ")
        assert "Nothing is kept of person 11" in again[1]
        assert SECRET.encode() not in await _written(server, tmp_path)
