"""What a message costs each durable store: accepted a second, and the waits of a claim and a commit.

Run `python -m tests.bench.stores`; rows of one run compare, rows of different runs do not.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.abc.store import Commit, Entry, Letter, Line, Store, Turn
from gateway.stores.redis import RedisStore
from gateway.stores.sqlite import SqliteStore
from tests.emulators.valkey import Valkey, empty_address

__all__ = ["measured"]

_BOT = "support"
_BODY = b"x" * 330


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    accepted: float
    waits: list[float]
    cpu: float

    def __str__(self) -> str:
        cuts = statistics.quantiles(self.waits, n=100)
        return (
            f"| {self.name} | {self.accepted:,.0f} | {cuts[49] * 1e3:.2f} | {cuts[98] * 1e3:.2f}"
            f" | {self.cpu * 1e6:.0f} |"
        )


async def measured(messages: int) -> list[str]:
    """A line for each store."""
    rows: list[str] = []
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        folder = Path(name)
        rows.append(str(await _row("sqlite FULL", SqliteStore(folder / "a.db"), messages)))
        for fsync in ("everysec", "always"):
            with Valkey(folder / fsync, appendfsync=fsync) as server:
                address = empty_address(server.url)
                rows.append(str(await _row(f"valkey {fsync}", RedisStore(address), messages)))
    return rows


async def _row(name: str, made: Store, messages: int) -> _Row:
    async with _opened(made) as store:
        began, cpu = time.perf_counter(), time.process_time()
        writers = 64
        async with asyncio.TaskGroup() as tasks:
            for lane in range(writers):
                tasks.create_task(_write(store, lane, messages // writers))
        accepted = messages / (time.perf_counter() - began)
        waits = await _work(store, messages // writers * writers)
        return _Row(name, accepted, waits, (time.process_time() - cpu) / messages)


@asynccontextmanager
async def _opened(store: Store) -> AsyncGenerator[Store]:
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def _write(store: Store, lane: int, messages: int) -> None:
    for n in range(messages):
        await store.put([Entry(_BOT, f"{_BOT}/{lane}", (f"{lane}-{n}",), _BODY, 1.0)])


async def _work(store: Store, messages: int) -> list[float]:
    """Claim and commit one after another, as one conversation would; seconds of each pair."""
    waits: list[float] = []
    for n in range(messages // 4):
        began = time.perf_counter()
        (claim,) = await store.claim("bench", bots=[_BOT], limit=1, lease=30.0)
        turn = Turn(f"t{n}", f"T{n}", _BOT, claim.lane, claim.entry, "finished", "completed", "", 1.0, _BODY)
        lines = tuple(Line(claim.lane, turn.id, "user", "hello", 1.0) for _ in range(2))
        letter = Letter(turn.id, _BOT, claim.lane, turn.id, _BODY, 1.0)
        await store.commit(claim, Commit(turn, lines, letters=(letter,)))
        waits.append(time.perf_counter() - began)
    return waits


def _main() -> None:
    import uvloop

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 6400
    print("| store | accepted/s, 64 at once | claim + commit p50 ms | p99 ms | CPU µs a message |")
    print("|---|---|---|---|---|")
    print("\n".join(uvloop.run(measured(count))))


if __name__ == "__main__":
    _main()
