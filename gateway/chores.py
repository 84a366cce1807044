"""What a gateway does for its store now and then."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import StoreBroken, StoreError
from gateway.observability import get_logger
from gateway.session import fade_records
from gateway.settings import RetentionSettings

__all__ = ["end_if_broken", "salt_of", "tidy"]

_FIRST, _EVERY = 60.0, 3600.0  # seconds
_LOOK = 1.0  # seconds
_PAUSE, _STEP = 0.2, 500  # seconds, rows


async def salt_of(store: Store) -> int:
    """The store's own number, drawn once."""
    known = await store.get("salt")
    if known is None:
        await store.swap("salt", None, str(secrets.randbits(25)).encode())
        known = await store.get("salt")
    return int(known or b"0")


async def end_if_broken(store: Store, clock: Clock) -> None:
    """Go on for as long as the store can be trusted.

    Raises:
        StoreBroken: It cannot; whatever keeps the gateway running may start it anew.
    """
    while True:
        try:
            await store.get("salt")
        except StoreBroken:
            raise
        except StoreError as exc:
            get_logger("runtime").warning("store.unread", problem=str(exc))
        await clock.sleep(_LOOK)


async def tidy(
    store: Store, clock: Clock, *, worker: str, shared: bool, retention: Callable[[], RetentionSettings]
) -> None:
    """Remove, now and then and a little at a time, what is over and old; of several processes one does it."""
    await clock.sleep(_FIRST)
    while True:
        try:
            if not shared or await store.lease("tidy", worker, _EVERY):
                await _tidied(store, clock, retention())
        except StoreError as exc:
            get_logger("runtime").warning("store.trim_failed", problem=str(exc))
        await clock.sleep(_EVERY)


async def _tidied(store: Store, clock: Clock, retention: RetentionSettings) -> None:
    now = clock.time()
    content, records = now - retention.content, now - retention.records
    await _by_steps(clock, lambda: store.trim(records, limit=_STEP))
    await _by_steps(clock, lambda: store.fade(content, limit=_STEP))
    await fade_records(store, content, pause=lambda: clock.sleep(_PAUSE))


async def _by_steps(clock: Clock, step: Callable[[], Awaitable[int]]) -> None:
    """Repeat a step until it finds less than it may take, with pauses in which others write."""
    while await step() >= _STEP:
        await clock.sleep(_PAUSE)
