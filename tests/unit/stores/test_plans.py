"""What a statement costs does not grow with what the file holds."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from gateway.abc.store import Claim, Commit, Entry, Fact, Letter, Line, PartRow, Turn
from gateway.stores.sqlite import SqliteStore

BOT = "support"

_ALLOWED = (
    # What waits is learnt once, when the file is opened.
    "SCAN lanes",
    "SCAN outboxes",
    # Counting reads an index of what is counted.
    "SCAN inbox USING INDEX inbox_open",
    "SCAN letters USING INDEX letters_o",
    "SCAN turns USING COVERING INDEX",
    # The newest of these are listed, from the end of the index on.
    "SCAN letters USING INDEX letters_dead",
    "SCAN turns USING INDEX turns_at",
)


class _Watched:
    """The connections of stores, each statement of theirs and each step of SQLite's machine."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.steps = 0

    def connect(self, *args: object, **named: object) -> sqlite3.Connection:
        db = _connect(*args, **named)
        db.set_trace_callback(self.statements.append)
        db.set_progress_handler(self._step, 1)
        return db

    def _step(self) -> int:
        self.steps += 1
        return 0


_connect: Callable[..., sqlite3.Connection] = sqlite3.connect


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> _Watched:
    watched = _Watched()
    monkeypatch.setattr(sqlite3, "connect", watched.connect)
    return watched


async def _live(store: SqliteStore, lanes: int, turns: int) -> None:
    """Use every call of a store."""
    for n in range(turns):
        await store.put([Entry(BOT, f"{BOT}/{lane}", (f"{n} {lane}",), b"x", 1.0) for lane in range(lanes)])
        for claim in await store.claim("w", bots=[BOT, "other"], limit=lanes, lease=30.0):
            name = f"t{claim.entry}"
            turn = Turn(name, name, BOT, claim.lane, claim.entry, "running", "", "", 1.0, b"")
            await store.extend([claim], 30.0)
            await store.record(claim, turn)
            line = Line(claim.lane, name, "user", "hi", 1.0)
            letter = Letter(name, BOT, claim.lane, name, b"", 1.0)
            facts = (Fact(name, b"1", 5.0), Fact("gone", None))
            await store.commit(
                claim, Commit(turn, (line,), (f"t{claim.entry - lanes}",), letters=(letter,), facts=facts)
            )
        for sent in await store.claim_letters("w", bots=[BOT, "other"], limit=lanes, lease=30.0):
            await store.extend_letters([sent], 30.0)
            await store.plan(sent, [PartRow("pending", b"")])
            await store.advance(sent, [(0, PartRow("sent", b""))])
            await store.settle(sent, "expired" if n else "delivered")
    await store.put([Entry(BOT, f"{BOT}/1", (), b"x", 1.0), Entry(BOT, f"{BOT}/1", (), b"y", 1.0)])
    (claim,) = await store.claim("w", bots=[BOT], limit=1, lease=30.0)
    await store.retry(claim, delay=0.0)
    waiting = await store.waiting(f"{BOT}/1")
    covered = Turn("c", "c", BOT, f"{BOT}/1", waiting[0].entry, "covered", "", "", 1.0, b"")
    await store.cover(f"{BOT}/1", [covered])
    (claim,) = await store.claim("w", bots=[BOT], limit=1, lease=30.0)
    await store.commit(claim, Commit(clear=True, letters=(Letter("last", BOT, f"{BOT}/1", "", b"", 1.0),)))
    (sent,) = await store.claim_letters("w", bots=[BOT], limit=1, lease=30.0)
    await store.retry_letter(sent, delay=60.0)
    await _look(store)
    await store.trim(2.0)


async def _look(store: SqliteStore) -> None:
    await store.history(f"{BOT}/1", limit=10)
    await store.turn("t1")
    await store.turn("nobody")
    await store.turns()
    for words in ({"bot": BOT}, {"lane": f"{BOT}/1"}, {"reason": "refused"}, {"state": "delivered"}):
        await store.turns(**words)  # type: ignore[arg-type]  # words only
    await store.turns(bot=BOT, state="finished")
    await store.dead()
    await store.counts()
    await store.swap("a", None, b"1", ttl=1.0)
    await store.set("b", b"1")
    await store.get("a")
    await store.scan("a")
    await store.scan("")


