"""Every store sits the exam that third parties' stores sit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.abc.store import Store
from gateway.stores.memory import MemoryStore
from gateway.stores.redis import RedisStore
from gateway.stores.sqlite import SqliteStore
from gateway.testing.clock import ManualClock
from gateway.testing.stores import StoreContract
from tests.emulators.valkey import empty_address


class TestMemoryStore(StoreContract):
    def make_store(self, clock: ManualClock, folder: Path) -> Store:
        assert folder.is_dir()
        return MemoryStore(clock=clock)


class TestSqliteStore(StoreContract):
    def make_store(self, clock: ManualClock, folder: Path) -> Store:
        return SqliteStore(folder / "store.db", clock=clock)


class TestSqliteStoreThatSurvivesItsProcessOnly(StoreContract):
    def make_store(self, clock: ManualClock, folder: Path) -> Store:
        return SqliteStore(folder / "store.db", clock=clock, synchronous="NORMAL")


class TestRedisStore(StoreContract):
    def make_store(self, clock: ManualClock, folder: Path) -> Store:
        assert folder.is_dir()
        return RedisStore(empty_address(), clock=clock)


def test_the_contract_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        StoreContract().make_store(ManualClock(), tmp_path)
