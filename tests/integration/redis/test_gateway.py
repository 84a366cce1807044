"""A real gateway on a real server, from YAML: both are killed in the middle, and people notice little."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from gateway.abc.store import Turn
from gateway.stores.redis.address import parse
from tests.emulators.telegram import TelegramEmulator
from tests.emulators.valkey import Valkey
from tests.integration.process import Gateway, until
from tests.integration.redis.load import opened
from tests.integration.telegram.scene import config

pytestmark = pytest.mark.kill

CHAT = 4711
SCRIPT = """
      - {when: waiting, wait: 1.0, say: "done waiting"}
      - {when: "*", say: "hello"}
"""


@dataclass(slots=True)
class _Scene:
    gateway: Gateway
    telegram: TelegramEmulator
    server: Valkey

    async def answered(self, *texts: str) -> None:
        """These and no others were said, and every turn ended where a person saw it."""
        await self.telegram.until(lambda: len(self.telegram.messages(CHAT)) >= len(texts), timeout=40.0)
        await asyncio.sleep(0.3)
        assert self.telegram.texts(CHAT) == list(texts)
        await until(self._told)
        assert await self.gateway.silent() == 0

    async def turns(self) -> tuple[Turn, ...]:
        async with opened(parse(self.server.url, base=Path())) as store:
            return await store.turns()

    async def _told(self) -> bool:
        return all(turn.state == "delivered" for turn in await self.turns())

    async def accepted(self, count: int) -> bool:
        """Whether so many messages wait or run."""
        async with opened(parse(self.server.url, base=Path())) as store:
            return (await store.counts())["inbox"] >= count


@asynccontextmanager
async def _scene(folder: Path) -> AsyncGenerator[_Scene]:
    with Valkey(folder / "server") as server:
        async with TelegramEmulator() as telegram:
            text = config(telegram, script=SCRIPT).replace("sqlite:lastword.db", server.url)
            async with Gateway(folder, text) as gateway:
                yield _Scene(gateway, telegram, server)


async def test_messages_are_answered_over_a_stop_and_a_start(tmp_path: Path) -> None:
    async with _scene(tmp_path) as scene:
        scene.telegram.say("hi")
        await scene.answered("hello")
        scene.telegram.say("waiting please")
        scene.telegram.say("hi")
        await until(lambda: scene.accepted(2))
        assert await scene.gateway.stop() == 0
        await scene.gateway.start()

        await scene.answered("hello", "done waiting", "hello")


async def test_a_killed_gateway_answers_once_when_it_is_back(tmp_path: Path) -> None:
    """It is missed after seconds, long before its leases end."""
    async with _scene(tmp_path) as scene:
        scene.telegram.say("waiting please")
        scene.telegram.say("hi")
        await until(lambda: scene.accepted(2))
        await asyncio.sleep(0.3)
        async with asyncio.timeout(25.0):
            await scene.gateway.restart()

            await scene.answered("done waiting", "hello")


async def test_a_killed_server_is_waited_for(tmp_path: Path) -> None:
    async with _scene(tmp_path) as scene:
        scene.telegram.say("waiting please")
        scene.telegram.say("hi")
        await until(lambda: scene.accepted(2))
        scene.server.kill()
        scene.telegram.say("hi again")
        await asyncio.sleep(1.5)
        await asyncio.to_thread(scene.server.start)

        await scene.answered("done waiting", "hello", "hello")


async def test_both_killed_lose_nothing(tmp_path: Path) -> None:
    async with _scene(tmp_path) as scene:
        for _ in range(3):
            scene.telegram.say("waiting please")
        await until(lambda: scene.accepted(3))
        scene.server.kill()
        await scene.gateway.kill()
        await asyncio.to_thread(scene.server.start)
        await scene.gateway.start()

        await scene.answered(*["done waiting"] * 3)


async def test_a_gateway_does_not_start_on_a_server_that_forgets(tmp_path: Path) -> None:
    with Valkey(tmp_path / "server", appendonly="no") as server:
        async with TelegramEmulator() as telegram:
            text = config(telegram).replace("sqlite:lastword.db", server.url)
            gateway = Gateway(tmp_path, text)
            with pytest.raises(AssertionError, match="keeps no log of its writes") as told:
                await gateway.start()

            assert "Traceback" not in str(told.value)
