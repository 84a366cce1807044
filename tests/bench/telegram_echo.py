"""Echo over Telegram polling: the gateway against the bare library, round by round."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.botapi import TOKEN, Platform
from tests.bench.processes import Measured

__all__ = ["CHATS", "Echo", "compare", "config"]

CHATS = 16
_CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  echo: {{target: "tests.bench.echo:answer"}}
bots:
  echo:
    platform: telegram
    token: "{token}"
    api_base: "{base}"
    agent: echo
    surface_completion_reason: true
    access: {{dm: open}}
    rates: {{overall: 0, chat: 0, group: 0}}
"""


@dataclass(slots=True)
class Echo:
    """What one side used.

    Attributes:
        busy: Seconds of processor time per message with many people at once, each round.
        lone: The same with one person writing.
        latency: Seconds from a message to its answer with one person writing, the median of each round.
        memory: Resident bytes at the end.
    """

    busy: list[float] = field(default_factory=list[float])
    lone: list[float] = field(default_factory=list[float])
    latency: list[float] = field(default_factory=list[float])
    memory: int = 0


async def compare(*, rounds: int, messages: int, lone: int) -> tuple[Echo, Echo]:
    """The gateway and the bare library, interleaved."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        folder = Path(name)
        async with _gateway(folder) as ours, _bare(folder) as bare:
            found = (Echo(), Echo())
            for _, platform in (ours, bare):  # warm
                await platform.burst(messages // 4, chats=CHATS)
                await platform.ask("one", chat=1)
            for _ in range(rounds):
                for (process, platform), echo in zip((ours, bare), found, strict=True):
                    await _round(process, platform, echo, messages, lone)
            for (process, _), echo in zip((ours, bare), found, strict=True):
                echo.memory = process.memory
            return found


async def _round(process: Measured, platform: Platform, echo: Echo, messages: int, lone: int) -> None:
    before = process.cpu
    await platform.burst(messages, chats=CHATS)
    between = process.cpu
    waits: list[float] = []
    for _ in range(lone):
        began = time.perf_counter()
        await platform.ask("one", chat=1)
        waits.append(time.perf_counter() - began)
    echo.busy.append((between - before) / messages)
    echo.lone.append((process.cpu - between) / lone)
    echo.latency.append(statistics.median(waits))


def config(platform: Platform) -> str:
    """The YAML of an operator with this bot."""
    return _CONFIG.format(token=TOKEN, base=platform.base)


@asynccontextmanager
async def _gateway(folder: Path) -> AsyncGenerator[tuple[Measured, Platform]]:
    async with Platform() as platform:
        path = folder / "bots.yaml"
        path.write_text(config(platform))
        arguments = ["-m", "gateway", "run", str(path), "--json-logs"]
        async with Measured(arguments, folder=folder, ready="Lastword is running") as process:
            await platform.polled()
            yield process, platform


@asynccontextmanager
async def _bare(folder: Path) -> AsyncGenerator[tuple[Measured, Platform]]:
    async with Platform() as platform:
        env = {"TELEGRAM_BASE": platform.base, "TELEGRAM_TOKEN": TOKEN}
        arguments = ["-m", "tests.bench.bare_telegram"]
        async with Measured(arguments, folder=folder, ready="bare bot starts", env=env) as process:
            await platform.polled()
            yield process, platform
