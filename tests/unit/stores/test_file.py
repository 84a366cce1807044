"""The file of the SQLite store: who may open it, and what is said when it cannot be opened."""

# ruff: noqa: ASYNC220, ASYNC240  # processes and files are what is tested here
from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gateway.abc.store import Commit, Entry
from gateway.errors import StoreError, StoreLocked
from gateway.stores.sqlite import SqliteStore
from gateway.stores.sqlite.schema import VERSION
from gateway.testing.clock import ManualClock

BOT = "support"
LANE = "support/1"


def _entry(body: bytes = b"hello", *, lane: str = LANE, key: str = "") -> Entry:
    return Entry(BOT, lane, (key,) if key else (), body, 1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


async def _refused(path: Path, *, read_only: bool = False) -> str:
    """What is said by a store that cannot be opened."""
    store = SqliteStore(path, read_only=read_only)
    with pytest.raises(StoreError) as refused:
        await store.open()
    return str(refused.value)


async def test_open_makes_folder_and_file_for_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "store.db"
    store = SqliteStore(path)
    await store.open()
    await store.put([_entry()])

    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}

    await store.close()
    assert modes == dict.fromkeys(("store.db", "store.db-wal", "store.db-shm", "store.db.lock"), 0o600)


async def test_open_refuses_a_file_that_is_held_and_says_by_whom(path: Path) -> None:
    holder = SqliteStore(path)
    await holder.open()

    with pytest.raises(
        StoreLocked, match=rf"store.db' is held by process {os.getpid()}; one gateway per file"
    ):
        await SqliteStore(path).open()

    await holder.put([_entry()])
    await holder.close()


async def test_open_refuses_a_held_file_under_another_name(tmp_path: Path, path: Path) -> None:
    (tmp_path / "link.db").symlink_to(path)
    holder = SqliteStore(path)
    await holder.open()

    with pytest.raises(StoreLocked):
        await SqliteStore(tmp_path / "link.db").open()

    await holder.close()


async def test_open_refuses_a_file_that_another_process_holds_until_it_ends(path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys\n"
        "from gateway.stores.sqlite import SqliteStore\n"
        "async def hold():\n"
        "    store = SqliteStore(pathlib.Path(sys.argv[1]))\n"
        "    await store.open()\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
        "    await store.close()\n"
        "asyncio.run(hold())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        store = SqliteStore(path)

        with pytest.raises(StoreLocked, match=f"process {other.pid};"):
            await store.open()

        other.communicate()
    assert other.returncode == 0
    await store.open()
    await store.close()


async def test_a_store_opens_again_after_close(path: Path) -> None:
    store = SqliteStore(path)
    for body in (b"a", b"b"):
        await store.open()
        await store.put([_entry(body)])
        await store.close()
    await store.close()
    await store.open()

    assert [one.body for one in await store.waiting(LANE)] == [b"a", b"b"]
    await store.close()


async def test_calls_outside_open_and_close_are_refused(path: Path) -> None:
    store = SqliteStore(path)
    with pytest.raises(StoreError, match=r"store.db' is not open"):
        await store.put([_entry()])
    await store.open()
    await store.close()

    with pytest.raises(StoreError, match=r"store.db' is not open"):
        await store.get("a")


async def test_open_frees_what_a_dead_process_held_with_attempts_and_delays_kept(path: Path) -> None:
    """The lock proves that nobody is at work, so no lease need run out first."""
    clock = ManualClock()
    died = SqliteStore(path, clock=clock)
    await died.open()
    await died.put([_entry(b"held"), _entry(b"put off", lane="support/2")])
    held, put_off = await died.claim("w", bots=[BOT], limit=2, lease=1e9)
    await died.retry(put_off, delay=60.0)
    await died.close()
    store = SqliteStore(path, clock=clock)
    await store.open()

    (again,) = await store.claim("w", bots=[BOT], limit=2, lease=300.0)

    assert (again.entry, again.attempts) == (held.entry, 2)
    with pytest.raises(StoreError):
        await store.commit(held, Commit())
    clock.advance(61)
    (late,) = await store.claim("w", bots=[BOT], limit=2, lease=30.0)
    assert (late.body, late.attempts) == (b"put off", 2)
    await store.close()


async def test_a_leap_of_the_wall_clock_ends_no_lease(path: Path) -> None:
    """A host that slept or was corrected must not run a turn twice."""
    clock = ManualClock()
    store = SqliteStore(path, clock=clock)
    await store.open()
    await store.put([_entry()])
    (claim,) = await store.claim("w", bots=[BOT], limit=1, lease=30.0)
    clock.step(3600.0)

    assert await store.claim("w", bots=[BOT], limit=1, lease=30.0) == ()

    await store.commit(claim, Commit())
    await store.close()


async def test_a_reader_sees_what_a_live_gateway_commits_and_writes_nothing(path: Path) -> None:
    writer = SqliteStore(path)
    await writer.open()
    reader = SqliteStore(path, read_only=True)
    await reader.open()
    await writer.put([_entry(b"a")])

    assert [one.body for one in await reader.waiting(LANE)] == [b"a"]

    await writer.set("k", b"v")
    assert await reader.get("k") == b"v"
    writes: list[Callable[[], object]] = [
        lambda: reader.put([_entry()]),
        lambda: reader.set("k", b"w"),
        lambda: reader.lease("n", "o", 1),
        lambda: reader.release("n", "o"),
        lambda: reader.claim("w", bots=[BOT], limit=1, lease=1),
    ]
    for write in writes:
        with pytest.raises(StoreError, match="open for reading only"):
            await write()  # type: ignore[misc]  # each gives an awaitable of its own type
    await reader.close()
    await writer.close()


async def test_a_reader_opens_a_file_that_nobody_holds(path: Path) -> None:
    writer = SqliteStore(path)
    await writer.open()
    await writer.set("k", b"v")
    await writer.close()
    reader = SqliteStore(path, read_only=True)
    await reader.open()

    assert await reader.get("k") == b"v"

    await reader.close()
    await writer.open()
    await writer.close()


async def test_a_reader_refuses_a_file_that_is_not_there(path: Path) -> None:
    told = await _refused(path, read_only=True)

    assert told == f"store {str(path)!r} does not exist yet: run the gateway first"
    assert not path.exists()


async def test_a_reader_refuses_a_file_of_an_older_schema(path: Path) -> None:
    path.touch()

    assert "has an older schema (0); run the gateway once" in await _refused(path, read_only=True)


@pytest.mark.parametrize("read_only", [False, True])
async def test_open_refuses_a_newer_schema_and_leaves_it_alone(path: Path, *, read_only: bool) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")

    refused = await _refused(path, read_only=read_only)

    assert str(path) in refused
    assert f"newer Lastword (schema 99, this one knows {VERSION})" in refused
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (99,)


async def test_open_refuses_the_database_of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE theirs (a)")

    assert "is the database of another program" in await _refused(path)

    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)


