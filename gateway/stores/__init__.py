"""Where everything accepted, decided and owed is kept: one shape, several stores."""

from __future__ import annotations

from gateway.stores.opening import is_shared, open_store

__all__ = ["is_shared", "open_store"]
