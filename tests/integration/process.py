"""A real gateway process for tests: started from YAML, killed and stopped as an operator would."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Self

import httpx

ROOT = Path(__file__).parents[2]


class Gateway:
    """One `lastword run` in a folder of its own, restartable.

    Attributes:
        log: Every line the process wrote, over all its lives.
        address: The shared server's base address of the current life.
    """

    def __init__(self, folder: Path, config: str, *, env: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.log: list[str] = []
        self.address = ""
        self._env = dict(env or {})
        self._process: asyncio.subprocess.Process | None = None
        self._reading: list[asyncio.Task[None]] = []
        self._ready = asyncio.Event()
        (folder / "bots.yaml").write_text(config, "utf-8")

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def start(self, *, timeout: float = 20.0) -> None:
        """Start it and wait until it is up."""
        self._ready = asyncio.Event()
        path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "gateway",
            "run",
            str(self.folder / "bots.yaml"),
            "--json-logs",
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": f"{path}{os.pathsep}{self.folder}"} | self._env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._reading = [
            asyncio.create_task(self._read(self._process.stdout)),
            asyncio.create_task(self._read(self._process.stderr)),
        ]
        ended = asyncio.create_task(self._process.wait())
        ready = asyncio.create_task(self._ready.wait())
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wait({ended, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if not self._ready.is_set():
            await asyncio.gather(*self._reading)
            raise AssertionError("the gateway did not come up:\n" + "\n".join(self.log[-40:]))
        ended.cancel()

    async def kill(self) -> None:
        """SIGKILL, at once."""
        await self._end(signal.SIGKILL)

    def is_over(self) -> bool:
        """Whether the process died by itself."""
        return self._process is None or self._process.returncode is not None

    async def stop(self) -> int:
        """SIGTERM, and wait for a clean end; the exit code."""
        return await self._end(signal.SIGTERM)

    async def restart(self) -> None:
        """SIGKILL and start again on the same folder."""
        await self.kill()
        await self.start()

    def events(self, name: str) -> list[dict[str, Any]]:
        """Log lines of one event."""
        found: list[dict[str, Any]] = []
        for line in self.log:
            if line.startswith("{"):
                record = json.loads(line)
                if record.get("event") == name:
                    found.append(record)
        return found

    def turns(self) -> list[dict[str, Any]]:
        """Every turn's record, oldest first, read from the store's file."""
        return [json.loads(row[0]) for row in self._rows("SELECT body FROM turns ORDER BY entry")]

    async def silent(self) -> float:
        """Turns of this life that ended without a visible outcome; must be 0."""
        async with httpx.AsyncClient() as client:
            exposed = (await client.get(f"{self.address}/metrics")).text
        name = "lastword_turns_without_visible_outcome_total"
        lines = [line for line in exposed.splitlines() if line.startswith(name)]
        return sum(float(line.rpartition(" ")[2]) for line in lines)

    def inbox(self) -> int:
        """How many entries wait or run."""
        rows = self._rows("SELECT count(*) FROM inbox WHERE closed IS NULL AND lane != ''")
        return int(rows[0][0])

    def _rows(self, query: str) -> list[Any]:
        address = f"file:{self.folder / 'lastword.db'}?mode=ro"
        with contextlib.closing(sqlite3.connect(address, uri=True)) as db:
            return db.execute(query).fetchall()

    async def _end(self, number: signal.Signals) -> int:
        if self._process is None:
            return 0
        if self._process.returncode is None:
            self._process.send_signal(number)
        async with asyncio.timeout(40.0):
            code = await self._process.wait()
            await asyncio.gather(*self._reading)
        self._process = None
        return code

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while line := await stream.readline():
            text = line.decode("utf-8", "replace").rstrip()
            self.log.append(text)
            if text.startswith("Lastword is running; "):
                self.address = text.split("; ", 1)[1].split(" ", 1)[0]
                self._ready.set()


async def until(
    check: Callable[[], object] | Callable[[], Awaitable[object]], *, timeout: float = 15.0
) -> Any:
    """Wait until the check gives something true, and give that back."""
    async with asyncio.timeout(timeout):
        while True:
            value = check()
            if asyncio.iscoroutine(value):
                value = await value
            if value:
                return value
            await asyncio.sleep(0.02)
