"""What a conversation of `BotSessionManager` keeps in memory."""

from __future__ import annotations

import gc
import tracemalloc

from gateway import BotSessionManager
from tests.bench.echo import answer

__all__ = ["memory_per_conversation"]


async def memory_per_conversation(people: int) -> float:
    """Bytes that one more person with one turn costs, store and all."""
    sessions = BotSessionManager(platform="bench", surface_completion_reason=True)
    await sessions.chat(answer, "first", "hello")
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(people):
            await sessions.chat(answer, str(number), "hello")
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / people
