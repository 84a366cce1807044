"""The embedded store: one SQLite file, held by one gateway, durable when a call returns."""

from __future__ import annotations

from gateway.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
