"""A rolling deploy under load: both processes are replaced while people write, and nobody notices."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import until
from tests.integration.replicas.scene import ECHO, Replica, shared_store, telegram_config

pytestmark = pytest.mark.kill

_PUBLIC = "https://bots.example"
_CHATS = range(100, 106)


class _Deploy:
    """Processes that come and go."""

    def __init__(self, folder: Path, text: str, stack: AsyncExitStack) -> None:
        self.live: list[Replica] = []
        self._folder = folder
        self._text = text
        self._stack = stack
        self._numbers = itertools.count()

    async def add(self) -> Replica:
        folder = self._folder / f"replica-{next(self._numbers)}"
        folder.mkdir()
        replica = await self._stack.enter_async_context(Replica(folder, self._text))
        self.live.append(replica)
        return replica

    async def remove(self, replica: Replica) -> None:
        self.live.remove(replica)
        assert await replica.stop() == 0


@asynccontextmanager
async def _deploy(folder: Path, tg: TelegramEmulator, *, hooked: bool) -> AsyncGenerator[_Deploy]:
    text = telegram_config(tg, shared_store(), bot="receive: webhook" if hooked else "", script=ECHO)
    if hooked:
        tg.hooks.strict_pace = False
        text += f"public_url: {_PUBLIC}\n"
    async with AsyncExitStack() as stack:
        yield _Deploy(folder, text, stack)


async def _balanced(tg: TelegramEmulator, deploy: _Deploy) -> None:
    """Send each post to another process in turn, as a balancer does."""
    for number in itertools.count():
        if deploy.live:
            tg.hooks.reach[_PUBLIC] = deploy.live[number % len(deploy.live)].address
        await asyncio.sleep(0.03)


async def _talk(tg: TelegramEmulator, said: dict[int, list[str]]) -> None:
    """Say numbered things in several chats, until cancelled."""
    for number in itertools.count():
        chat = _CHATS[number % len(_CHATS)]
        text = f"m{number}."
        tg.say(text, chat=chat)
        said[chat].append(text)
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("hooked", [False, True], ids=["polling", "webhook"])
async def test_rolling_deploy_loses_and_repeats_nothing(tmp_path: Path, hooked: bool) -> None:
    said: dict[int, list[str]] = {chat: [] for chat in _CHATS}
    async with TelegramEmulator() as tg, _deploy(tmp_path, tg, hooked=hooked) as deploy:
        first, second = await deploy.add(), await deploy.add()
        await until(lambda: _settled(deploy))
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(_talk(tg, said))]
            if hooked:
                beside.append(tasks.create_task(_balanced(tg, deploy)))
            await asyncio.sleep(0.7)
            for old in (first, second):
                await deploy.remove(old)
                await asyncio.sleep(0.5)
                await deploy.add()
                await until(lambda: _settled(deploy))
                await asyncio.sleep(0.5)
            beside[0].cancel()
            await tg.until(
                lambda: all(len(tg.messages(chat)) >= len(said[chat]) for chat in _CHATS), timeout=30.0
            )
            await asyncio.sleep(0.5)
            for task in beside:
                task.cancel()

        assert {chat: tg.texts(chat) for chat in _CHATS} == said
        assert sum(map(len, said.values())) > 50
        assert not tg.unconfirmed


async def _settled(deploy: _Deploy) -> bool:
    states = [await replica.state() for replica in deploy.live]
    return sorted(states) == ["standby"] * (len(states) - 1) + ["up"]
