"""Two bots that say everything back, in turns: what a message costs each of them."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from tests.bench.processes import Measured

__all__ = ["CHATS", "Echo", "People", "against_bare", "alternate"]

CHATS = 16  # people who write at once
P = TypeVar("P", bound="People")


class People(Protocol):
    """Whoever writes to a bot on a platform."""

    async def joined(self) -> None:
        """Until the bot listens."""
        ...

    async def ask(self, text: str, *, chat: int) -> str:
        """One person writes and waits for the answer."""
        ...

    async def burst(self, messages: int, *, chats: int) -> None:
        """Many people write at once; until every message is answered."""
        ...


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


async def against_bare(
    platform: Callable[[], AbstractAsyncContextManager[P]],
    *,
    config: Callable[[P], str],
    bare: tuple[str, Callable[[P], Mapping[str, str]]],
    rounds: int,
    messages: int,
    lone: int,
) -> tuple[Echo, Echo]:
    """The gateway and the bare library's bot, each on a platform of its own, interleaved.

    Args:
        platform: Makes one.
        config: The YAML of an operator with a bot there.
        bare: The module of the bare bot, and its environment.
        rounds: Times that both sides take turns.
        messages: Of many people at once, a round.
        lone: Of one person, a round.
    """
    module, env = bare
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        folder = Path(name)
        async with platform() as first, platform() as second:
            path = folder / "bots.yaml"
            path.write_text(config(first))
            run = ["-m", "gateway", "run", str(path), "--json-logs"]
            async with (
                Measured(run, folder=folder, ready="Lastword is running") as ours,
                Measured(["-m", module], folder=folder, ready="bare bot starts", env=env(second)) as theirs,
            ):
                await first.joined()
                await second.joined()
                sides = [(ours, first), (theirs, second)]
                mine, other = await alternate(sides, rounds=rounds, messages=messages, lone=lone)
                return mine, other


async def alternate(
    sides: Sequence[tuple[Measured, People]], *, rounds: int, messages: int, lone: int
) -> tuple[Echo, ...]:
    """Let each side answer, warm, round by round."""
    found = tuple(Echo() for _ in sides)
    for _, people in sides:
        await people.burst(max(messages // 4, 1), chats=CHATS)
        await people.ask("one", chat=1)
    for _ in range(rounds):
        for (process, people), echo in zip(sides, found, strict=True):
            await _round(process, people, echo, messages, lone)
    for (process, _), echo in zip(sides, found, strict=True):
        echo.memory = process.memory
    return found


async def _round(process: Measured, people: People, echo: Echo, messages: int, lone: int) -> None:
    before = process.cpu
    await people.burst(messages, chats=CHATS)
    between = process.cpu
    waits: list[float] = []
    for _ in range(lone):
        began = time.perf_counter()
        await people.ask("one", chat=1)
        waits.append(time.perf_counter() - began)
    echo.busy.append((between - before) / messages)
    echo.lone.append((process.cpu - between) / lone)
    echo.latency.append(statistics.median(waits))
