"""Many Telegram bots in one process: until all listen, what a message costs, and how much they hold."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.botapi import Platform
from tests.bench.processes import Measured
from tests.bench.rounds import CHATS

__all__ = ["Crowd", "bots_at_once", "config", "written"]

_LEAST = 5  # messages to each bot
_LOOK, _TRIES, _QUIET = 0.5, 60, 0.1  # seconds between two looks, at most so many, share of a core


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a process with some bots needs.

    Attributes:
        listening: Seconds from the start of the process until every bot listens.
        busy: Seconds of processor time a message, while people write to all of them.
        idle: Seconds of processor time a second, while nobody writes.
        memory: Resident bytes after that.
    """

    listening: float
    busy: float
    idle: float
    memory: int


async def bots_at_once(bots: int, *, messages: int, idle: float) -> Crowd:
    """Start so many bots, each on a platform of its own, and write to them evenly.

    Args:
        bots: How many.
        messages: All together; each bot gets its share.
        idle: Seconds for which nobody writes.
    """
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lastword-bench-")))
        platforms = [await stack.enter_async_context(Platform()) for _ in range(bots)]
        path = folder / "bots.yaml"
        path.write_text(json.dumps(config(platforms)))
        began = time.perf_counter()
        run = ["-m", "gateway", "run", str(path), "--json-logs"]
        process = await stack.enter_async_context(Measured(run, folder=folder, ready="Lastword is running"))
        await asyncio.gather(*(platform.joined() for platform in platforms))
        listening = time.perf_counter() - began
        share = max(messages // bots, _LEAST)
        await written(platforms, 1)  # warm
        await _calm(process)
        before = process.cpu
        await written(platforms, share)
        between, at = process.cpu, time.perf_counter()
        await asyncio.sleep(idle)
        rest = (process.cpu - between) / (time.perf_counter() - at)
        return Crowd(listening, (between - before) / (share * bots), rest, process.memory)


async def _calm(process: Measured) -> None:
    """Until what bots do at their start, such as offering their commands, is over."""
    for _ in range(_TRIES):
        before = process.cpu
        await asyncio.sleep(_LOOK)
        if process.cpu - before < _QUIET * _LOOK:
            return


async def written(platforms: list[Platform], messages: int) -> None:
    """Write so many messages to each bot, and wait for all answers."""
    await asyncio.gather(*(platform.burst(messages, chats=CHATS) for platform in platforms))


def config(platforms: list[Platform]) -> dict[str, object]:
    """The configuration of an operator with these bots."""
    bots = {
        f"bot{number}": {
            "platform": "telegram",
            "token": f"{number + 1}:AAMeasuredTokenOfThirtyFiveLetters__",
            "api_base": platform.base,
            "agent": "echo",
        }
        for number, platform in enumerate(platforms)
    }
    return {
        "version": 1,
        "store": "sqlite:lastword.db",
        "server": {"port": 0},
        "agents": {"echo": {"target": "tests.bench.echo:answer"}},
        "defaults": {
            "surface_completion_reason": True,
            "access": {"dm": "open"},
            "rates": {"overall": 0, "chat": 0, "group": 0},
        },
        "bots": bots,
    }
