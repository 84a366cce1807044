"""From the word in a configuration to a store."""

from __future__ import annotations

from pathlib import Path

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import StoreError

__all__ = ["open_store"]

_SUPPORTED = "use sqlite:PATH (durable, one gateway per file) or memory: (kept until the process ends)"


def open_store(url: str, *, base: Path, clock: Clock) -> Store:
    """The store that a configuration names, not yet opened.

    Args:
        url: `memory:` or `sqlite:PATH`.
        base: The folder that a relative path starts from.
        clock: Where time comes from.

    Raises:
        StoreError: There is no such store.
    """
    scheme, _, rest = url.partition(":")
    match scheme:
        case "memory" if url == "memory:":
            from gateway.stores.memory import MemoryStore

            return MemoryStore(clock=clock)
        case "sqlite" if rest:
            from gateway.stores.sqlite import SqliteStore

            return SqliteStore(base / rest, clock=clock)
        case "redis" | "rediss" | "valkey" | "valkeys":
            # The address may carry a password, so it is not repeated.
            raise StoreError(f"store '{scheme}://' is not available in this version; {_SUPPORTED}")
        case _:
            raise StoreError(f"store {scheme + ':'!r} names no store that can be opened; {_SUPPORTED}")
