"""How fast the command answers, and how large a gateway is."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.processes import ROOT, Measured

__all__ = ["fsync_seconds", "help_seconds", "start"]

_CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {port: 0}
bots:
  site: {platform: local, agent: {kind: scripted}}
"""


def help_seconds(times: int) -> tuple[float, float]:
    """Wall seconds of `lastword --help`, and of Python doing nothing."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    }
    ours, bare = [], []
    for _ in range(times):
        for arguments, into in ((["-m", "gateway", "--help"], ours), (["-c", "pass"], bare)):
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], env=env, capture_output=True, check=True)
            into.append(time.perf_counter() - began)
    return statistics.median(ours), statistics.median(bare)


async def start() -> tuple[float, int]:
    """Seconds until a gateway with one web chat is up, and its resident bytes then."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        folder = Path(name)
        (folder / "bots.yaml").write_text(_CONFIG)
        began = time.perf_counter()
        arguments = ["-m", "gateway", "run", str(folder / "bots.yaml"), "--json-logs"]
        async with Measured(arguments, folder=folder, ready="Lastword is running") as process:
            return time.perf_counter() - began, process.memory


def fsync_seconds(times: int = 50) -> float:
    """What one durable write costs on this disk, the median."""
    waits: list[float] = []
    with tempfile.TemporaryFile() as file:
        for _ in range(times):
            file.write(b"x" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            waits.append(time.perf_counter() - began)
    return statistics.median(waits)
