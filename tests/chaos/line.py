"""The line between a gateway and a platform: it stands still, loses its answers, or breaks."""

from __future__ import annotations

import asyncio
import contextlib
import random
from contextlib import AsyncExitStack

__all__ = ["Line"]

_SIZE = 65_536


class Line:
    """A TCP proxy on a port of its own."""

    def __init__(self) -> None:
        self.port = 0
        self._target = 0
        self._there, self._back = asyncio.Event(), asyncio.Event()  # what passes, while set
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.calm()

    async def open(self, target: int, stack: AsyncExitStack) -> None:
        """Lead to a port of this machine."""
        self._target = target
        server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        stack.push_async_callback(self._close)
        stack.callback(server.close)

    def calm(self) -> None:
        """Let everything pass."""
        self._there.set()
        self._back.set()

    def spoil(self, chance: random.Random) -> str:
        """Let something go wrong; what."""
        match chance.choice(("stands still", "loses its answers", "breaks")):
            case "stands still":
                seconds = chance.uniform(0.3, 3.0)
                self._there.clear()
                self._back.clear()
                asyncio.get_running_loop().call_later(seconds, self.calm)
                return f"line: stands still for {seconds:.1f}"
            case "loses its answers":
                self._back.clear()
                asyncio.get_running_loop().call_later(chance.uniform(0.2, 0.8), self._break)
                return "line: loses its answers and breaks"
            case _:
                self._break()
                return "line: breaks"

    def _break(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self.calm()

    async def _close(self) -> None:
        self._break()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, back}
        self._writers |= ends
        pumps = [
            asyncio.create_task(_pump(reader, back, self._there)),
            asyncio.create_task(_pump(there, writer, self._back)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._writers -= ends
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)
            for end in ends:
                end.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passes: asyncio.Event) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_SIZE):
            await passes.wait()
            writer.write(data)
            await writer.drain()
