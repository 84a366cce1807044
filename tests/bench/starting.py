"""How fast the command answers, and how large a gateway is."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import ROOT, Measured

__all__ = ["Took", "help_seconds", "start"]

_CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {port: 0}
bots:
  site: {platform: local, agent: {kind: scripted}}
"""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one command, the median of several runs."""

    wall: float
    cpu: float


def help_seconds(times: int) -> tuple[Took, Took]:
    """`lastword --help`, and Python doing nothing, in turns."""
    ours: list[Took] = []
    bare: list[Took] = []
    for _ in range(times):
        ours.append(_took("-m", "gateway", "--help"))
        bare.append(_took("-c", "pass"))
    return _median(ours), _median(bare)


def _took(*arguments: str) -> Took:
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], env=os.environ | {"PYTHONPATH": path}, capture_output=True, check=True
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Took(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _median(runs: list[Took]) -> Took:
    return Took(statistics.median(run.wall for run in runs), statistics.median(run.cpu for run in runs))


async def start() -> tuple[float, int]:
    """Seconds until a gateway with one web chat is up, and its resident bytes then."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name:
        folder = Path(name)
        (folder / "bots.yaml").write_text(_CONFIG)
        began = time.perf_counter()
        arguments = ["-m", "gateway", "run", str(folder / "bots.yaml"), "--json-logs"]
        async with Measured(arguments, folder=folder, ready="Lastword is running") as process:
            return time.perf_counter() - began, process.memory
