"""What a server must be before it is trusted with what was accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gateway.errors import StoreError
from gateway.observability import get_logger
from gateway.stores.redis.address import Address
from gateway.stores.redis.link import Link

__all__ = ["VERSION", "examine", "examine_server"]

VERSION = 1  # of what the scripts keep; another layout gets another number
_LEAST = (6, 2)


async def examine(link: Link, address: Address) -> None:
    """Refuse a server that cannot keep the store, or may lose it, and a store that cannot be used.

    Raises:
        StoreError: It is too old, a replica, part of a cluster, does not allow what is needed, or may lose
            what it has accepted and `allow_volatile` is not said; or it holds a store that is newer, that
            gateways of an older version use, or that was restored in part.
    """
    await examine_server(link, address)
    known, halfway, used = map(int, await link.ask("schema", b"%d" % VERSION))
    shown = address.shown
    if known > VERSION:
        raise StoreError(
            f"store {shown!r} was written by a newer Lastword (schema {known}, this one knows {VERSION});"
            " run that version, or say another prefix=NAME"
        )
    if known < VERSION and used:
        raise StoreError(
            f"store {shown!r} is in use by gateways of an older Lastword (schema {known}, this one keeps"
            f" {VERSION}); stop them all, then start this one"
        )
    if halfway:
        raise StoreError(
            f"store {shown!r} was restored in part; run `lastword restore FILE` again, and let it end"
        )


async def examine_server(link: Link, address: Address) -> None:
    """Refuse a server that cannot keep any store, or may lose it.

    Raises:
        StoreError: It is too old, a replica, part of a cluster, not allowing what is needed, or may lose it.
    """
    shown = address.shown
    _able(await link.read("server"), shown)
    _primary(await link.read("replication"), await link.read("cluster"), shown)
    refused = await link.ask("probe")
    if refused:
        names = ", ".join(sorted(one.decode() for one in refused))
        raise StoreError(f"store {shown!r} does not allow its user {names}; allow them on the store's keys")
    _lasting(await link.read("persistence"), await link.read("memory"), address)


def _able(server: Mapping[str, object], shown: str) -> None:
    version = str(server.get("redis_version", "0"))
    numbers = tuple(int(one) for one in re.findall(r"\d+", version)[:2])
    if numbers < _LEAST:
        raise StoreError(f"store {shown!r} runs version {version}; Redis 6.2, Valkey 7.2 or newer is needed")


def _primary(replication: Mapping[str, object], cluster: Mapping[str, object], shown: str) -> None:
    if replication.get("role") != "master":
        raise StoreError(f"store {shown!r} is a replica; name the primary, or say sentinel=NAME")
    if cluster.get("cluster_enabled"):
        raise StoreError(f"store {shown!r} is a cluster; name a single server, or one behind Sentinel")


def _lasting(persistence: Mapping[str, object], memory: Mapping[str, object], address: Address) -> None:
    """The ways in which accepted messages could go: refused, or told loudly where they are allowed."""
    problems: list[str] = []
    if not persistence.get("aof_enabled"):
        problems.append("keeps no log of its writes: a restart loses what was accepted; set appendonly yes")
    policy = str(memory.get("maxmemory_policy", "unknown"))
    if policy != "noeviction":
        problems.append(f"drops keys when it is full (maxmemory-policy {policy}); set it to noeviction")
    if not problems:
        return
    if not address.allow_volatile:
        raise StoreError(
            f"store {address.shown!r} {'; it also '.join(problems)}"
            " (or say allow_volatile=yes in the address to risk it)"
        )
    for problem in problems:
        get_logger("store").warning("store.volatile_allowed", store=address.shown, problem=problem)
