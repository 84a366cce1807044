"""A TCP proxy that cuts, delays, holds and swallows what passes through it."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from typing import Self

__all__ = ["Faults", "LossyProxy"]


@dataclass(slots=True)
class Faults:
    """What may befall a piece of data; chances are from 0 to 1.

    Attributes:
        cut_answer: The chance that a connection is cut when a script's answer arrives: done, not told.
        cut_request: The chance that it is cut when a script's call arrives: not done.
        late: The chance that such a call arrives only after `lateness` seconds, though its sender has gone.
        delay: Seconds, at most, that each piece is held.
        swallow: Whether everything is swallowed and connections stay open.
    """

    cut_answer: float = 0.0
    cut_request: float = 0.0
    late: float = 0.0
    lateness: float = 0.6
    delay: float = 0.0
    swallow: bool = False


@dataclass(slots=True)
class LossyProxy:
    """Stands before a server.

    Attributes:
        target: The server.
        faults: What befalls what passes now.
        struck: How many pieces a fault befell.
    """

    target: tuple[str, int]
    faults: Faults = field(default_factory=Faults)
    seed: int = 7
    struck: int = 0
    _random: random.Random = field(init=False)
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311  # repeatable faults

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        """Where clients connect."""
        assert self._server is not None
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/0"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._join(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(*self.target)
        except OSError:
            writer.close()
            return
        called = asyncio.Event()
        pumps: list[asyncio.Task[bool] | asyncio.Task[None]] = [
            asyncio.create_task(self._ask(reader, back, called)),
            asyncio.create_task(self._answer(there, writer, called)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            if pumps[0].done() and pumps[0].result() is False:
                await asyncio.sleep(self.faults.lateness)  # the server reads what came late
        finally:
            writer.close()
            back.close()
            for pump in pumps:
                pump.cancel()
            await asyncio.wait(pumps)

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, called: asyncio.Event
    ) -> bool:
        """Pass requests on until the end; `False` when the last has gone late."""
        while data := await _read(reader):
            if b"EVALSHA" in data:
                called.set()
            if called.is_set() and self._chance(self.faults.cut_request):
                return True
            if called.is_set() and self._chance(self.faults.late):
                await asyncio.sleep(self.faults.lateness)
                await self._pass(data, writer)
                return False
            await self._pass(data, writer)
        return True

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, called: asyncio.Event
    ) -> None:
        """Pass answers on until the end."""
        while data := await _read(reader):
            if called.is_set() and self._chance(self.faults.cut_answer):
                return
            called.clear()
            await self._pass(data, writer)

    async def _pass(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        if self.faults.swallow:
            self.struck += 1
            return
        if self.faults.delay:
            await asyncio.sleep(self._random.uniform(0.0, self.faults.delay))
        with contextlib.suppress(OSError):
            writer.write(data)
            await writer.drain()

    def _chance(self, chance: float) -> bool:
        struck = chance > 0 and self._random.random() < chance
        self.struck += struck
        return struck


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(65536)
    except OSError:
        return b""
