"""Group commit: many callers in one transaction, each on its own when something fails."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from pathlib import Path

import pytest

from gateway.abc.clock import SystemClock
from gateway.abc.store import Commit, Entry, Fact
from gateway.errors import LeaseLost, StoreError
from gateway.stores.sqlite import SqliteStore
from gateway.stores.sqlite.heads import Heads
from gateway.stores.sqlite.transactions import Access, Held
from gateway.stores.sqlite.writer import Writer

BOT = "support"


class _Writer(Writer):
    """A writer on a small table, whose connection a test can reach into."""

    def __init__(self, path: Path) -> None:
        super().__init__(Held(str(path), SystemClock(), Heads.unknown()), self._connected, woken=self._wake)
        self._rows = path
        self.db: sqlite3.Connection | None = None
        self.statements: list[str] = []
        self.wakes = 0

    def _wake(self, _: Collection[str]) -> None:
        self.wakes += 1

    def _connected(self) -> sqlite3.Connection:
        self.db = sqlite3.connect(self._rows, isolation_level=None, check_same_thread=False)
        self.db.execute("CREATE TABLE IF NOT EXISTS rows (n PRIMARY KEY, data)")
        self.db.set_trace_callback(self.statements.append)
        return self.db

    def limit_pages(self, pages: int) -> None:
        """Fill the disk, as far as SQLite can tell."""
        assert self.db is not None
        self.db.execute(f"PRAGMA max_page_count = {pages}")

    async def held_back(self) -> threading.Event:
        """Keep the thread busy, so that what is asked for meanwhile waits together."""
        begun, go = threading.Event(), threading.Event()

        def block(_: Access) -> None:
            begun.set()
            go.wait(5)

        self.blocking = asyncio.create_task(self.run(block, aside=True))
        await asyncio.to_thread(begun.wait, 5)
        return go

    async def rows(self) -> list[int]:
        return await self.run(lambda access: [n for (n,) in access.run("SELECT n FROM rows ORDER BY n")])


def _insert(n: int, size: int = 1) -> Callable[[Access], int]:
    def insert(access: Access) -> int:
        access.run("INSERT INTO rows VALUES (?, zeroblob(?))", n, size)
        access.woke.add(BOT)
        return n

    return insert


@pytest.fixture
async def writer(tmp_path: Path) -> AsyncIterator[_Writer]:
    writer = _Writer(tmp_path / "rows.db")
    await writer.open()
    yield writer
    await writer.close()


async def _together(writer: _Writer, *operations: Callable[[Access], int]) -> list[int | BaseException]:
    """Run operations in one group; what each gave or raised."""
    go = await writer.held_back()
    tasks = [asyncio.create_task(writer.run(one)) for one in operations]
    await asyncio.sleep(0)
    go.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    await writer.blocking
    return results


def _fail(_: Access) -> int:
    raise LeaseLost("not ours")


async def test_what_waits_together_is_committed_once(writer: _Writer) -> None:
    results = await _together(writer, *(_insert(n) for n in range(100)))

    assert results == list(range(100))
    assert writer.groups == 2
    assert writer.statements.count("COMMIT") == 2
    assert writer.wakes == 1


async def test_a_failure_rolls_back_alone(writer: _Writer) -> None:
    def half(access: Access) -> int:
        _insert(7)(access)
        return _fail(access)

    one, lost, two, double, three = await _together(
        writer, _insert(1), half, _insert(2), _insert(1), _insert(3)
    )

    assert (one, two, three) == (1, 2, 3)
    assert isinstance(lost, LeaseLost)
    assert isinstance(double, StoreError)
    assert str(double).endswith("rows.db' failed: UNIQUE constraint failed: rows.n")
    assert await writer.rows() == [1, 2, 3]
    assert writer.statements.count("COMMIT") == 3


async def test_a_broken_operation_is_a_store_error_with_its_cause(writer: _Writer) -> None:
    def broken(access: Access) -> int:
        access.run("INSERT INTO rows VALUES (?, ?)", 1, "\ud800")
        return 1

    with pytest.raises(StoreError) as failed:
        await writer.run(broken)

    assert isinstance(failed.value.__cause__, UnicodeEncodeError)
    assert await writer.rows() == []


async def test_a_full_disk_fails_the_call_that_needs_room_and_no_other(writer: _Writer) -> None:
    """SQLite gives up the whole transaction then; the others are run again, one by one."""
    await writer.run(_insert(0))
    writer.limit_pages(20)

    before, big, after = await _together(writer, _insert(1), _insert(2, 1_000_000), _insert(3))

    assert (before, after) == (1, 3)
    assert isinstance(big, StoreError)
    assert "database or disk is full" in str(big)
    assert await writer.rows() == [0, 1, 3]


async def test_a_full_disk_is_over_when_there_is_room(writer: _Writer) -> None:
    await writer.run(_insert(0))
    writer.limit_pages(3)
    with pytest.raises(StoreError, match="full"):
        await writer.run(_insert(1, 1_000_000))
    writer.limit_pages(100_000)

    assert await writer.run(_insert(1, 1_000_000)) == 1


async def test_a_disk_that_takes_no_more_fails_the_commit_and_keeps_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/1", (), b"before", 1.0)])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
    try:
        with pytest.raises(StoreError, match=r"store.db' failed: (disk I/O error|database or disk is full)"):
            await store.put([Entry(BOT, f"{BOT}/1", ("key",), bytes(1_000_000), 1.0)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert await store.put([Entry(BOT, f"{BOT}/1", ("key",), b"after", 1.0)]) == (True,)
    assert [one.body for one in await store.waiting(f"{BOT}/1")] == [b"before", b"after"]
    await store.close()


async def test_an_open_that_is_cancelled_leaves_nothing_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    opening = asyncio.create_task(store.open())
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening

    await store.open()
    await store.put([Entry(BOT, f"{BOT}/1", (), b"", 1.0)])
    await store.close()


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another program on the same file."""
    other = sqlite3.connect(tmp_path / "rows.db", isolation_level=None, check_same_thread=False)
    yield other
    other.close()


