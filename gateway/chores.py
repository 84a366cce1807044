"""What a gateway does for its store now and then."""

from __future__ import annotations

import secrets

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import StoreError
from gateway.observability import get_logger

__all__ = ["salt_of", "tidy"]

_KEEP = 180 * 86_400.0  # seconds that records, delivered answers and dead letters are kept
_EVERY, _PAUSE, _STEP = 3600.0, 0.2, 500  # seconds, seconds, rows


async def salt_of(store: Store) -> int:
    """The store's own number, drawn once."""
    known = await store.get("salt")
    if known is None:
        await store.swap("salt", None, str(secrets.randbits(25)).encode())
        known = await store.get("salt")
    return int(known or b"0")


async def tidy(store: Store, clock: Clock, *, worker: str, shared: bool) -> None:
    """Remove, now and then and a little at a time, what is over and old; of several processes one does it."""
    while True:
        await clock.sleep(_EVERY)
        try:
            if shared and not await store.lease("tidy", worker, _EVERY):
                continue
            while await store.trim(clock.time() - _KEEP, limit=_STEP) >= _STEP:
                await clock.sleep(_PAUSE)
        except StoreError as exc:
            get_logger("runtime").warning("store.trim_failed", problem=str(exc))
