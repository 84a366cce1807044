"""Read what a store says after a battle."""

from __future__ import annotations

from pathlib import Path

from gateway.abc.clock import SystemClock
from gateway.abc.store import Store, Turn
from gateway.session.record import read
from gateway.stores.opening import open_store
from tests.chaos.checker import MARKER
from tests.chaos.story import Ended

__all__ = ["read_store"]

_ALL = 1_000_000


async def read_store(url: str, base: Path) -> tuple[tuple[Ended, ...], dict[str, int]]:
    """The records of all turns, oldest first, and how much still waits."""
    store: Store = open_store(url, base=base, clock=SystemClock())
    await store.open()
    try:
        turns = await store.turns(limit=_ALL)
        counts = await store.counts()
    finally:
        await store.close()
    left = {place: counts[place] for place in ("inbox", "claimed", "outbox")}
    return tuple(sorted(map(_ended, turns), key=lambda one: one.entry)), left


def _ended(turn: Turn) -> Ended:
    record = read(turn)
    found = MARKER.match(record.inbound.text)
    return Ended(
        marker=found.group() if found else "",
        ref=record.ref,
        entry=record.entry,
        state=record.state,
        reason=turn.reason,
        noted=record.noted,
        failure=record.failure,
        twice=record.maybe_duplicate,
        skipped=record.skipped,
    )
