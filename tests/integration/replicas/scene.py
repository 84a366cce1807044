"""Two real gateway processes with the same YAML, on one Valkey."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import httpx

from tests.emulators.telegram import TelegramEmulator
from tests.emulators.valkey import shared_url
from tests.integration.process import Gateway, until
from tests.integration.telegram.scene import config

__all__ = [
    "CHAT",
    "ECHO",
    "LEASE",
    "LONG",
    "SCRIPT",
    "Replica",
    "answered_once",
    "held_by",
    "replicas",
    "shared_store",
    "telegram_config",
    "telegram_replicas",
]

CHAT = 4711
LEASE = 2.0  # seconds; a machine that is busy must not take a process for dead
LONG = "word " * 1900  # three messages of Telegram's
SCRIPT = f"""
      - {{when: three parts, say: "{LONG}"}}
      - {{when: waiting, wait: 1.5, say: "done waiting"}}
      - {{when: acting, action: send_report, say: "one two three four five six", hang: true, resume: "seven"}}
      - {{when: hang, say: "thinking about it", hang: true}}
      - {{when: growing, say: "one two three four five six seven eight nine ten eleven twelve thirteen"}}
      - {{when: "*", say: "hello"}}
"""

ECHO = "".join(f'\n      - {{when: "m{number}.", say: "m{number}."}}' for number in range(1000))


class Replica(Gateway):
    """One of the processes, frozen and thawed as well."""

    def freeze(self) -> None:
        """SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)

    async def state(self, bot: str = "support") -> str:
        """How a bot stands, as readiness tells."""
        async with httpx.AsyncClient() as client:
            told = (await client.get(f"{self.address}/readyz")).json()
        return str(cast("dict[str, Any]", told)["bots"][bot])

    async def leads(self, bot: str = "support") -> bool:
        """Whether it speaks for a bot."""
        return await self.state(bot) == "up"

    async def stands_by(self, bot: str = "support") -> bool:
        """Whether another one speaks for a bot."""
        return await self.state(bot) == "standby"

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


async def held_by(replica: Replica, bot: str = "support") -> int:
    """How many partitions of a bot a process holds, as it tells in its numbers."""
    async with httpx.AsyncClient() as client:
        told = (await client.get(f"{replica.address}/metrics")).text
    name = f'lastword_partitions_held{{bot="{bot}"}} '
    return int(sum(float(line.removeprefix(name)) for line in told.splitlines() if line.startswith(name)))


def shared_store() -> str:
    """The address of a store under which nothing is kept yet."""
    return f"{shared_url()}?prefix=test-{secrets.token_hex(6)}"


@asynccontextmanager
async def replicas(folder: Path, text: str, *, count: int = 2) -> AsyncGenerator[list[Replica]]:
    """Processes with the same YAML, started one after the other; the first one holds everything at first."""
    async with AsyncExitStack() as stack:
        made: list[Replica] = []
        for number in range(count):
            own = folder / f"replica-{number}"
            own.mkdir()
            made.append(await stack.enter_async_context(Replica(own, text)))
        yield made


def telegram_config(
    tg: TelegramEmulator, store: str, *, bot: str = "", pace: float = 0.0, script: str = SCRIPT
) -> str:
    """The YAML of one Telegram bot on a shared store."""
    text = config(tg, bot=bot, agent=f"pace: {pace}", script=script)
    return text.replace('"sqlite:lastword.db"', f'"{store}"\nlease: {LEASE}s')


@asynccontextmanager
async def telegram_replicas(
    folder: Path, *, bot: str = "", pace: float = 0.0, top: str = "", overall: int = 0
) -> AsyncGenerator[tuple[TelegramEmulator, Replica, Replica]]:
    """A Telegram bot, the process that holds it, and one that stands by.

    Args:
        folder: Where each has a folder of its own.
        bot: More keys of the bot.
        pace: Seconds between two words of the agent.
        top: More lines of the file.
        overall: Messages a second to everybody; 0 for no limit.
    """
    async with TelegramEmulator() as tg:
        text = telegram_config(tg, shared_store(), bot=bot, pace=pace) + top
        text = text.replace("overall: 0", f"overall: {overall}")
        async with replicas(folder, text, count=1) as (one,):
            await until(one.leads)
            other_folder = folder / "other"
            other_folder.mkdir()
            async with Replica(other_folder, text) as other:
                await until(other.stands_by)
                yield tg, one, other


async def answered_once(tg: TelegramEmulator, texts: Sequence[str], *, chat: int = CHAT) -> None:
    """These and no others come to be said in a chat."""
    await tg.until(lambda: len(tg.messages(chat)) >= len(texts), timeout=20.0)
    await asyncio.sleep(0.5)
    assert list(texts) == tg.texts(chat), tg.texts(chat)
