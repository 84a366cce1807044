"""Let an agent of a real framework meet every ending, and tell what came out of each."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.emulators.providers.answers import Asked
from tests.emulators.providers.chat import OPENAI, Chat
from tests.emulators.providers.responses import RESPONSES
from tests.emulators.providers.server import Dialect, Emulator, Request
from tests.frameworks.cells import ENDINGS, Framework, Mode
from tests.frameworks.environments import CACHE, ROOT

__all__ = ["NUMBER", "Met", "Outcome", "meet"]

_PATIENCE = 240.0  # seconds for all endings together
NUMBER = "4711"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one turn."""

    reason: str
    text: str
    wait: float | None


@dataclass(frozen=True, slots=True)
class Met:
    """What came out of all turns of one agent.

    Attributes:
        endings: By their names.
        recalled: What it said when it was asked for everything that was said before.
    """

    endings: Mapping[str, Outcome]
    recalled: str


class _Insistent(Chat):
    """A model that does what the person asked for, whatever a framework tells it in their name afterwards."""

    def read(self, request: Request, *, key: str) -> Asked:
        asked = super().read(request, key=key)
        marked = [said for said in (*asked.before, asked.said) if "[[" in said]
        return replace(asked, said=marked[-1]) if marked else asked


_PROTOCOLS: Mapping[str, Dialect] = {
    "chat": OPENAI,
    "insistent": _Insistent(OPENAI.model, OPENAI.root, OPENAI.path, OPENAI.answers, OPENAI.thoughts),
    "responses": RESPONSES,
}


async def meet(framework: Framework, mode: Mode, *, python: Path, home: Path) -> Met:
    """Ask the agent for every ending, and then what it remembers."""
    names = [name for name, ending in ENDINGS.items() if mode in ending.modes]
    said = [{"name": name, "text": f"[[{name}]]"} for name in names]
    said += [
        {"name": "memory", "text": f"my number is {NUMBER}"},
        {"name": "memory", "text": "everything before"},
    ]
    options = {**framework.agent, "stream": mode == "streamed"}
    async with Emulator(_PROTOCOLS[framework.protocol]) as api:
        told = await _drive(python, options, said, _environment(api, home))
    *endings, _, memory = told
    outcomes = {one["name"]: _outcome(one) for one in endings}
    return Met(outcomes, str(memory["text"]))


def _environment(api: Emulator, home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents")),
        "PYTHONPYCACHEPREFIX": str(CACHE / "bytecode"),
        "LASTWORD_PROVIDER_URL": api.base_url,
        "LASTWORD_PROVIDER_KEY": api.key,
        "DO_NOT_TRACK": "1",
    }


async def _drive(
    python: Path, options: Mapping[str, object], said: list[dict[str, str]], environment: dict[str, str]
) -> list[dict[str, Any]]:
    process = await asyncio.create_subprocess_exec(
        *(str(python), "-m", "tests.frameworks.driver", json.dumps(options)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=environment["HOME"],
    )
    lines = "".join(json.dumps(one) + "\n" for one in said)
    try:
        async with asyncio.timeout(_PATIENCE):
            out, err = await process.communicate(lines.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err.decode()[-2000:]
    return [json.loads(line) for line in out.decode().splitlines()]


def _outcome(told: Mapping[str, Any]) -> Outcome:
    completion = told["completion"]
    return Outcome(str(completion["reason"]), str(told["text"]), completion.get("retry_after"))