@pytest.mark.parametrize("read_only", [False, True])
async def test_open_refuses_what_is_no_database(path: Path, *, read_only: bool) -> None:
    path.write_bytes(b"no database at all, but a text" * 100)

    refused = await _refused(path, read_only=read_only)

    assert str(path) in refused
    assert "file is not a database; put a copy in its place" in refused
    assert path.read_bytes().startswith(b"no database")


async def test_open_refuses_a_folder_and_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()

    assert "cannot be opened" in await _refused(tmp_path / "folder")
    assert "cannot be written" in await _refused(tmp_path / "file" / "store.db")


async def test_a_damaged_file_fails_with_its_path_and_the_store_goes_on(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.put([_entry(bytes(3000), lane=f"support/{n}") for n in range(200)])
    await store.close()
    data = bytearray(path.read_bytes())
    data[4096 * 80 : 4096 * 150] = b"\xaa" * (4096 * 70)  # behind the roots of the tables
    path.write_bytes(data)
    await store.open()

    with pytest.raises(StoreError, match=r"store.db' failed: database disk image is malformed"):
        await store.claim("w", bots=[BOT], limit=200, lease=30.0)

    assert await store.get("a") is None
    await store.close()


async def test_open_again_after_a_refusal(path: Path) -> None:
    """A refused open leaves no lock behind."""
    path.write_bytes(b"no database" * 100)
    await _refused(path)
    path.unlink()
    store = SqliteStore(path)
    await store.open()
    await store.close()


async def test_backup_copies_a_live_store(path: Path, tmp_path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.put([_entry(b"before", key="1")])
    await store.backup(tmp_path / "copy.db")
    await store.put([_entry(b"after")])
    await store.close()
    copy = SqliteStore(tmp_path / "copy.db")
    await copy.open()

    assert [one.body for one in await copy.waiting(LANE)] == [b"before"]
    assert await copy.put([_entry(key="1")]) == (False,)
    await copy.close()
    assert not (tmp_path / "copy.db.partial").exists()


async def test_backup_overwrites_nothing(path: Path, tmp_path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    (tmp_path / "mine").write_text("mine")

    for target in (tmp_path / "mine", path):
        with pytest.raises(StoreError, match="exists already; name a new file"):
            await store.backup(target)
    with pytest.raises(StoreError, match="cannot be written"):
        await store.backup(tmp_path / "nowhere" / "copy.db")

    assert (tmp_path / "mine").read_text() == "mine"
    await store.close()
