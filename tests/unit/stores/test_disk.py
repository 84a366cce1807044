"""What a call waits for: the disk, as long as it takes, and no longer."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Literal

import pytest

from gateway.abc.store import Entry
from gateway.errors import StoreError
from gateway.stores.sqlite import SqliteStore
from gateway.stores.sqlite.writer import Writer

BOT = "support"


async def test_an_answer_waits_for_the_disk_and_what_comes_meanwhile_shares_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is slow: nobody is answered before it, and the event loop turns."""
    begun, go = threading.Event(), threading.Event()

    def slow(_: int) -> None:
        begun.set()
        go.wait(5)

    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    monkeypatch.setattr("gateway.stores.sqlite.writer._fdatasync", slow)
    first = asyncio.create_task(store.set("a", b"1"))
    await asyncio.to_thread(begun.wait, 5)
    groups, syncs = store.groups, store.syncs
    others = [asyncio.create_task(store.set(f"b{n}", b"1")) for n in range(20)]
    await asyncio.sleep(0.02)

    assert not first.done()
    assert await store.get("a") == b"1"
    go.set()
    await asyncio.gather(first, *others)
    assert (store.groups - groups, store.syncs - syncs) == (1, 1)
    await store.close()


async def test_what_changes_nothing_waits_for_no_disk(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/1", ("key",), b"", 1.0)])
    before = store.syncs

    assert await store.put([Entry(BOT, f"{BOT}/1", ("key",), b"", 1.0)]) == (False,)
    assert await store.swap("fact", b"other", b"new") is False
    assert await store.claim("w", bots=[BOT], limit=1, lease=30.0)
    assert store.syncs == before
    await store.close()


async def test_store_that_need_not_last_waits_for_no_disk(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db", synchronous="NORMAL")
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/1", ("key",), b"", 1.0)])

    assert store.syncs == 0
    await store.close()


async def test_a_disk_that_failed_once_is_trusted_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel may have dropped what it could not write, and say of the next try that all is well."""

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    with monkeypatch.context() as patched:
        patched.setattr("gateway.stores.sqlite.writer._fdatasync", fail)
        with pytest.raises(StoreError, match=r"store\.db' is not on the disk: .*Input/output error"):
            await store.set("a", b"1")

    with pytest.raises(StoreError, match="restart the gateway"):
        await store.set("b", b"1")
    with pytest.raises(StoreError, match="restart the gateway"):  # readiness asks by reading
        await store.get("a")
    await store.close()


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
async def test_a_long_log_is_worked_into_the_file(
    tmp_path: Path, synchronous: Literal["FULL", "NORMAL"]
) -> None:
    """Under load without a pause: the log begins anew, and does not grow with what was written."""
    store = SqliteStore(tmp_path / "store.db", synchronous=synchronous)
    await store.open()

    async def talk(person: int) -> None:
        for number in range(200):
            await store.set(f"{person}/{number}", bytes(2_000))

    await asyncio.gather(*(talk(person) for person in range(20)))

    written = 20 * 200 * 2_000
    assert (tmp_path / "store.db").stat().st_size > written * 0.5
    assert (tmp_path / "store.db-wal").stat().st_size < written * 2
    await store.close()
    assert not (tmp_path / "store.db-wal").exists()


async def test_a_log_that_cannot_be_worked_in_is_told_and_hinders_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Writer, __: sqlite3.Connection, **___: int) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("gateway.stores.sqlite.writer._CHANGES", 1)
    monkeypatch.setattr(Writer, "_work_in", broken)
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    for number in range(3):
        await store.set(f"{number}", b"1")
    assert await store.get("2") == b"1"
    await store.close()

    told = [record.getMessage() for record in caplog.records]
    assert any("store.log_not_worked_in" in line and "disk I/O error" in line for line in told)
