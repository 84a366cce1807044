"""A process that is killed while it brings a file on, or puts a copy back, leaves a file to go on with."""

# ruff: noqa: ASYNC240  # files are what is tested here
from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gateway.abc.store import Entry
from gateway.stores.sqlite import SqliteStore, schema
from gateway.stores.sqlite.file import copy, examine, kept_before, replace

LANE = "support/1"
BODIES = [f"message {number}".encode() for number in range(50)]

# Kills itself right before the statement that contains a word is run.
_UPGRADE = """
import asyncio, os, pathlib, signal, sqlite3, sys
from gateway.stores.sqlite import SqliteStore, file

class Dying(sqlite3.Connection):
    def execute(self, statement, *rest):
        if sys.argv[2] in statement:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(statement, *rest)

connect = sqlite3.connect
sqlite3.connect = lambda *a, **k: connect(*a, **k, factory=Dying)
asyncio.run(SqliteStore(pathlib.Path(sys.argv[1])).open())
"""

# Kills itself right before the nth link, rename or flush to the disk.
_RESTORE = """
import os, pathlib, signal, sys
from gateway.stores.sqlite import file

left = int(sys.argv[3])

def counted(real):
    def call(*arguments):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments)
    return call

file._flush = counted(file._flush)
os.link = counted(os.link)
pathlib.Path.replace = counted(pathlib.Path.replace)
file.replace(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
"""


async def _run(program: str, *arguments: object) -> int:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, *map(str, arguments))
    async with asyncio.timeout(30.0):
        return await process.wait()


async def _filled(path: Path, bodies: list[bytes]) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.put([Entry("support", LANE, (), body, 1.0) for body in bodies])
    await store.close()


async def _bodies(path: Path) -> list[bytes]:
    store = SqliteStore(path)
    await store.open()
    try:
        return [one.body for one in await store.waiting(LANE)]
    finally:
        await store.close()


@pytest.mark.parametrize("before", ["journal_mode = DELETE", "CREATE INDEX lines_at", "user_version = "])
async def test_kill_in_an_upgrade_leaves_the_older_file_and_the_next_start_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    path = tmp_path / "store.db"
    with monkeypatch.context() as older:
        older.setattr(schema, "STEPS", schema.STEPS[:1])
        older.setattr(schema, "VERSION", 1)
        await _filled(path, BODIES)

    assert await _run(_UPGRADE, path, before) == -signal.SIGKILL

    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert await _bodies(path) == BODIES
    assert examine(path) == schema.VERSION
    assert examine(kept_before(path, 1)) == 1
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize("steps", range(6))
async def test_kill_in_a_restore_loses_neither_and_the_next_one_ends_it(tmp_path: Path, steps: int) -> None:
    path, source = tmp_path / "store.db", tmp_path / "copy.db"
    await _filled(path, BODIES)
    copy(path, source)
    await _filled(path, [b"newer"])

    assert await _run(_RESTORE, path, source, steps) == -signal.SIGKILL

    replaced = [*BODIES, b"newer"]
    now = await _bodies(path)
    assert now in (BODIES, replaced)
    kept = [one for one in tmp_path.glob("store.db.before-restore-*") if one.suffix != ".lock"]
    assert now == replaced or [await _bodies(one) for one in kept] == [replaced]
    replace(path, source)
    assert await _bodies(path) == BODIES
