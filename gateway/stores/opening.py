"""From the word in a configuration to a store."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import StoreError

__all__ = ["is_shared", "open_store"]

_SERVERS = frozenset({"redis", "rediss", "valkey", "valkeys"})
_SUPPORTED = (
    "use sqlite:PATH (durable, one gateway per file), redis://HOST (durable, several gateways)"
    " or memory (kept until the process ends)"
)


def is_shared(url: str) -> bool:
    """Whether the store that a configuration names may be used by several gateways at once."""
    return url.partition(":")[0] in _SERVERS


def open_store(url: str, *, base: Path, clock: Clock) -> Store:
    """The store that a configuration names, not yet opened.

    Args:
        url: `memory:`, `sqlite:PATH`, or `redis://HOST` and its kin.
        base: The folder that a relative path starts from.
        clock: Where time comes from; a shared server goes by its own.

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
        case server if server in _SERVERS:
            return _on_server(url, base)
        case _:
            # The rest may carry a password, so it is not repeated.
            raise StoreError(f"store {scheme + ':'!r} names no store that can be opened; {_SUPPORTED}")


def _on_server(url: str, base: Path) -> Store:
    if find_spec("redis") is None:
        raise StoreError("this store needs the Redis client; install it: pip install 'lastword[redis]'")
    from gateway.stores.redis import RedisStore
    from gateway.stores.redis.address import parse

    return RedisStore(parse(url, base=base))
