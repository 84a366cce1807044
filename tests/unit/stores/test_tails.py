"""Lines kept in memory are never older than what a read would give."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.abc.store import Commit, Entry, Line
from gateway.stores.sqlite import SqliteStore
from gateway.stores.tails import Tails


def _line(text: str, lane: str = "a", turn: str = "t") -> Line:
    return Line(lane, turn, "user", text, 0.0)


def test_lines_are_given_with_what_was_written_since() -> None:
    tails = Tails()
    tails.keep("a", 3, (_line("1"), _line("2")))

    with tails.writing("a", (_line("3"), _line("4")), anew=False):
        assert tails.get("a", 3) is None

    assert [line.text for line in tails.get("a", 3) or ()] == ["2", "3", "4"]
    assert tails.get("a", 2) is None
    assert tails.get("b", 3) is None


def test_lines_that_changed_otherwise_must_be_read() -> None:
    tails = Tails()
    for anew, added in ((True, ()), (False, (_line("x", lane="b"),))):
        tails.keep("a", 3, (_line("1"),))
        with tails.writing("a", added, anew=anew):
            pass
        assert tails.get("a", 3) is None


def test_what_is_read_while_a_write_is_under_way_is_not_kept() -> None:
    tails = Tails()
    with tails.writing("a", (_line("2"),), anew=False):
        tails.keep("a", 3, (_line("1"),))

    assert tails.get("a", 3) is None


def test_failed_write_leaves_nothing_kept_and_the_next_read_is() -> None:
    tails = Tails()
    tails.keep("a", 3, (_line("1"),))
    with pytest.raises(OSError, match="full"), tails.writing("a", (_line("2"),), anew=False):
        raise OSError("full")

    assert tails.get("a", 3) is None
    tails.keep("a", 3, (_line("1"),))
    assert tails.get("a", 3)


def test_lane_whose_write_was_cancelled_is_kept_no_more() -> None:
    """Nobody knows whether, and when, it is written."""
    tails = Tails()
    with pytest.raises(asyncio.CancelledError), tails.writing("a", (_line("2"),), anew=False):
        raise asyncio.CancelledError

    tails.keep("a", 3, (_line("1"),))
    assert tails.get("a", 3) is None


def test_clearing_beats_a_write_under_way() -> None:
    tails = Tails()
    tails.keep("a", 3, (_line("1"),))
    with tails.writing("a", (_line("2"),), anew=False):
        tails.clear()

    assert tails.get("a", 3) is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 400)), max_size=60))
def test_memory_is_bounded(writes: list[tuple[str, int]]) -> None:
    tails = Tails(most=2_000)
    for lane, length in writes:
        with tails.writing(lane, (), anew=False):
            pass
        tails.keep(lane, 10, (_line("x" * length, lane),) * 3)
        assert sum(len(line.text) for one in "abc" for line in tails.get(one, 10) or ()) <= 2_000


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(["write", "clear", "forget", "read", "trim"]), max_size=25))
def test_store_gives_what_its_file_holds(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    asyncio.run(_agree(tmp_path_factory.mktemp("store"), steps))


async def _agree(folder: Path, steps: list[str]) -> None:
    store = SqliteStore(folder / "lines.db", synchronous="NORMAL")
    await store.open()
    try:
        for number, step in enumerate(steps):
            if step == "trim":
                await store.trim(0.0)
            if step != "read":
                await store.put([Entry("bot", "bot/a", (), b"", 0.0)])
                (claim,) = await store.claim("w", bots=["bot"], limit=1, lease=60)
                lines = (_line(str(number), "bot/a", f"t{number}"),) if step == "write" else ()
                gone = (f"t{number - 1}",) if step == "forget" else ()
                await store.commit(claim, Commit(history=lines, forget=gone, clear=step == "clear"))
            beside = SqliteStore(folder / "lines.db", read_only=True)
            await beside.open()
            assert await store.history("bot/a", limit=4) == await beside.history("bot/a", limit=4)
            await beside.close()
    finally:
        await store.close()