async def test_a_foreign_lock_is_waited_for_beside_the_event_loop(
    writer: _Writer, foreign: sqlite3.Connection
) -> None:
    foreign.execute("BEGIN IMMEDIATE")
    tasks = [asyncio.create_task(writer.run(_insert(n))) for n in range(3)]
    for _ in range(20):  # the loop turns meanwhile
        await asyncio.sleep(0.002)
    foreign.execute("ROLLBACK")

    assert await asyncio.gather(*tasks) == [0, 1, 2]


async def test_a_transaction_that_cannot_begin_fails_everybody(
    writer: _Writer, foreign: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gateway.stores.sqlite.writer._PATIENCE", 5)
    foreign.execute("BEGIN IMMEDIATE")

    results = await asyncio.gather(*(writer.run(_insert(n)) for n in range(3)), return_exceptions=True)

    assert [type(result) for result in results] == [StoreError] * 3
    assert "database is locked" in str(results[0])
    foreign.execute("ROLLBACK")
    assert await writer.rows() == []


async def test_a_commit_that_fails_is_tried_for_each_alone(writer: _Writer) -> None:
    """A deferred constraint fails at the commit itself, as a write to a dying disk does."""
    assert writer.db is not None
    writer.db.execute("PRAGMA foreign_keys = ON")
    writer.db.execute("CREATE TABLE kids (n REFERENCES rows DEFERRABLE INITIALLY DEFERRED)")

    def orphan(access: Access) -> int:
        access.run("INSERT INTO kids VALUES (99)")
        return 99

    before, lost, after = await _together(writer, _insert(1), orphan, _insert(2))

    assert (before, after) == (1, 2)
    assert isinstance(lost, StoreError)
    assert await writer.rows() == [1, 2]


async def test_a_caller_that_went_away_before_its_turn_writes_nothing(writer: _Writer) -> None:
    go = await writer.held_back()
    gone = asyncio.create_task(writer.run(_insert(1)))
    kept = asyncio.create_task(writer.run(_insert(2)))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    go.set()

    assert await kept == 2
    with pytest.raises(asyncio.CancelledError):
        await gone
    await writer.blocking
    assert await writer.rows() == [2]


async def test_close_finishes_what_was_asked_before(writer: _Writer) -> None:
    go = await writer.held_back()
    asked = asyncio.create_task(writer.run(_insert(1)))
    await asyncio.sleep(0)
    closing = asyncio.create_task(writer.close())
    await asyncio.sleep(0)
    go.set()
    await closing

    assert await asked == 1
    await writer.blocking
    with pytest.raises(StoreError, match="is not open"):
        await writer.run(_insert(2))


async def test_more_than_a_group_waits_its_turn(writer: _Writer) -> None:
    results = await _together(writer, *(_insert(n) for n in range(600)))

    assert results == list(range(600))
    assert writer.groups == 6


def test_a_loop_that_ended_without_close_leaves_the_thread_alive(tmp_path: Path) -> None:
    """A caller that crashed must not take the thread's other callers, or the interpreter's exit, with it."""
    writer = _Writer(tmp_path / "rows.db")

    async def crash() -> None:
        await writer.open()
        go = await writer.held_back()
        writer.blocking.cancel()
        go.set()

    asyncio.run(crash())

    asyncio.run(writer.close())
    assert [thread for thread in threading.enumerate() if thread.name == "store BEGIN IMMEDIATE"] == []


async def test_the_store_commits_concurrent_callers_together(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    before = store.groups

    await asyncio.gather(*(store.put([Entry(BOT, f"{BOT}/{n}", (), b"", 1.0)]) for n in range(500)))

    assert store.groups - before < 50
    assert (await store.counts())["inbox"] == 500
    await store.close()


async def test_a_store_call_that_fails_keeps_nothing_and_spares_its_neighbours(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/{n}", (), b"", 1.0) for n in range(3)])
    claims = await store.claim("w", bots=[BOT], limit=3, lease=30.0)
    facts = [(Fact(f"fact {n}", b"1"), Fact("\ud800" if n == 1 else "b", b"2")) for n in range(3)]

    results = await asyncio.gather(
        *(store.commit(claim, Commit(facts=one)) for claim, one in zip(claims, facts, strict=True)),
        return_exceptions=True,
    )

    assert [type(result) for result in results] == [type(None), StoreError, type(None)]
    assert [key for key, _ in await store.scan("fact")] == ["fact 0", "fact 2"]
    await store.commit(claims[1], Commit())
    assert (await store.counts())["inbox"] == 0
    await store.close()
