"""A file of an older version is brought on, and its copy stays for that version."""

# ruff: noqa: ASYNC240  # files are what is tested here
from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from gateway.abc.store import Commit, Entry, Line
from gateway.errors import StoreError
from gateway.stores.sqlite import SqliteStore, schema
from gateway.stores.sqlite.file import kept_before

LANE = "support/1"


@pytest.fixture
async def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file as the first version wrote it, with something in it."""
    path = tmp_path / "store.db"
    with monkeypatch.context() as older:
        older.setattr(schema, "STEPS", schema.STEPS[:1])
        older.setattr(schema, "VERSION", 1)
        store = SqliteStore(path)
        await store.open()
        await store.put(
            [Entry("support", LANE, ("k",), b"asked", 1.0), Entry("support", LANE, (), b"next", 2.0)]
        )
        (claim,) = await store.claim("w", bots=["support"], limit=1, lease=60)
        await store.commit(claim, Commit(history=(Line(LANE, "t1", "user", "asked", 1.0),)))
        await store.close()
    return path


async def _everything(path: Path) -> tuple[object, ...]:
    store = SqliteStore(path)
    await store.open()
    try:
        waiting = [one.body for one in await store.waiting(LANE)]
        again = await store.put([Entry("support", LANE, ("k",), b"asked", 1.0)])
        return await store.history(LANE, limit=10), waiting, again
    finally:
        await store.close()


async def test_older_file_is_brought_on_with_all_that_is_in_it(first: Path) -> None:
    lines, waiting, again = await _everything(first)

    assert [line.text for line in lines] == ["asked"]  # type: ignore[attr-defined]  # lines of history
    assert (waiting, again) == ([b"next"], (False,))
    with closing(sqlite3.connect(first)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


async def test_copy_is_kept_that_the_older_version_goes_on_with(
    first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _everything(first)
    copy = kept_before(first, 1)
    assert copy.stat().st_mode & 0o777 == 0o600

    monkeypatch.setattr(schema, "STEPS", schema.STEPS[:1])
    monkeypatch.setattr(schema, "VERSION", 1)
    shutil.copy(copy, first.with_name("back.db"))
    lines, waiting, _ = await _everything(first.with_name("back.db"))

    assert [line.text for line in lines] == ["asked"]  # type: ignore[attr-defined]  # lines of history
    assert waiting == [b"next"]


async def test_step_that_fails_leaves_the_file_as_it_was(
    first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, "CREATE TABLE half (a); CREATE TABLE half (a);"))
    monkeypatch.setattr(schema, "VERSION", len(schema.STEPS))
    with pytest.raises(StoreError, match="half"):
        await SqliteStore(first).open()

    monkeypatch.undo()
    with closing(sqlite3.connect(first)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone() is None
    assert (await _everything(first))[1] == [b"next"]


async def test_file_is_not_touched_without_room_for_its_copy(
    first: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", _full)

    with pytest.raises(StoreError, match="1 are free"):
        await SqliteStore(first).open()

    assert not kept_before(first, 1).exists()
    with closing(sqlite3.connect(first)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)


async def test_new_file_and_one_of_today_need_no_copy(tmp_path: Path) -> None:
    for _ in range(2):
        await _everything(tmp_path / "store.db")

    assert [path.name for path in tmp_path.iterdir() if "schema" in path.name] == []


def _full(_: Path) -> SimpleNamespace:
    """A disk with next to no room."""
    return SimpleNamespace(free=1)
