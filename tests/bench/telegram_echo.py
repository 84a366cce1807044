"""Echo over Telegram polling: the gateway against the bare library, round by round."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import Measured
from tests.emulators.telegram import TelegramEmulator

__all__ = ["Echo", "compare"]

_CHATS = 16
_CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  echo: {{target: "echo_agent:answer"}}
bots:
  echo:
    platform: telegram
    token: "{token}"
    api_base: "{base}"
    agent: echo
    surface_completion_reason: true
    access: {{dm: open}}
"""


@dataclass(frozen=True, slots=True)
class Echo:
    """What one side used.

    Attributes:
        cpu: Seconds of processor time per message, each round.
        latency: Seconds from a message to its answer with one person writing, the median of each round.
        memory: Resident bytes at the end.
    """

    cpu: list[float]
    latency: list[float]
    memory: int


async def compare(*, rounds: int, messages: int, lone: int) -> tuple[Echo, Echo]:
    """The gateway and the bare library, interleaved."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        folder = Path(name)
        (folder / "echo_agent.py").write_text("async def answer(text: str) -> str:\n    return text\n")
        async with _gateway(folder) as ours, _bare(folder) as bare:
            sides = (_Side(*ours), _Side(*bare))
            for side in sides:
                await side.burst(messages // 4)  # warm
            for _ in range(rounds):
                for side in sides:
                    await side.round(messages, lone)
            return sides[0].result(), sides[1].result()


class _Side:
    def __init__(self, process: Measured, tg: TelegramEmulator) -> None:
        self._process = process
        self._tg = tg
        self._cpu: list[float] = []
        self._latency: list[float] = []

    async def round(self, messages: int, lone: int) -> None:
        before = self._process.cpu
        await self.burst(messages)
        self._cpu.append((self._process.cpu - before) / messages)
        waits = [await self._one() for _ in range(lone)]
        self._latency.append(statistics.median(waits))

    async def burst(self, messages: int) -> None:
        """Many people at once."""
        want = len(self._tg.sent("sendMessage")) + messages
        for number in range(messages):
            self._tg.say(f"message {number}", chat=1000 + number % _CHATS)
        await self._tg.until(lambda: len(self._tg.sent("sendMessage")) >= want, timeout=120.0)

    async def _one(self) -> float:
        want = len(self._tg.messages(1)) + 1
        began = time.perf_counter()
        self._tg.say("one", chat=1)
        await self._tg.until(lambda: len(self._tg.messages(1)) >= want)
        return time.perf_counter() - began

    def result(self) -> Echo:
        return Echo(self._cpu, self._latency, self._process.memory)


@asynccontextmanager
async def _gateway(folder: Path) -> AsyncGenerator[tuple[Measured, TelegramEmulator]]:
    async with TelegramEmulator() as tg:
        config = folder / "bots.yaml"
        config.write_text(_CONFIG.format(token=tg.token, base=tg.base))
        arguments = ["-m", "gateway", "run", str(config), "--json-logs"]
        async with Measured(arguments, folder=folder, ready='"state":"up"') as process:
            yield process, tg


@asynccontextmanager
async def _bare(folder: Path) -> AsyncGenerator[tuple[Measured, TelegramEmulator]]:
    async with TelegramEmulator() as tg:
        env = {"TELEGRAM_BASE": tg.base, "TELEGRAM_TOKEN": tg.token}
        arguments = ["-m", "tests.bench.bare_telegram"]
        async with Measured(arguments, folder=folder, ready="bare bot is up", env=env) as process:
            yield process, tg
