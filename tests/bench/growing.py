"""What a message costs the store as it fills: with many conversations known, and with a long one."""

from __future__ import annotations

import random
import sqlite3
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gateway.abc.store import Commit, Entry, Letter, Line, Store, Turn
from gateway.stores.sqlite import SqliteStore

__all__ = ["Cost", "long_conversation", "many_conversations"]

_BOT, _BODY, _TEXT = "support", b"x" * 330, "a sentence of the usual length, or near to it"
_HISTORY = 100  # lines that an agent is given, as by default
# What each known conversation left behind: one closed message, its turn, its two lines and its answer.
_KNOWN = (
    "INSERT INTO inbox (number, bot, lane, body, at, closed) SELECT n, :bot, :bot || '/' || n, :body, n, n",
    (
        "INSERT INTO letters (number, id, bot, lane, turn, body, at, state, closed)"
        " SELECT n, 'l' || n, :bot, :bot || '/' || n, 't' || n, :body, n, 'delivered', n"
    ),
    "INSERT INTO known (bot, key, at) SELECT :bot, 'k' || n, n",
    (
        "INSERT INTO turns (number, id, ref, bot, lane, entry, state, reason, code, at, body)"
        " SELECT n, 't' || n, 'R' || n, :bot, :bot || '/' || n, n, 'finished', 'completed', '', n, :body"
    ),
    (
        "INSERT INTO lines (number, lane, turn, role, text, at, speaker, data)"
        " SELECT n, :bot || '/' || (n + 1) / 2, 't' || (n + 1) / 2, 'user', :text, n, x'', x''"
    ),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one message, from accepted to delivered.

    Attributes:
        cpu: Seconds of processor time.
        p50: Seconds until it is done, the median.
    """

    cpu: float
    p50: float


async def many_conversations(known: int, *, messages: int) -> Cost:
    """Messages in conversations of which so many are known."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        path = Path(name) / "lastword.db"
        await _made(path)
        _fill(path, known)
        store = SqliteStore(path)
        await store.open()
        try:
            chosen = random.Random(1)  # noqa: S311  # spread, no secret
            return await _measured(store, [f"{_BOT}/{chosen.randint(1, known)}" for _ in range(messages)])
        finally:
            await store.close()


async def long_conversation(turns: int, *, messages: int) -> Cost:
    """Messages in one conversation that had so many turns."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        path = Path(name) / "lastword.db"
        await _made(path)
        _fill(path, turns)
        with sqlite3.connect(path) as db:
            for table in ("inbox", "letters", "turns", "lines"):
                db.execute(f"UPDATE {table} SET lane = ?", (f"{_BOT}/1",))  # noqa: S608  # names of ours
        db.close()
        store = SqliteStore(path)
        await store.open()
        try:
            return await _measured(store, [f"{_BOT}/1"] * messages)
        finally:
            await store.close()


async def _made(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    await store.close()


def _fill(path: Path, known: int) -> None:
    """Write what conversations left behind, quickly: nothing is measured yet."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        values = {"bot": _BOT, "body": _BODY, "text": _TEXT.encode()}
        for statement in _KNOWN:
            rows = known * 2 if "INTO lines" in statement else known
            many = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < :rows)"
            db.execute(f"{many} {statement} FROM c", values | {"rows": rows})
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        db.close()


async def _measured(store: Store, lanes: list[str]) -> Cost:
    for number, lane in enumerate(lanes[: max(len(lanes) // 10, 1)]):  # warm
        await _message(store, lane, f"warm{number}")
    waits: list[float] = []
    began = time.process_time()
    for number, lane in enumerate(lanes):
        at = time.perf_counter()
        await _message(store, lane, f"m{number}")
        waits.append(time.perf_counter() - at)
    return Cost((time.process_time() - began) / len(lanes), statistics.median(waits))


async def _message(store: Store, lane: str, name: str) -> None:
    """Accept, claim, read what was said before, commit the answer, claim that, settle it."""
    now = time.time()
    await store.put([Entry(_BOT, lane, (name,), _BODY, now)])
    (claim,) = await store.claim("bench", bots=[_BOT], limit=1, lease=30.0)
    await store.history(lane, limit=_HISTORY)
    turn = Turn(name, name.upper(), _BOT, lane, claim.entry, "finished", "completed", "", now, _BODY)
    lines = tuple(Line(lane, turn.id, role, _TEXT, now) for role in ("user", "assistant"))
    letter = Letter(f"l{name}", _BOT, lane, turn.id, _BODY, now)
    await store.commit(claim, Commit(turn, lines, letters=(letter,)))
    (owed,) = await store.claim_letters("bench", bots=[_BOT], limit=1, lease=30.0)
    await store.settle(owed, "delivered")
