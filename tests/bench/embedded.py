"""`BotSessionManager` on the memory store, by itself."""

from __future__ import annotations

import time
import tracemalloc

from gateway import BotSessionManager

__all__ = ["memory_per_conversation", "turns_per_second"]


async def _answer(text: str) -> str:
    return text


async def turns_per_second(turns: int) -> float:
    """Turns of one agent and 100 people, one after the other, note on."""
    sessions = BotSessionManager(platform="bench", surface_completion_reason=True)
    for number in range(min(turns, 100)):
        await sessions.chat(_answer, str(number), "hello")
    began = time.process_time()
    for number in range(turns):
        await sessions.chat(_answer, str(number % 100), "hello")
    return turns / (time.process_time() - began)


async def memory_per_conversation(people: int) -> float:
    """Bytes that one more person with one turn costs."""
    sessions = BotSessionManager(platform="bench", surface_completion_reason=True)
    await sessions.chat(_answer, "first", "hello")
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for number in range(people):
        await sessions.chat(_answer, str(number), "hello")
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / people
