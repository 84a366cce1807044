"""A real `lastword demo` for tests, and the gateway process below it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import httpx

from tests.integration.process import ROOT


class Demo:
    """One `lastword demo`, and the gateway below it."""

    def __init__(self, folder: Path, *options: str, env: Mapping[str, str] | None = None) -> None:
        self.address = ""
        self.said: list[str] = []
        self._errors = folder / "stderr"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gateway", "demo", "--no-open", *options],
                cwd=folder,
                env=environment() | {"TMPDIR": str(folder)} | dict(env or {}),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def opened(self) -> Self:
        """Wait until it has said where it is."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.said.append(line.rstrip())
            found = re.search(r"http://[\w.:\[\]]+", line)
            if found:
                self.address = found.group()
                return self
        raise AssertionError(f"it did not come up: {self.errors()}")

    def served(self) -> Self:
        """Wait until the gateway below it answers."""
        self.opened()
        assert httpx.get(f"{self.address}/", timeout=20.0).status_code == 200
        return self

    def child(self) -> int:
        """The gateway's process; 0 while there is none."""
        return next(iter(_children(self._process.pid)), 0)

    def next_child(self, before: int) -> int:
        """Wait for a gateway other than the one there was."""
        wait_for(lambda: self.child() not in {0, before})
        return self.child()

    def leave(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; the exit code."""
        self._process.send_signal(number)
        return self.left()

    def left(self, *, seconds: float = 10.0) -> int:
        """Wait until it has ended by itself; the exit code."""
        out, _ = self._process.communicate(timeout=seconds)
        self.said += out.splitlines()
        return self._process.returncode

    def errors(self) -> str:
        """What it wrote to standard error."""
        return self._errors.read_text("utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            children = _children(self._process.pid)
            self._process.terminate()
            try:
                self._process.communicate(timeout=10.0)
            except subprocess.TimeoutExpired:
                for pid in (self._process.pid, *children):
                    os.kill(pid, signal.SIGKILL)
                self._process.communicate()


def environment() -> dict[str, str]:
    """Ours, with the working tree's packages."""
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    return os.environ | {"PYTHONPATH": path}


def _children(pid: int) -> list[int]:
    """Living children, read from /proc."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(entry.parent.name))
    return found


def wait_for(holds: Callable[[], bool], *, seconds: float = 15.0) -> None:
    """Wait until something holds."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)
