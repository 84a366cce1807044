"""A person at a terminal: `lastword` commands played on a real one, and run without one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.integration.process import ROOT

__all__ = ["Terminal", "at_terminal", "lastword"]

_PLATFORMS = ("TELEGRAM_", "SLACK_", "DISCORD_", "OPENAI_", "LASTWORD_")
_ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith(_PLATFORMS)},
    "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents")),
    "PORT": "0",
    "TERM": "dumb",
}
_ON_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl+C reaches it
os.execv(sys.executable, [sys.executable, "-m", "gateway", *sys.argv[1:]])
"""


class Terminal:
    """A person at a terminal in which one command runs.

    Attributes:
        screen: Everything that has stood on it.
    """

    def __init__(self, process: asyncio.subprocess.Process, master: int) -> None:
        self.screen = ""
        self._process = process
        self._master = master
        self._read = 0
        self._grown = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._on_output)

    async def until(self, text: str) -> str:
        """Wait until the screen shows a text behind what was waited for before; all between the two."""
        async with asyncio.timeout(30.0):
            while (at := self.screen.find(text, self._read)) < 0:
                self._grown.clear()
                await self._grown.wait()
        seen, self._read = self.screen[self._read : at + len(text)], at + len(text)
        return seen

    def type(self, line: str) -> None:
        """Type a line and press Enter; a control character goes in alone."""
        os.write(self._master, line.encode() if line < " " and line else f"{line}\n".encode())

    async def ends(self) -> int:
        """Wait until the command is over; its exit code."""
        async with asyncio.timeout(30.0):
            code = await self._process.wait()
            while self._on_output():
                await asyncio.sleep(0)
        return code

    async def leaves(self, key: str) -> int:
        """Press a key, and again where it was overheard; the exit code.

        Python does not notice a Ctrl+C in the instant between showing a prompt and beginning to read.
        """
        ended = asyncio.create_task(self._process.wait())
        async with asyncio.timeout(30.0):
            while not ended.done():
                await asyncio.sleep(0.05)  # nobody is faster
                self.type(key)
                await asyncio.wait({ended}, timeout=8.0)
        return await self.ends()

    def _on_output(self) -> bool:
        """Take what came; whether there may be more."""
        try:
            more = os.read(self._master, 65_536).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:  # the other side is closed: Linux's word for the end of a terminal
            more = ""
        if not more:
            asyncio.get_running_loop().remove_reader(self._master)
        self.screen += more
        self._grown.set()
        return bool(more)


@asynccontextmanager
async def at_terminal(
    folder: Path, *command: str, env: Mapping[str, str] | None = None
) -> AsyncGenerator[Terminal]:
    """One `lastword` command in a folder, on a terminal of its own, with more variables set."""
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _ON_TERMINAL, *command,
        cwd=folder, env=_ENV | dict(env or {}),
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    terminal = Terminal(process, master)
    try:
        yield terminal
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        asyncio.get_running_loop().remove_reader(master)
        os.close(master)


async def lastword(folder: Path, *command: str) -> tuple[int, str]:
    """One command without a terminal; its exit code and all it says."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway", *command,
        cwd=folder, env=_ENV,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(30.0):
        said, _ = await process.communicate()
    return process.returncode or 0, said.decode()
