"""From the word in a configuration to a store."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gateway.abc.clock import SystemClock
from gateway.errors import StoreError
from gateway.stores import open_store
from gateway.stores.memory import MemoryStore
from gateway.stores.redis import RedisStore
from gateway.stores.sqlite import SqliteStore
from gateway.testing.clock import ManualClock


def test_memory_names_the_store_that_forgets(tmp_path: Path) -> None:
    assert isinstance(open_store("memory:", base=tmp_path, clock=SystemClock()), MemoryStore)


async def test_sqlite_paths_start_at_the_base(tmp_path: Path) -> None:
    store = open_store("sqlite:data/store.db", base=tmp_path, clock=SystemClock())

    await store.open()

    assert isinstance(store, SqliteStore)
    assert (tmp_path / "data" / "store.db").exists()
    await store.close()


async def test_sqlite_paths_may_be_absolute(tmp_path: Path) -> None:
    store = open_store(f"sqlite:{tmp_path / 'store.db'}", base=Path("/nowhere"), clock=SystemClock())

    await store.open()

    assert (tmp_path / "store.db").exists()
    await store.close()


@pytest.mark.parametrize("scheme", ["memory", "sqlite"])
async def test_the_store_uses_the_clock(tmp_path: Path, scheme: str) -> None:
    clock = ManualClock()
    rest = "store.db" if scheme == "sqlite" else ""
    store = open_store(f"{scheme}:{rest}", base=tmp_path, clock=clock)
    await store.open()
    await store.set("k", b"v", ttl=5.0)
    clock.advance(6.0)

    assert await store.get("k") is None
    await store.close()


@pytest.mark.parametrize("scheme", ["redis", "rediss", "valkey", "valkeys"])
def test_servers_are_named_by_their_scheme(tmp_path: Path, scheme: str) -> None:
    assert isinstance(open_store(f"{scheme}://host", base=tmp_path, clock=SystemClock()), RedisStore)


def test_a_missing_client_is_told_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr("gateway.stores.opening.find_spec", nothing)

    with pytest.raises(StoreError, match=r"pip install 'lastword\[redis\]'"):
        open_store("redis://host", base=tmp_path, clock=SystemClock())


@pytest.mark.parametrize("url", ["", "sqlite", "sqlite:", "memory", "memory:x", "postgres://u:secret@h/db"])
def test_other_words_are_refused_with_what_to_use(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreError, match="use sqlite:PATH") as refused:
        open_store(url, base=tmp_path, clock=SystemClock())

    assert "secret" not in str(refused.value)


def test_the_room_loads_no_store_before_one_is_opened() -> None:
    program = "import sys, gateway.stores; print({'sqlite3', 'redis'} & {*sys.modules})"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
