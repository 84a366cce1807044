"""End the process where an agent holds it for good."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncGenerator

__all__ = ["watched"]

_TICK = 0.02  # seconds


@contextlib.asynccontextmanager
async def watched(limit: float, told: str) -> AsyncGenerator[None]:
    """End the process where the event loop is held for so many seconds, which nothing inside it could."""
    alive, done = threading.Event(), threading.Event()

    def watch() -> None:
        while not done.is_set():
            alive.clear()
            if not alive.wait(limit) and not done.is_set():
                sys.stderr.write(f"{told}\n")
                sys.stderr.flush()
                os._exit(1)

    async def live() -> None:
        while True:
            alive.set()
            await asyncio.sleep(_TICK)

    threading.Thread(target=watch, name="lastword test", daemon=True).start()
    living = asyncio.create_task(live())
    try:
        yield
    finally:
        done.set()
        alive.set()
        living.cancel()
        await asyncio.wait({living})
