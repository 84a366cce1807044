"""The shared store: Redis or Valkey, for several gateways at once, durable as the server's log is."""

from __future__ import annotations

from gateway.stores.redis.store import RedisStore

__all__ = ["RedisStore"]
