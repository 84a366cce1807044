"""What is known of lanes in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.abc.store import Commit, Entry, Fact, Letter
from gateway.errors import StoreError
from gateway.stores.sqlite import SqliteStore
from gateway.stores.sqlite.heads import Lane, Lanes

BOT = "support"


def _taken(lanes: Lanes, limit: int = 10, skip: tuple[str, ...] = ()) -> list[str]:
    return [name for name, _ in lanes.take(["b", "c"], limit, skip=skip)]


def test_lane_that_was_freed_twice_is_taken_once() -> None:
    lanes = Lanes()
    for _ in range(2):
        lanes.set("b/1", Lane("b", 1))

    assert _taken(lanes) == ["b/1"]


def test_lane_that_was_taken_is_free_again_when_that_is_taken_back() -> None:
    lanes = Lanes()
    lanes.set("b/1", Lane("b", 1))
    ((name, before),) = lanes.take(["b"], 1, skip=())
    lanes.set(name, before._replace(hold="leased", ready=9.0, token="t"))
    assert _taken(lanes) == []

    lanes.set(name, before)

    assert _taken(lanes) == ["b/1"]


def test_lanes_that_are_not_taken_stay_free() -> None:
    lanes = Lanes()
    for number in range(6):
        lanes.set(f"b/{number}", Lane("b" if number % 2 else "c", number))

    assert _taken(lanes, 2, skip=("b/0", "b/3")) == ["b/1", "b/2"]
    assert _taken(lanes) == ["b/0", "b/3", "b/4", "b/5"]


def test_head_that_moved_on_is_known_by_its_new_number() -> None:
    lanes = Lanes()
    lanes.set("b/1", Lane("b", 1))
    lanes.set("b/1", None)
    lanes.set("b/1", Lane("b", 7))

    assert lanes.take(["b"], 5, skip=()) == [("b/1", Lane("b", 7))]


def test_lease_that_was_renewed_lapses_later_and_leaves_its_token() -> None:
    lanes = Lanes()
    lanes.set("b/1", Lane("b", 1, "leased", 5.0, "t", 1))
    lanes.set("b/1", Lane("b", 1, "leased", 8.0, "t", 1))

    lanes.lapse(now=0.0, monotonic=6.0)
    assert _taken(lanes) == []
    lanes.lapse(now=0.0, monotonic=8.0)
    assert lanes.take(["b"], 5, skip=()) == [("b/1", Lane("b", 1, "free", 8.0, "t", 1))]


async def _reopened(path: Path, store: SqliteStore) -> SqliteStore:
    await store.close()
    store = SqliteStore(path)
    await store.open()
    return store


async def test_claims_are_counted_across_a_restart(tmp_path: Path) -> None:
    """An entry that kills its process is known by it."""
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/1", (), b"x", 1.0)])
    seen: list[int] = []
    for _ in range(3):
        (claim,) = await store.claim("w", bots=[BOT], limit=5, lease=30.0)
        seen.append(claim.attempts)
        store = await _reopened(path, store)
    await store.close()

    assert seen == [1, 2, 3]


async def test_what_was_put_off_waits_across_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = SqliteStore(path)
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/{lane}", (), b"x", 1.0) for lane in range(2)])
    first, second = await store.claim("w", bots=[BOT], limit=5, lease=30.0)
    await store.retry(first, delay=3600.0)
    await store.retry(second, delay=0.0)
    store = await _reopened(path, store)

    (claim,) = await store.claim("w", bots=[BOT], limit=5, lease=30.0)
    assert (claim.lane, claim.attempts) == (f"{BOT}/1", 2)
    await store.close()


async def test_what_a_failed_call_did_to_lanes_is_taken_back(tmp_path: Path) -> None:
    """Alone and among others: the claim holds still, and no letter of it is owed."""
    store = SqliteStore(tmp_path / "store.db")
    await store.open()
    await store.put([Entry(BOT, f"{BOT}/{lane}", (), b"x", 1.0) for lane in range(2)])
    claims = await store.claim("w", bots=[BOT], limit=5, lease=30.0)
    broken = [
        Commit(letters=(Letter(f"l{n}", BOT, f"{BOT}/{n}", "", b"", 1.0),), facts=(Fact("\ud800", b""),))
        for n in range(2)
    ]

    for chosen in (claims[:1], claims):
        tried = (store.commit(claim, one) for claim, one in zip(chosen, broken, strict=False))
        results = await asyncio.gather(*tried, return_exceptions=True)
        assert {type(result) for result in results} == {StoreError}

    assert await store.claim("w", bots=[BOT], limit=5, lease=30.0) == ()
    assert await store.claim_letters("w", bots=[BOT], limit=5, lease=30.0) == ()
    for claim in claims:
        await store.commit(claim, Commit())
    with pytest.raises(StoreError):
        await store.commit(claims[0], Commit())
    await store.close()
