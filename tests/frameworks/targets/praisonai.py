"""PraisonAI, one object for each conversation, as it keeps the history and the ending on the object."""

from __future__ import annotations

import importlib
import os

from tests.frameworks.targets.provider import KEY, MODEL, URL, lookup

os.environ |= {"OPENAI_BASE_URL": URL, "OPENAI_API_KEY": KEY, "PRAISONAI_TELEMETRY_DISABLED": "true"}
os.environ["OPENAI_MAX_RETRIES"] = "0"

_NO_RETRIES = {"max_retries": 0}

_framework = importlib.import_module("praisonaiagents")


def make() -> object:
    """An agent."""
    once = _framework.ExecutionConfig(max_steps=3, max_retry_limit=0, output_continuation=False)
    made: object = _framework.Agent(
        instructions="You help.",
        llm=MODEL,
        tools=[lookup],
        output="silent",
        execution=once,
        retry=_NO_RETRIES,
    )
    return made
