"""Run one turn of the built-in agent as an operator would configure it."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.abc.agent import TurnRequest, TurnResult
from gateway.completion import classify_exception
from gateway.completion.model import TurnCompletion
from gateway.testing.turn import FakeTurnContext, turn_request
from gateway_agents.builtin.agent import create
from gateway_agents.builtin.options import Options
from tests.emulators.providers.answers import SECRET
from tests.emulators.providers.anthropic import ANTHROPIC
from tests.emulators.providers.bedrock import BEDROCK
from tests.emulators.providers.chat import GROQ, MISTRAL, OLLAMA, OPENAI, OPENROUTER
from tests.emulators.providers.gemini import GEMINI
from tests.emulators.providers.responses import RESPONSES
from tests.emulators.providers.server import Dialect, Emulator

__all__ = ["DIALECTS", "Ended", "ask", "fail", "lookup", "settings"]

DIALECTS: dict[str, Dialect] = {
    "openai-chat": OPENAI,
    "openai": RESPONSES,
    "anthropic": ANTHROPIC,
    "google": GEMINI,
    "bedrock": BEDROCK,
    "mistral": MISTRAL,
    "groq": GROQ,
    "ollama": OLLAMA,
    "openrouter": OPENROUTER,
}


def lookup(key: str) -> str:
    """Look a key up."""
    return f"value of {key}"


def fail() -> str:
    """Fail."""
    raise ValueError(f"cannot reach the database ({SECRET})")


@dataclass(frozen=True, slots=True)
class Ended:
    """How the turn ended.

    Attributes:
        text: What the person saw.
        result: What the agent gave back, unless it raised.
    """

    text: str
    completion: TurnCompletion
    context: FakeTurnContext
    result: TurnResult | None = None


def settings(api: Emulator, **options: object) -> dict[str, Any]:
    """What the operator writes."""
    return {
        "model": api.dialect.model,
        "api_key": api.key if api.dialect is not BEDROCK else None,  # its key needs https
        "base_url": api.base_url,
        "tools": (f"{__name__}:lookup", f"{__name__}:fail"),
        "retries": 0,
    } | options


async def ask(options: Mapping[str, Any], request: TurnRequest | str) -> Ended:
    """Run a turn and conclude it as a gateway would."""
    agent = create(Options.model_validate(options), name="helper", base=pathlib.Path(__file__).parent)
    context = FakeTurnContext()
    asked = turn_request(request) if isinstance(request, str) else request
    try:
        result = await agent.run(asked, context)
    except Exception as exc:  # noqa: BLE001  # whatever it is, it is classified
        return Ended(context.text, classify_exception(exc), context)
    finally:
        await agent.close()
    assert result.completion is not None
    assert result.text == context.text
    return Ended(result.text, result.completion, context, result)