async def test_every_statement_uses_an_index(tmp_path: Path, watched: _Watched) -> None:
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    opened = len(watched.statements)
    await _live(store, 3, 3)
    asked = {one for one in watched.statements[opened:] if one.startswith(("SELECT", "UPDATE", "DELETE"))}
    await store.close()

    with closing(_connect(tmp_path / "store.db")) as db:
        plans = [(one, row[3]) for one in asked for row in db.execute(f"EXPLAIN QUERY PLAN {one}")]

    assert len(asked) > 100
    assert [
        (one, plan) for one, plan in plans if plan.startswith("SCAN") and not plan.startswith(_ALLOWED)
    ] == []
    assert [(one, plan) for one, plan in plans if "TEMP B-TREE" in plan] == []


async def _one_message(store: SqliteStore, n: int) -> None:
    """One message from put to settle, in a lane that is known."""
    lane = f"{BOT}/5"
    await store.put([Entry(BOT, lane, (f"m{n}",), b"x", 1.0)])
    (claim,) = await store.claim("w", bots=[BOT, "other"], limit=64, lease=30.0)
    history = await store.history(lane, limit=4)
    name = f"m{claim.entry}"
    turn = Turn(name, name, BOT, lane, claim.entry, "finished", "completed", "", float(claim.entry), b"")
    lines = (Line(lane, name, "user", "hi", 1.0), Line(lane, name, "assistant", "ho", 1.0))
    letters = (Letter(name, BOT, lane, name, b"", 1.0),)
    await store.commit(
        claim, Commit(turn, lines, (history[0].turn,), letters=letters, facts=(Fact(name, b""),))
    )
    (sent,) = await store.claim_letters("w", bots=[BOT, "other"], limit=64, lease=30.0)
    await store.plan(sent, [PartRow("sending", b"")])
    await store.settle(sent, "delivered", turn=turn)


async def _cost(folder: Path, watched: _Watched, *, lanes: int, turns: int, busy: int) -> float:
    """Steps of one message, on average, where so many lanes are known and each had so many turns.

    `busy` more lanes are claimed or put off, with a backlog behind each head.
    """
    store = SqliteStore(folder / f"{lanes}-{turns}-{busy}.db", synchronous="NORMAL")
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/busy {n % max(busy, 1)}", (), b"", 1.0) for n in range(busy * 5)])
    held = await store.claim("w", bots=[BOT], limit=busy, lease=1e6) if busy else ()
    for claim in held[::2]:
        await store.retry(claim, delay=1e6)
    for n in range(turns):
        await store.put([Entry(BOT, f"{BOT}/{lane}", (f"{n} {lane}",), b"x", 1.0) for lane in range(lanes)])
        await asyncio.gather(
            *(
                store.commit(claim, _past(claim))
                for claim in await store.claim("w", bots=[BOT], limit=lanes, lease=30.0)
            )
        )
    before = watched.steps
    for n in range(20):
        await _one_message(store, n)
    spent = watched.steps - before
    await store.close()
    return spent / 20


def _past(claim: Claim) -> Commit:
    name = f"t{claim.entry}"
    turn = Turn(
        name, name, BOT, claim.lane, claim.entry, "delivered", "completed", "", float(claim.entry), b""
    )
    lines = tuple(Line(claim.lane, f"{name} {n}", "user", "hi", 1.0) for n in range(4))
    return Commit(turn=turn, history=lines, facts=(Fact(name, b""),))


async def test_a_message_costs_the_same_however_much_the_file_holds(
    tmp_path: Path, watched: _Watched
) -> None:
    """Counted in steps of SQLite's machine, so that no clock has a say."""
    small = await _cost(tmp_path, watched, lanes=6, turns=5, busy=0)

    wide = await _cost(tmp_path, watched, lanes=2000, turns=2, busy=0)
    long = await _cost(tmp_path, watched, lanes=6, turns=300, busy=0)
    busy = await _cost(tmp_path, watched, lanes=6, turns=5, busy=1000)

    assert small > 100
    assert max(wide, long, busy) < small * 1.1
