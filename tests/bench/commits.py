"""What a message costs the disk: write transactions, and those among them that wait for it."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from unittest import mock

from gateway import runtime
from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.stores import open_store
from gateway.stores.sqlite import SqliteStore
from tests.bench.rounds import CHATS, People
from tests.integration.inprocess import running

__all__ = ["Commits", "commits", "fsync_seconds"]

P = TypeVar("P", bound=People)


@dataclass(frozen=True, slots=True)
class Commits:
    """Per message.

    Attributes:
        transactions: Write transactions, also those that found nothing to change.
        durable: How often the disk was awaited: one `fdatasync` each.
    """

    transactions: float
    durable: float


class _Counter:
    def __init__(self) -> None:
        self.stores: list[SqliteStore] = []

    @property
    def durable(self) -> int:
        return sum(opened.syncs for opened in self.stores)

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

    def kept(url: str, *, base: Path, clock: Clock) -> Store:
        opened = open_store(url, base=base, clock=clock)
        if isinstance(opened, SqliteStore):
            counter.stores.append(opened)
        return opened

    with mock.patch.object(runtime, "open_store", kept):
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
