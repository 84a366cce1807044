"""Connections to a server, or to whichever server its sentinels name as the primary."""

from __future__ import annotations

from typing import Any, cast

from redis.asyncio import BlockingConnectionPool, Connection, Redis, SSLConnection
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff

from gateway.errors import StoreError
from gateway.stores.redis.address import Address

__all__ = ["PATIENCE", "connected", "disconnected"]

PATIENCE = 12.0  # seconds a call is tried before its caller is told; less than half a lease
_ANSWER = 4.0  # seconds one try waits for an answer, or for a connection
_IDLE = 15.0  # seconds after which a connection is tried before it is used


def connected(address: Address, *, connections: int) -> Redis:
    """A client that connects as it is needed; the library repeats nothing by itself, for `Link` does.

    Raises:
        StoreError: A file of the address is not there.
    """
    settings = _waits() | _tls(address)
    settings |= {
        "db": address.database,
        "username": address.username or None,
        "password": address.password or None,
        "client_name": "lastword",
    }
    if address.sentinel:
        return _primary(address, settings, connections)
    host, port = address.hosts[0]
    return Redis.from_pool(
        BlockingConnectionPool(
            max_connections=connections,
            timeout=PATIENCE,
            connection_class=SSLConnection if address.tls else Connection,
            host=host,
            port=port,
            **settings,
        )
    )


def _primary(address: Address, settings: dict[str, Any], connections: int) -> Redis:
    """Each new connection asks the sentinels first; they are asked without a password."""
    tls: dict[str, Any] = {"ssl": address.tls}
    asked = _waits() | _tls(address) | tls
    sentinel = Sentinel(list(address.hosts), sentinel_kwargs=asked)  # type: ignore[no-untyped-call]  # half typed
    client: Redis = sentinel.master_for(  # pyright: ignore[reportUnknownMemberType]  # half typed
        address.sentinel, max_connections=connections, **settings, **tls
    )
    return client


async def disconnected(client: Redis) -> None:
    """Close a client and every connection it has, those to sentinels among them."""
    pool = client.connection_pool
    await client.aclose(close_connection_pool=True)
    if isinstance(pool, SentinelConnectionPool):
        manager = cast("Sentinel", pool.sentinel_manager)  # pyright: ignore[reportUnknownMemberType]  # half typed
        for sentinel in manager.sentinels:
            await sentinel.aclose(close_connection_pool=True)


def _waits() -> dict[str, Any]:
    return {
        "protocol": 2,
        "socket_timeout": _ANSWER,
        "socket_connect_timeout": _ANSWER,
        "socket_keepalive": True,
        "health_check_interval": _IDLE,
        "retry": Retry(NoBackoff(), 0),
    }


def _tls(address: Address) -> dict[str, Any]:
    """What a connection by TLS checks and shows; the server's name is always checked."""
    if not address.tls:
        return {}
    files = {"ssl_ca_certs": address.ca, "ssl_certfile": address.cert, "ssl_keyfile": address.key}
    for path in files.values():
        if path is not None and not path.is_file():
            raise StoreError(f"store {address.shown!r} reads no file {str(path)!r}; correct its path")
    return {
        "ssl_cert_reqs": "required",
        "ssl_check_hostname": True,
        **{name: str(path) for name, path in files.items() if path is not None},
    }
