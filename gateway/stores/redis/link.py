"""The way to the server: patience, and scripts called by name."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from redis.asyncio import Redis
from redis.exceptions import NoScriptError, RedisError

from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway.stores.redis import scripts
from gateway.stores.redis.address import Address
from gateway.stores.redis.failures import Unconfirmed, explained, passes
from gateway.stores.redis.pools import PATIENCE, connected, disconnected

__all__ = ["Link", "heeding"]

T = TypeVar("T")

_PAUSES = (0.02, 1.0)  # seconds between tries, at first and at most
_CONFIRM = 2000  # milliseconds a replica has to confirm a write, in one try
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

    A call carries an id, so that what it did is done once, however often it arrives. Behind sentinels a write
    counts when a replica has it too.

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
        self._places = asyncio.Semaphore(address.connections)

    def key(self, name: str) -> str:
        """A key of this store."""
        return f"{self._prefix}{name}"

    def open(self) -> None:
        """Get ready to connect; connections are made as they are needed."""
        client = connected(self._address, connections=self._address.connections)
        self._client = client
        self._scripts = {name: client.register_script(scripts.source(name)) for name in scripts.NAMES}

    async def close(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await disconnected(client)

    def another(self) -> Redis:
        """A client with a connection of its own."""
        return connected(self._address, connections=1)

    async def ask(self, script: str, *args: bytes, patience: float = PATIENCE) -> Any:  # noqa: ANN401  # each script answers in its own shape
        """Run a script until it is answered.

        Raises:
            StoreError: It was refused, or `patience` seconds brought no answer; then it may have been done.
        """
        now = "" if self._clock is None else repr(self._clock.time())
        sent: Sequence[str | bytes] = (now, secrets.token_hex(_ID), self.name, *args)
        until = time.monotonic() + patience
        pause = _PAUSES[0]
        while True:
            try:
                async with self._places:
                    return await heeding(self._call(script, sent))
            except (RedisError, OSError) as exc:
                if not passes(exc) or time.monotonic() >= until:
                    raise explained(exc, self._address.shown) from exc
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311  # keeps gateways apart
            pause = min(pause * 2, _PAUSES[1])

    def _call(self, script: str, sent: Sequence[str | bytes]) -> Awaitable[Any]:
        if self._address.sentinel and scripts.writes(script):
            return self._confirmed(script, sent)
        return cast("Awaitable[Any]", self._named(script)(keys=[self._prefix], args=sent))

    async def _confirmed(self, script: str, sent: Sequence[str | bytes]) -> Any:  # noqa: ANN401  # each script answers in its own shape
        """Run a script and wait for a replica, on one connection: the server waits for that one's writes."""
        named = self._named(script)
        async with self._open_client().pipeline(transaction=False) as pipe:
            pipe.evalsha(named.sha, 1, self._prefix, *sent)
            pipe.execute_command("WAIT", 1, _CONFIRM)  # pyright: ignore[reportUnknownMemberType]  # half typed
            try:
                answer, confirmed = await pipe.execute()
            except NoScriptError:
                await named(keys=[self._prefix], args=sent)  # loads it; what it did is answered again below
                return await self._confirmed(script, sent)
        if not confirmed:
            raise Unconfirmed
        return answer

    async def read(self, section: str) -> Mapping[str, object]:
        """A section of what the server says about itself.

        Raises:
            StoreError: It does not say.
        """
        client = self._open_client()
        info = cast("Callable[[str], Awaitable[Mapping[str, object]]]", client.info)  # pyright: ignore[reportUnknownMemberType]  # half typed
        try:
            return await info(section)
        except (RedisError, OSError) as exc:
            raise explained(exc, self._address.shown) from exc

    def _open_client(self) -> Redis:
        if self._client is None:
            raise StoreError(f"store {self._address.shown!r} is not open")
        return self._client

    def _named(self, script: str) -> Any:  # noqa: ANN401  # the library's scripts are half typed
        self._open_client()
        return self._scripts[script]
