"""A whole gateway in the test's own process: from YAML to the wire, without starting Python again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from gateway import plugins
from gateway.abc import Clock, SystemClock
from gateway.runtime import Runtime
from gateway.settings import load

__all__ = ["running"]


@asynccontextmanager
async def running(
    folder: Path,
    config: str,
    *,
    env: Mapping[str, str] | None = None,
    grace: float = 2.0,
    clock: Clock | None = None,
) -> AsyncGenerator[Runtime]:
    """A gateway that is up; stopped at the end as SIGTERM would."""
    path = folder / "bots.yaml"
    path.write_text(config, "utf-8")
    settings = load(path, options=plugins.options_of, env=dict(env or {}))
    up = asyncio.Event()
    runtime = Runtime(settings, ready=lambda _: up.set(), grace=grace, clock=clock or SystemClock())
    task = asyncio.create_task(runtime.run(), name="gateway")
    waiting = asyncio.create_task(up.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        yield runtime
    finally:
        waiting.cancel()
        runtime.stop()
        async with asyncio.timeout(20.0):
            await task
