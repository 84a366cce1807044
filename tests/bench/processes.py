"""Processes under measurement: what they used of the processor, and of memory."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["ROOT", "Measured"]

ROOT = Path(__file__).parents[2]
_TICK = os.sysconf("SC_CLK_TCK")


class Measured:
    """A Python process that can be asked what it used.

    Args:
        arguments: What Python runs.
        folder: Its working directory.
        ready: A text whose appearance in its output means that it is up.
    """

    def __init__(
        self, arguments: Sequence[str], *, folder: Path, ready: str, env: Mapping[str, str] | None = None
    ) -> None:
        self._arguments = arguments
        self._folder = folder
        self._ready = ready
        self._env = dict(env or {})
        self._process: asyncio.subprocess.Process | None = None
        self._draining: asyncio.Task[None] | None = None
        self.output: list[str] = []

    async def __aenter__(self) -> Self:
        path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            *self._arguments,
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"} | self._env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        up = asyncio.Event()
        self._draining = asyncio.create_task(self._drain(up))
        async with asyncio.timeout(60.0):
            await up.wait()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(20.0):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
        if self._draining is not None:
            await self._draining

    @property
    def cpu(self) -> float:
        """Seconds of processor time so far, user and system."""
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    @property
    def memory(self) -> int:
        """Resident bytes."""
        assert self._process is not None
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    async def _drain(self, up: asyncio.Event) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            self.output.append(line.decode("utf-8", "replace").rstrip())
            if self._ready in self.output[-1]:
                up.set()
        up.set()
