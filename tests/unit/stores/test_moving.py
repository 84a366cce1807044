"""A backup brings everything from one store to another, whichever the two are."""

# ruff: noqa: ASYNC240  # files are what is tested here
from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.abc.store import Commit, Entry, Fact, Letter, Line, PartRow, Store, Turn
from gateway.admin.moving import export_server, restore_file, restore_server
from gateway.errors import StoreError, StoreLocked
from gateway.stores.redis import RedisStore
from gateway.stores.redis.address import parse
from gateway.stores.sqlite import SqliteStore, schema
from gateway.stores.sqlite.file import copy
from tests.emulators.valkey import empty_address

BOTS = ("support", "support!")
LANE, OTHER, THIRD = "support/1", "support/2", "support/3"


class Place:
    """Where a store is, of either kind."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.path = folder / f"{kind}.db"
        self.kind = kind
        self.url = ""
        if kind == "redis":
            address = empty_address()
            host, port = address.hosts[0]
            self.url = f"redis://{host}:{port}/{address.database}?prefix={address.prefix}"

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Store]:
        store: Store = RedisStore(parse(self.url, base=Path())) if self.url else SqliteStore(self.path)
        await store.open()
        try:
            yield store
        finally:
            await store.close()

    async def backup(self, target: Path) -> None:
        if self.url:
            await export_server(self.url, base=Path(), target=target)
        else:
            await asyncio.to_thread(copy, self.path, target)

    async def restore(self, source: Path, *, anew: bool = False) -> None:
        if self.url:
            await restore_server(self.url, base=Path(), source=source, anew=anew)
        else:
            await asyncio.to_thread(restore_file, self.path, source)


@pytest.fixture(params=["sqlite", "redis"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where everything is at first."""
    folder = tmp_path / "source"
    folder.mkdir()
    return Place(request.param, folder)


