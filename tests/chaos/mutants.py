"""Defects for the checker to find, planted into a gateway where the module of its agents asks for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from gateway.abc.store import Entry
from gateway.delivery.posting import Posting, Result
from gateway.messages import Part
from gateway.notes.catalogue import Notebook
from gateway.stores.sqlite import SqliteStore

__all__ = ["MUTANTS", "plant"]

_EVERY = 5  # of so many calls, one goes wrong


def plant(name: str) -> None:
    """Break the process as the name says; an empty one leaves it whole."""
    if name:
        MUTANTS[name]()


def _drop_commits() -> None:
    """Say that an entry was kept which was not."""
    real, count = SqliteStore.put, 0

    async def put(self: SqliteStore, entries: Sequence[Entry]) -> tuple[bool, ...]:
        nonlocal count
        kept: list[Entry] = []
        for entry in entries:
            count += bool(entry.lane)
            if count % _EVERY or not entry.lane:
                kept.append(entry)
        await real(self, kept)
        return (True,) * len(entries)

    _replace(SqliteStore, "put", put)


def _dawdle_over_commits() -> None:
    """Say that an entry was kept which is kept only after later ones."""
    real, count = SqliteStore.put, 0
    late: set[asyncio.Task[None]] = set()

    async def later(self: SqliteStore, entries: Sequence[Entry]) -> None:
        await asyncio.sleep(0.5)
        await real(self, entries)

    async def put(self: SqliteStore, entries: Sequence[Entry]) -> tuple[bool, ...]:
        nonlocal count
        count += 1
        if count % _EVERY:
            return await real(self, entries)
        late.add(asyncio.create_task(later(self, entries)))
        return (True,) * len(entries)

    _replace(SqliteStore, "put", put)


def _repeat_unmarked() -> None:
    """Send again what may have arrived, and say nothing of it."""

    async def marked(self: Posting, index: int, part: Part) -> Part:
        del self, index
        return part

    _replace(Posting, "_marked", marked)


def _skip_sends() -> None:
    """Call a letter delivered now and then that was not sent."""
    real, count = Posting.run, 0

    async def run(self: Posting) -> Result:
        nonlocal count
        count += 1
        return await real(self) if count % _EVERY else Result("delivered")

    _replace(Posting, "run", run)


def _tell_all() -> None:
    """Put the name of an exception into notes."""
    real = Notebook.render

    def render(self: Notebook, *given: Any, **more: Any) -> str:
        return f"{real(self, *given, **more)} (RuntimeError)"

    _replace(Notebook, "render", render)


def _replace(owner: type, name: str, function: Callable[..., object]) -> None:
    setattr(owner, name, function)


MUTANTS: dict[str, Callable[[], None]] = {
    "drops commits": _drop_commits,
    "dawdles over commits": _dawdle_over_commits,
    "repeats unmarked": _repeat_unmarked,
    "skips sends": _skip_sends,
    "tells all": _tell_all,
}
