"""What is found by going through keys, a step a call, so that the server stops for nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from gateway.stores.redis.link import Link

__all__ = ["gone_through", "open_lanes"]


async def gone_through(link: Link, script: str, *args: bytes, width: int = 1) -> AsyncIterator[Sequence[Any]]:
    """What a script finds step by step; each once, though the server may give some twice.

    Args:
        link: The way to the server.
        script: Takes `args` and where to go on; gives where to go on then, 0 at the end, and values.
        args: What it takes first.
        width: How many values belong together; the first tells them apart.

    Raises:
        StoreError: The server does not answer.
    """
    seen: set[bytes] = set()
    cursor = b"0"
    while True:
        cursor, found = await link.ask(script, *args, cursor)
        for at in range(0, len(found), width):
            if found[at] not in seen:
                seen.add(found[at])
                yield found[at : at + width]
        if cursor == b"0":
            return


async def open_lanes(link: Link, prefix: str) -> tuple[str, ...]:
    """Lanes whose names start so and in which entries are open.

    Raises:
        StoreError: The server does not answer.
    """
    names = [lane.decode("utf-8", "surrogatepass") async for (lane,) in gone_through(link, "open_lanes")]
    return tuple(name for name in names if name.startswith(prefix))
