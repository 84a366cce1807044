"""Runs in the environment of a framework: asks its agent everything that comes in on standard input.

`python -m tests.frameworks.driver OPTIONS`, the agent's options as JSON. A line of JSON goes out for each
that comes in.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gateway.abc.agent import TurnContext, TurnRequest, TurnResult
from gateway.embedded import BotSessionManager
from gateway.observability import configure_logging
from gateway_agents.python.agent import create
from gateway_agents.python.options import Options

_DEADLINE = 8.0  # seconds of a turn, longer than any agent waits for its provider


async def _main(options: str, asked: Iterable[str]) -> None:
    agent = create(Options.model_validate_json(options), name="mine", base=Path(__file__).parent)
    sessions = BotSessionManager(timeout=_DEADLINE, idle_timeout=_DEADLINE)

    async def ask(request: TurnRequest, context: TurnContext) -> TurnResult:
        return await agent.run(request, context)

    try:
        for line in asked:
            _say(await _one(sessions, ask, json.loads(line)))
    finally:
        await agent.close()


async def _one(sessions: BotSessionManager, ask: object, case: dict[str, str]) -> dict[str, Any]:
    record = await sessions.chat_record(ask, case["name"], case["text"])
    return {
        "name": case["name"],
        "text": record.partial,
        "completion": record.completion,
        "problem": record.problem,
    }


def _say(told: dict[str, Any]) -> None:
    _OUT.write(json.dumps(told) + "\n")
    _OUT.flush()


_OUT = sys.stdout

if __name__ == "__main__":
    sys.stdout = sys.stderr  # frameworks print; what is read here is JSON only
    configure_logging(level="critical")
    logging.disable(logging.CRITICAL)
    asyncio.run(_main(sys.argv[1], sys.stdin))
