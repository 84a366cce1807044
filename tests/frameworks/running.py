"""Let an agent of a real framework meet every ending, and tell what came out of each."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.emulators.providers.answers import SECRET, Asked
from tests.emulators.providers.chat import OPENAI, Chat
from tests.emulators.providers.responses import RESPONSES
from tests.emulators.providers.server import Dialect, Emulator, Request
from tests.frameworks.cells import ENDINGS, Framework, Mode
from tests.frameworks.environments import CACHE, ROOT

__all__ = ["NUMBER", "Met", "Outcome", "judge", "meet", "trial"]

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
        told = await _run(
            *(str(python), "-m", "tests.frameworks.driver", json.dumps(options)),
            given="".join(json.dumps(one) + "\n" for one in said),
            environment=_environment(api, home),
        )
    *endings, _, memory = [json.loads(line) for line in told.splitlines()]
    outcomes = {one["name"]: _outcome(one) for one in endings}
    return Met(outcomes, str(memory["text"]))


async def trial(framework: Framework, *, python: Path, home: Path) -> Mapping[str, str]:
    """What `lastword test` says of the agent, check by check."""
    (by, reference), *_ = framework.agent.items()
    flags = ["--factory"] if by == "factory" else []
    flags += ["--stream"] if "streamed" in framework.modes else []
    async with Emulator(_PROTOCOLS[framework.protocol]) as api:
        told = await _run(
            *(str(python), "-m", "gateway", "test", reference, *flags),
            *("--slow", "[[deaf]]", "--failing", "[[server]]", "--people", "3", "--output", "json"),
            given="",
            environment=_environment(api, home),
        )
    return {check["check"]: check["verdict"] for check in json.loads(told)["checks"]}


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


async def _run(*command: str, given: str, environment: Mapping[str, str]) -> str:
    """What a process says on standard output."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
        cwd=environment["HOME"],
    )
    try:
        async with asyncio.timeout(_PATIENCE):
            out, err = await process.communicate(given.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, (out.decode()[-4000:], err.decode()[-2000:])
    return out.decode()


def _outcome(told: Mapping[str, Any]) -> Outcome:
    completion = told["completion"]
    return Outcome(str(completion["reason"]), str(told["text"]), completion.get("retry_after"))


def judge(framework: Framework, mode: Mode, name: str, outcome: Outcome) -> str:
    """What is wrong with one cell; empty for nothing."""
    right = ENDINGS[name].right(mode)
    seen = outcome.reason == right.reason and right.text in outcome.text and outcome.wait == right.wait
    blind = framework.blindness(name, mode)
    if SECRET in outcome.text:
        return f"{name}: what the provider says to operators is shown to people: {outcome}"
    if blind is None:
        return "" if seen else f"{name}: {right.reason} was wanted, with {right.text!r}; {outcome} came out"
    if seen:
        return f"{name}: can be seen now; take it off the list, and run `python -m tests.frameworks`"
    return "" if outcome.reason == blind.told else f"{name}: {blind.told} was listed; {outcome} came out"
