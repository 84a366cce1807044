"""The way to the server: connections, patience, and scripts called by name."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from redis.asyncio import BlockingConnectionPool, Connection, Redis, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway.stores.redis import scripts
from gateway.stores.redis.address import Address
from gateway.stores.redis.failures import explained, passes

__all__ = ["PATIENCE", "Link", "heeding"]

T = TypeVar("T")

PATIENCE = 12.0  # seconds a call is tried before its caller is told; less than half a lease
_ANSWER = 4.0  # seconds one try waits for an answer, or for a connection
_PAUSES = (0.02, 1.0)  # seconds between tries, at first and at most
_IDLE = 15.0  # seconds after which a connection is tried before it is used
_ID = 16  # bytes


async def heeding(call: Awaitable[T]) -> T:
    """Await a call of the library and be cancelled if somebody wants it.

    The library writes under `asyncio.wait_for`, which before Python 3.12 loses a cancellation that comes in
    the moment the write ends.
    """
    task = asyncio.current_task()
    wanted = 0 if task is None else task.cancelling()
    answer = await call
    if task is not None and task.cancelling() > wanted:
        raise asyncio.CancelledError
    return answer


class Link:
    """Calls scripts on a server, again and again until they are answered.

    A call carries an id, so that what it did is done once, however often it arrives.

    Args:
        address: Where the server is.
        clock: The time that scripts go by in a test; the server's own by default, for gateways share it.

    Attributes:
        name: Tells this gateway from others that use the store.
    """

    def __init__(self, address: Address, *, clock: Clock | None) -> None:
        self.name = secrets.token_hex(_ID)
        self._address = address
        self._clock = clock
        self._client: Redis | None = None
        self._scripts: Mapping[str, Any] = {}
        self._prefix = f"{{{address.prefix}}}:"

    @property
    def client(self) -> Redis:
        """The client itself.

        Raises:
            StoreError: The store is not open.
        """
        if self._client is None:
            raise StoreError(f"store {self._address.shown!r} is not open")
        return self._client

    def key(self, name: str) -> str:
        """A key of this store."""
        return f"{self._prefix}{name}"

    def open(self) -> None:
        """Get ready to connect; connections are made as they are needed."""
        self._client = Redis.from_pool(self.pool(self._address.connections))
        self._scripts = {name: self._client.register_script(scripts.source(name)) for name in scripts.NAMES}

    def pool(self, connections: int) -> BlockingConnectionPool:
        """Connections of their own; the library repeats nothing by itself, for `ask` does."""
        address = self._address
        host, port = address.hosts[0]
        return BlockingConnectionPool(
            max_connections=connections,
            timeout=PATIENCE,
            connection_class=SSLConnection if address.tls else Connection,
            host=host,
            port=port,
            db=address.database,
            username=address.username or None,
            password=address.password or None,
            protocol=2,
            socket_timeout=_ANSWER,
            socket_connect_timeout=_ANSWER,
            socket_keepalive=True,
            health_check_interval=_IDLE,
            retry=Retry(NoBackoff(), 0),
            client_name="lastword",
            **_tls(address),
        )

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose(close_connection_pool=True)

    async def ask(self, script: str, *args: bytes, patience: float = PATIENCE) -> Any:  # noqa: ANN401  # each script answers in its own shape
        """Run a script until it is answered.

        Raises:
            StoreError: It was refused, or `patience` seconds brought no answer; then it may have been done.
        """
        call = self._scripts.get(script)
        if self._client is None or call is None:
            raise StoreError(f"store {self._address.shown!r} is not open")
        now = "" if self._clock is None else repr(self._clock.time())
        sent: Sequence[str | bytes] = (now, secrets.token_hex(_ID), self.name, *args)
        until = time.monotonic() + patience
        pause = _PAUSES[0]
        while True:
            try:
                return await heeding(call(keys=[self._prefix], args=sent))
            except (RedisError, OSError) as exc:
                if not passes(exc) or time.monotonic() >= until:
                    raise explained(exc, self._address.shown) from exc
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311  # keeps gateways apart
            pause = min(pause * 2, _PAUSES[1])

    async def read(self, section: str) -> Mapping[str, object]:
        """A section of what the server says about itself.

        Raises:
            StoreError: It does not say.
        """
        try:
            info = cast("Callable[[str], Awaitable[Mapping[str, object]]]", self.client.info)  # pyright: ignore[reportUnknownMemberType]  # half typed
            return await info(section)
        except (RedisError, OSError) as exc:
            raise explained(exc, self._address.shown) from exc


def _tls(address: Address) -> dict[str, Any]:
    """What a connection by TLS checks and shows; the server's name is always checked."""
    if not address.tls:
        return {}
    files = {"ssl_ca_certs": address.ca, "ssl_certfile": address.cert, "ssl_keyfile": address.key}
    return {
        "ssl_cert_reqs": "required",
        "ssl_check_hostname": True,
        **{name: str(path) for name, path in files.items() if path is not None},
    }
