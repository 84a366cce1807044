"""What was acknowledged is there after SIGKILL at any instant."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gateway.abc.store import Entry, LetterClaim
from gateway.stores.sqlite import SqliteStore

BOT = "support"

# Sixteen writers, each a conversation: put, claim, commit, deliver; a line on standard output for each call
# that returned. `os.write` is one system call, so a line is there whole or not at all.
_PROGRAM = """
import asyncio, os, pathlib, sys
from gateway.abc.store import *
from gateway.stores.sqlite import SqliteStore

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

async def write(store, lane):
    n = 0
    while True:
        key = f"{os.getpid()}-{lane}-{n}"
        await store.put([Entry("support", f"support/{lane}", (key,), key.encode(), 1.0)])
        say("put", lane, key)
        n += 1
        await asyncio.sleep(0)

async def run(store):
    while True:
        for claim in await store.claim("w", bots=["support"], limit=64, lease=30.0):
            key = claim.body.decode()
            turn = Turn(key, key, "support", claim.lane, claim.entry, "finished", "completed", "", 1.0, b"")
            line = Line(claim.lane, key, "user", key, 1.0)
            letter = Letter(key, "support", claim.lane, key, b"", 1.0)
            await store.commit(claim, Commit(turn, (line,), letters=(letter,)))
            say("commit", claim.lane, key)
        await store.wait(0.5)

async def deliver(store):
    while True:
        for claim in await store.claim_letters("w", bots=["support"], limit=64, lease=30.0):
            if not claim.parts:
                await store.plan(claim, [PartRow("sending", b"")])
            await store.settle(claim, "delivered", changes=[(0, PartRow("sent", b""))])
            say("settle", claim.letter.lane, claim.letter.id)
        await store.wait(0.5)

async def main():
    store = SqliteStore(pathlib.Path(sys.argv[1]), synchronous=sys.argv[2])
    await store.open()
    await asyncio.gather(run(store), deliver(store), *(write(store, lane) for lane in range(16)))

asyncio.run(main())
"""


def _live_and_die(path: Path, synchronous: str, seconds: float) -> list[list[str]]:
    """Let a process write for a while and kill it; what it said was done."""
    command = [sys.executable, "-c", _PROGRAM, str(path), synchronous]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        with pytest.raises(subprocess.TimeoutExpired):
            writer.communicate(timeout=seconds)
        writer.kill()
        said = first + writer.communicate()[0]
    assert writer.returncode == -signal.SIGKILL
    return [line.split() for line in said.decode().splitlines()]


def _done(said: list[list[str]], what: str) -> set[str]:
    return {key for word, _, key in said if word == what}


def _ask(path: Path, question: str) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {answer for (answer,) in db.execute(question)}


@pytest.mark.kill
@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
async def test_nothing_acknowledged_is_lost_when_the_process_is_killed(
    tmp_path: Path, synchronous: str
) -> None:
    path = tmp_path / "store.db"
    said: list[list[str]] = []
    for seconds in (0.05, random.uniform(0.1, 0.4), 0.3):  # noqa: S311  # any instant will do
        said += await asyncio.to_thread(_live_and_die, path, synchronous, seconds)

        assert _ask(path, "PRAGMA integrity_check") == {"ok"}
    store = SqliteStore(path)
    await store.open()

    assert min(len(_done(said, what)) for what in ("put", "commit", "settle")) > 10
    again = [Entry(BOT, f"{BOT}/again", (key,), b"", 1.0) for key in sorted(_done(said, "put"))]
    assert set(await store.put(again)) == {False}
    missing = [key for key in _done(said, "commit") if await store.turn(key) is None]
    assert missing == []
    owed = {claim.letter.id for claim in await _drained(store)}
    assert owed & _done(said, "settle") == set()
    assert _ask(path, "SELECT id FROM letters") >= _done(said, "commit")
    for lane in range(16):
        await _in_order(
            store, f"{BOT}/{lane}", {key for what, at, key in said if what == "put" and at == str(lane)}
        )
    await store.close()


async def _drained(store: SqliteStore) -> list[LetterClaim]:
    """Every letter that is still owed."""
    owed: list[LetterClaim] = []
    while claims := await store.claim_letters("w", bots=[BOT], limit=1000, lease=30.0):
        for claim in claims:
            await store.settle(claim, "delivered")
        owed += claims
    return owed


async def _in_order(store: SqliteStore, lane: str, put: set[str]) -> None:
    """A lane's past and what waits in it are its entries in the order they were put, each once."""
    past = [line.text for line in await store.history(lane, limit=1_000_000)]
    ahead = [entry.body.decode() for entry in await store.waiting(lane)]
    lived: dict[str, list[int]] = {}
    for key in past + ahead:
        process, _, n = key.split("-")
        lived.setdefault(process, []).append(int(n))

    assert put <= set(past + ahead)
    assert list(lived.values()) == [list(range(len(numbers))) for numbers in lived.values()]
