"""Where everything accepted, decided and owed is kept: one shape, several stores."""

from __future__ import annotations

from pathlib import Path

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import StoreError

__all__ = ["open_store"]


def open_store(url: str, *, base: Path, clock: Clock) -> Store:
    """The store that a configuration names, not yet opened.

    Args:
        url: `memory:` or `sqlite:PATH`.
        base: The folder that a relative path starts from.
        clock: Where time comes from.

    Raises:
        StoreError: No store of this kind.
    """
    scheme, _, rest = url.partition(":")
    if scheme == "memory":
        from gateway.stores.memory import MemoryStore

        return MemoryStore(clock=clock)
    if scheme == "sqlite" and rest:
        from gateway.stores.sqlite import SqliteStore

        return SqliteStore(base / rest, clock=clock)
    raise StoreError(f"store {url!r} is not available; use memory: or sqlite:PATH (one gateway per file)")
