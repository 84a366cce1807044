"""The exam of a store: subclass `StoreContract`, give it your store, and pytest does the rest."""

from __future__ import annotations

from gateway.testing.stores.contract import StoreContract

__all__ = ["StoreContract"]
