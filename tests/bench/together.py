"""Two gateways on one Valkey beside one: what they answer together."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.bench.botapi import Platform
from tests.bench.many_bots import config, written
from tests.bench.processes import Measured
from tests.emulators.valkey import Valkey

__all__ = ["Together", "together"]

_LEASE = "1s"
_LOOK, _TRIES = 0.25, 200  # seconds between two looks at who holds what, and how many
_READY = "Lastword is running; "


@dataclass(frozen=True, slots=True)
class Together:
    """What some gateways do.

    Attributes:
        rate: Messages a second.
        busy: Seconds of processor time a message, of all gateways.
    """

    rate: float
    busy: float


async def together(gateways: int, *, bots: int, messages: int) -> Together:
    """Let so many gateways share so many bots on one server, and write to all of them."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lastword-bench-")))
        server = stack.enter_context(Valkey(folder / "valkey", appendfsync="everysec"))
        platforms = [await stack.enter_async_context(Platform()) for _ in range(bots)]
        path = folder / "bots.yaml"
        path.write_text(json.dumps({**config(platforms), "store": server.url, "lease": _LEASE}))
        run = ["-m", "gateway", "run", str(path), "--json-logs"]
        processes = await asyncio.gather(
            *(stack.enter_async_context(Measured(run, folder=folder, ready=_READY)) for _ in range(gateways))
        )
        await asyncio.gather(*(platform.joined() for platform in platforms))
        await _spread(processes, bots // gateways)
        await written(platforms, 5)  # warm
        before, began = sum(process.cpu for process in processes), time.perf_counter()
        await written(platforms, messages // bots)
        seconds = time.perf_counter() - began
        used = sum(process.cpu for process in processes) - before
        return Together(messages / seconds, used / messages)


async def _spread(processes: list[Measured], share: int) -> None:
    """Until each gateway holds its share of the bots."""
    async with httpx.AsyncClient() as client:
        held: list[int] = []
        for _ in range(_TRIES):
            held = [await _held(client, process) for process in processes]
            if min(held) >= share:
                return
            await asyncio.sleep(_LOOK)
    raise TimeoutError(f"the bots did not spread: {held}")


async def _held(client: httpx.AsyncClient, process: Measured) -> int:
    told = next(line for line in process.output if _READY in line)
    address = told.partition(_READY)[2].split()[0]
    states = (await client.get(f"{address}/readyz")).json()["bots"]
    return sum(state == "up" for state in states.values())
