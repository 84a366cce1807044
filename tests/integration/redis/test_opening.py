"""A server is looked at before it is trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gateway.errors import StoreError
from gateway.stores.redis import RedisStore, health
from gateway.stores.redis.address import parse
from gateway.stores.redis.health import VERSION
from tests.emulators.valkey import Valkey, empty_address, shared_url, tell
from tests.integration.redis.load import opened


async def _refused(store: RedisStore) -> str:
    with pytest.raises(StoreError) as refused:
        await store.open()
    told = str(refused.value)
    assert "\n" not in told
    assert "hunter2" not in told
    return told


async def test_a_server_that_is_not_there_is_told_at_once() -> None:
    told = await _refused(RedisStore(parse("redis://:hunter2@127.0.0.1:1/0", base=Path())))

    assert told == (
        "store 'redis://127.0.0.1:1/0' cannot be reached; start it, or correct its address in `store:`"
    )


async def test_a_server_without_a_log_is_refused(tmp_path: Path) -> None:
    with Valkey(tmp_path, appendonly="no") as server:
        told = await _refused(RedisStore(empty_address(server.url)))

    assert "keeps no log of its writes" in told
    assert "set appendonly yes" in told


async def test_a_server_that_evicts_is_refused(tmp_path: Path) -> None:
    with Valkey(tmp_path, maxmemory_policy="allkeys-lru") as server:
        told = await _refused(RedisStore(empty_address(server.url)))

    assert "maxmemory-policy allkeys-lru" in told


async def test_what_may_be_lost_can_be_allowed_and_is_told_loudly(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Valkey(tmp_path, appendonly="no", maxmemory_policy="allkeys-lru") as server:
        async with opened(replace(empty_address(server.url), allow_volatile=True)) as store:
            await store.set("key", b"value")

            assert await store.get("key") == b"value"

    assert caplog.text.count("store.volatile_allowed") == 2


async def test_credentials_are_used_and_never_told(tmp_path: Path) -> None:
    with Valkey(tmp_path) as server:
        await tell(server.url, "CONFIG", "SET", "requirepass", "hunter2")
        place = f"127.0.0.1:{server.port}/0"
        without = await _refused(RedisStore(empty_address(f"redis://{place}")))
        wrong = await _refused(RedisStore(empty_address(f"redis://:hunter3@{place}")))
        async with opened(empty_address(f"redis://:hunter2@{place}")) as store:
            await store.set("key", b"value")

    assert "wants a password" in without
    assert "refuses the user or password" in wrong
    assert "hunter3" not in wrong


async def test_a_user_who_may_not_do_everything_is_refused_before_half_of_something_is_done(
    tmp_path: Path,
) -> None:
    with Valkey(tmp_path) as server:
        await tell(server.url, *["ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all", "-zadd", "-unlink"])
        told = await _refused(RedisStore(empty_address(f"redis://app:pw@127.0.0.1:{server.port}/0")))

    assert "does not allow its user UNLINK, ZADD" in told


async def test_a_user_without_channels_may_do_everything_else(tmp_path: Path) -> None:
    """Wake-ups are hints: without them everybody polls."""
    with Valkey(tmp_path) as server:
        await tell(server.url, *["ACL", "SETUSER", "app", "on", ">pw", "~*", "+@all", "resetchannels"])
        async with opened(empty_address(f"redis://app:pw@127.0.0.1:{server.port}/0")) as store:
            await store.set("key", b"value")
            await store.lease("name", "owner", 1.0)

            assert await store.get("key") == b"value"


async def test_a_replica_is_refused(tmp_path: Path) -> None:
    with Valkey(tmp_path / "one") as one, Valkey(tmp_path / "two", replicaof=f"127.0.0.1 {one.port}") as two:
        told = await _refused(RedisStore(empty_address(two.url)))

    assert "is a replica; name the primary" in told


async def test_a_cluster_is_refused(tmp_path: Path) -> None:
    with Valkey(tmp_path, cluster_enabled="yes") as server:
        told = await _refused(RedisStore(empty_address(server.url)))

    assert "is a cluster" in told


async def test_a_newer_store_is_refused_and_left_alone() -> None:
    address = empty_address()
    key = f"{{{address.prefix}}}:schema"
    await tell(shared_url(), "SET", key, f"{VERSION + 1}")

    told = await _refused(RedisStore(address))

    assert f"schema {VERSION + 1}, this one knows {VERSION}" in told
    assert await tell(shared_url(), "GET", key) == b"%d" % (VERSION + 1)


async def test_an_older_store_is_raised_once_nobody_uses_it_and_then_refuses_the_older_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A change of the layout needs a stop: who is at work would write what the newer version cannot read."""
    address = empty_address()
    async with opened(address) as older:
        await older.claim("w", bots=["support"], limit=1, lease=30.0)  # it is at work
        monkeypatch.setattr(health, "VERSION", VERSION + 1)
        told = await _refused(RedisStore(address))
        assert f"in use by gateways of an older Lastword (schema {VERSION}" in told
        await older.set("key", b"still at work")
    async with opened(address) as newer:
        assert await newer.get("key") == b"still at work"

    monkeypatch.undo()
    told = await _refused(RedisStore(address))
    assert f"schema {VERSION + 1}, this one knows {VERSION}" in told


async def test_stores_of_different_prefixes_do_not_meet() -> None:
    async with opened(empty_address()) as one, opened(empty_address()) as other:
        await one.set("key", b"one")

        assert await other.get("key") is None
        assert await other.scan("") == ()