@pytest.fixture(params=["sqlite", "redis"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where it is to be."""
    folder = tmp_path / "target"
    folder.mkdir()
    return Place(request.param, folder)


def turn(number: int, lane: str, state: str, *, at: float = 5.0) -> Turn:
    """A record."""
    return Turn(f"t{number}", f"R{number}", "support", lane, number, state, "completed", "c@s", at, b"{}")


async def fill(store: Store) -> None:
    """Leave something of every kind in a store."""
    await store.put(
        [
            Entry("support", LANE, ("a",), b"asked", 1.0),
            Entry("support", OTHER, ("b", "b2"), b"crashes", 2.0),
            Entry("support", LANE, ("c",), b"next", 3.0),
            Entry("support", "", (), b"overheard", 3.5),
            Entry("support", THIRD, ("d",), b"later", 4.0),
        ]
    )
    first, second, third = await store.claim("w", bots=BOTS, limit=3, lease=60)
    letters = [Letter(f"l{n}", "support", LANE, f"t{n}", b"mail", 5.0 + n) for n in range(4)]
    lines = [
        Line(LANE, "t1", "user", "half \ud800", 5.0, "Ann"),
        Line(LANE, "t1", "assistant", "b", 6.0, "", b"d"),
    ]
    facts = [Fact("kept", b"\x00\xff"), Fact("short", b"1", 600.0), Fact("over", b"1", 0.0)]
    commit = Commit(turn(1, LANE, "finished"), tuple(lines), letters=tuple(letters), facts=tuple(facts))
    await store.commit(first, commit)
    await store.record(second, turn(second.entry, OTHER, "running"))
    await store.retry(third, delay=3600.0)
    await _deliver(store, "delivered")
    await _deliver(store, "undeliverable")
    (begun,) = await store.claim_letters("w", bots=BOTS, limit=1, lease=60)
    await store.plan(
        begun, [PartRow("sent", b"p0", b"r0"), PartRow("sending", b"p1"), PartRow("pending", b"p2")]
    )


async def _deliver(store: Store, state: Any) -> None:
    (claim,) = await store.claim_letters("w", bots=BOTS, limit=1, lease=60)
    await store.plan(claim, [PartRow("sending", b"p0")])
    await store.settle(claim, state, changes=[(0, PartRow("sent", b"p0", b"r"))])


async def seen(store: Store) -> dict[str, object]:
    """Everything a store shows."""
    counts = await store.counts()
    counts.pop("claimed")
    dead = [await store.dead_letter(letter.id) for letter, _ in await store.dead()]
    return {
        "waiting": {
            lane: [(one.body, one.at) for one in await store.waiting(lane)] for lane in (LANE, THIRD)
        },
        "turns": sorted((await store.turns(limit=100)), key=lambda one: one.id),
        "history": await store.history(LANE, limit=10),
        "facts": await store.scan(""),
        "dead": [(one.letter, one.state, one.parts) for one in dead if one is not None],
        "counts": counts,
    }


async def test_everything_is_there_in_its_new_place(source: Place, target: Place, tmp_path: Path) -> None:
    async with source.opened() as store:
        await fill(store)
        before = await seen(store)
        await source.backup(tmp_path / "backup")

    await target.restore(tmp_path / "backup")

    async with target.opened() as store:
        assert await seen(store) == before
        assert before["counts"] == {"inbox": 3, "outbox": 2, "dead": 1, "turns": 2, "facts": 2}


async def test_work_goes_on_where_it_was(source: Place, target: Place, tmp_path: Path) -> None:
    """As after a crash: what was claimed is claimed once more, what was put off waits, and numbers grow."""
    async with source.opened() as store:
        await fill(store)
        await source.backup(tmp_path / "backup")

    await target.restore(tmp_path / "backup")

    async with target.opened() as store:
        claims = await store.claim("w", bots=BOTS, limit=9, lease=60)
        assert sorted((one.lane, one.body, one.attempts) for one in claims) == [
            (LANE, b"next", 1),
            (OTHER, b"crashes", 2),
        ]
        assert [one.entry for one in claims] == [2, 3]
        (letter,) = await store.claim_letters("w", bots=BOTS, limit=9, lease=60)
        assert (letter.letter.id, letter.attempts) == ("l2", 2)
        assert letter.parts == (
            PartRow("sent", b"p0", b"r0"),
            PartRow("sending", b"p1"),
            PartRow("pending", b"p2"),
        )
        await store.settle(letter, "delivered")
        (letter,) = await store.claim_letters("w", bots=BOTS, limit=9, lease=60)
        assert (letter.letter.id, letter.attempts, letter.parts) == ("l3", 1, ())
        again = await store.put(
            [Entry("support", "support/9", (key,), b"", 9.0) for key in ("a", "b2", "new")]
        )
        assert again == (False, False, True)
        (new,) = await store.claim("w", bots=BOTS, limit=9, lease=60)
        assert new.entry > max(claim.entry for claim in claims)
        await store.commit(new, Commit(letters=(Letter("l0", "support", LANE, "", b"twice", 9.0),)))
        assert (await store.counts())["outbox"] == 1


async def test_dead_letter_is_owed_again_in_its_new_place(
    source: Place, target: Place, tmp_path: Path
) -> None:
    async with source.opened() as store:
        await fill(store)
        await source.backup(tmp_path / "backup")

    await target.restore(tmp_path / "backup")

    async with target.opened() as store:
        assert await store.revive("l1", 10.0)
        assert (await store.counts())["outbox"] == 3
        assert await store.trim(1e12) > 0


async def test_server_that_holds_something_is_replaced_only_when_told(tmp_path: Path) -> None:
    place = Place("redis", tmp_path)
    async with place.opened() as store:
        await fill(store)
        await place.backup(tmp_path / "backup")
        await store.set("new", b"1")

    with pytest.raises(StoreError, match="--replace"):
        await place.restore(tmp_path / "backup")
    async with place.opened() as store:
        assert await store.get("new") == b"1"
    await place.restore(tmp_path / "backup", anew=True)

    async with place.opened() as store:
        assert await store.get("new") is None
        assert await store.get("kept") == b"\x00\xff"


async def test_server_is_not_replaced_under_a_gateway(tmp_path: Path) -> None:
    place = Place("redis", tmp_path)
    async with place.opened() as store:
        await fill(store)
        await place.backup(tmp_path / "backup")
        with pytest.raises(StoreError, match="in use by a gateway"):
            await place.restore(tmp_path / "backup", anew=True)
    async with place.opened() as store:
        assert await store.lease("bot/support", "me", 30.0)
        with pytest.raises(StoreError, match="in use by a gateway"):
            await place.restore(tmp_path / "backup", anew=True)
        await store.release("bot/support", "me")
        assert await store.lease("tidy", "me", 3600.0)
        await place.restore(tmp_path / "backup", anew=True)


async def test_file_is_not_replaced_under_a_gateway(tmp_path: Path) -> None:
    server, file = Place("redis", tmp_path), Place("sqlite", tmp_path)
    async with server.opened() as store:
        await fill(store)
    await server.backup(tmp_path / "backup")

    async with file.opened() as store:
        await store.set("mine", b"1")
        with pytest.raises(StoreLocked, match="is held by process"):
            await file.restore(tmp_path / "backup")
        assert await store.get("mine") == b"1"


async def test_backup_of_an_older_schema_is_brought_on_for_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, server = Place("sqlite", tmp_path), Place("redis", tmp_path)
    with monkeypatch.context() as older:
        older.setattr(schema, "STEPS", schema.STEPS[:1])
        older.setattr(schema, "VERSION", 1)
        async with file.opened() as store:
            await fill(store)
            before = await seen(store)
            await file.backup(tmp_path / "backup")

    await server.restore(tmp_path / "backup")

    async with server.opened() as store:
        assert await seen(store) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "sqlite.db", "sqlite.db.lock"]
