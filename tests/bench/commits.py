"""What a message costs the disk: write transactions, and those among them that wait for it."""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar
from unittest import mock

from gateway import runtime
from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.stores import open_store
from gateway.stores.sqlite import SqliteStore, store
from gateway.stores.sqlite.file import Synchronous, connect
from tests.bench.rounds import CHATS, People
from tests.integration.inprocess import running

__all__ = ["Commits", "commits", "fsync_seconds"]

P = TypeVar("P", bound=People)


@dataclass(frozen=True, slots=True)
class Commits:
    """Per message.

    Attributes:
        transactions: Write transactions, also those that found nothing to change.
        durable: Transactions that changed something, each one `fdatasync` under `FULL`.
    """

    transactions: float
    durable: float


class _Counter:
    def __init__(self) -> None:
        self.stores: list[SqliteStore] = []
        self.durable = 0

    @property
    def transactions(self) -> int:
        return sum(opened.groups for opened in self.stores)


async def commits(
    messages: int, platform: Callable[[], AbstractAsyncContextManager[P]], config: Callable[[P], str]
) -> tuple[Commits, Commits]:
    """With one person writing, and with many at once.

    Args:
        messages: Of one person; of many four times as many.
        platform: Makes one.
        config: The YAML of an operator with a bot there.
    """
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name, _counting() as counter:
        folder = Path(name)
        async with platform() as people, running(folder, config(people)):
            await people.joined()
            await people.ask("warm", chat=1)
            marks = [(counter.transactions, counter.durable)]
            for _ in range(messages):
                await people.ask("one", chat=1)
            marks.append((counter.transactions, counter.durable))
            await people.burst(messages * 4, chats=CHATS)
            marks.append((counter.transactions, counter.durable))
    (first, second), (third, fourth) = (marks[0], marks[1]), (marks[1], marks[2])
    return (
        Commits((second[0] - first[0]) / messages, (second[1] - first[1]) / messages),
        Commits((fourth[0] - third[0]) / messages / 4, (fourth[1] - third[1]) / messages / 4),
    )


@contextmanager
def _counting() -> Generator[_Counter]:
    counter = _Counter()

    class Counted(sqlite3.Connection):
        """Counts commits that had something to write and waited for the disk."""

        _before = 0
        _waits = True

        def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
            done = super().execute(sql, parameters)  # type: ignore[arg-type]  # any that the caller passes
            if sql.startswith("PRAGMA synchronous"):
                self._waits = "FULL" in sql
            if sql == "COMMIT" and self.total_changes != self._before:
                self._before = self.total_changes
                counter.durable += self._waits
            return done

    def kept(url: str, *, base: Path, clock: Clock) -> Store:
        opened = open_store(url, base=base, clock=clock)
        if isinstance(opened, SqliteStore):
            counter.stores.append(opened)
        return opened

    plain = partial(sqlite3.connect, factory=Counted)

    def counted(path: Path, synchronous: Synchronous) -> sqlite3.Connection:
        with mock.patch("sqlite3.connect", plain):
            return connect(path, synchronous)

    with mock.patch.object(store, "connect", counted), mock.patch.object(runtime, "open_store", kept):
        yield counter


def fsync_seconds(times: int = 50) -> float:
    """What one durable write costs on the disk of the temporary folder, the median."""
    waits: list[float] = []
    with tempfile.TemporaryFile() as file:
        for _ in range(times):
            file.write(b"x" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            waits.append(time.perf_counter() - began)
    return statistics.median(waits)
