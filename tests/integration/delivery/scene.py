"""What tests of the way out need beside a platform: the command line, and the store's file."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gateway.runtime import Runtime
from tests.integration.process import ROOT

__all__ = ["Ran", "counted", "dead", "execute", "lastword", "turns"]


@dataclass(frozen=True)
class Ran:
    """A command that ran."""

    code: int
    out: str
    err: str


async def lastword(folder: Path, *arguments: str) -> Ran:
    """Run the command line in a folder."""
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway", *arguments,
        cwd=folder, env=os.environ | {"PYTHONPATH": f"{path}{os.pathsep}{folder}"},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(60.0):
            out, err = await process.communicate()
    except BaseException:
        process.kill()
        await process.communicate()
        raise
    return Ran(process.returncode or 0, out.decode(), err.decode())


async def dead(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """What `lastword dead list` tells."""
    ran = await lastword(folder, "dead", "list", "--output", "json", *arguments)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def execute(folder: Path, statement: str, *values: object) -> list[Any]:
    """Change the store's file, which no gateway holds."""
    with closing(sqlite3.connect(folder / "lastword.db")) as db, db:
        return db.execute(statement, values).fetchall()


def turns(folder: Path) -> list[dict[str, Any]]:
    """Every turn's record, oldest first."""
    with closing(sqlite3.connect(f"file:{folder / 'lastword.db'}?mode=ro", uri=True)) as db:
        return [json.loads(row[0]) for row in db.execute("SELECT body FROM turns ORDER BY entry")]


def counted(runtime: Runtime, bot: str) -> Callable[[str], float]:
    """Reads how many letters ended so, from what is exposed."""

    def read(result: str) -> float:
        wanted = f'lastword_deliveries_total{{bot="{bot}",result="{result}"}} '
        lines = runtime.metrics.render().decode().splitlines()
        return sum(float(line.removeprefix(wanted)) for line in lines if line.startswith(wanted))

    return read
