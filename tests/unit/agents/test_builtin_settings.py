"""The built-in agent's options, and the errors of building it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from gateway.errors import AgentError
from gateway_agents.builtin.agent import create
from gateway_agents.builtin.options import Options


def _create(**options: object) -> object:
    return create(Options.model_validate(options), name="helper", base=Path())


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "openai-chat:small"}, r"api_key is missing; .* OPENAI_API_KEY"),
        ({"model": "openai-chat:small", "api_key": " "}, "api_key is missing"),
        ({"model": "ollama:small"}, r"base_url is missing; .* OLLAMA_BASE_URL"),
        (
            {"model": "openai-chatt:small", "api_key": "k"},
            "did you mean 'openai-chat'",
        ),
        ({"model": "qqq:small", "api_key": "k"}, "unknown provider 'qqq'"),
        ({"model": "anthropic:large", "api_key": "k"}, r"pip install 'pydantic-ai-slim\[anthropic\]'"),
        ({"model": "deepseek:large", "api_key": "k", "base_url": "http://x"}, "takes no base_url"),
    ],
)
def test_agent_says_what_is_missing_and_what_to_do(options: dict[str, object], said: str) -> None:
    with pytest.raises(AgentError, match=said) as caught:
        _create(**options)

    assert "agent 'helper'" in str(caught.value)


def test_agent_is_built_for_a_local_server_without_a_key() -> None:
    assert _create(model="openai-chat:small", base_url="http://127.0.0.1:8000/v1")


@pytest.mark.parametrize(
    ("value", "seconds"), [("90s", 90.0), ("1.5m", 90.0), ("250ms", 0.25), ("1h", 3600.0), (5, 5.0)]
)
def test_options_read_durations(value: object, seconds: float) -> None:
    assert Options.model_validate({"model": "a:b", "request_timeout": value}).request_timeout == seconds


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"model": "gpt-5"},
        {"model": ":small"},
        {"model": "a:b", "max_steps": 0},
        {"model": "a:b", "request_timeout": "soon"},
        {"model": "a:b", "request_timeout": "0s"},
        {"model": "a:b", "steps": 3},
    ],
)
def test_options_refuse_what_cannot_work(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Options.model_validate(options)


def test_options_do_not_print_the_key() -> None:
    assert "sk-1" not in repr(Options.model_validate({"model": "a:b", "api_key": "sk-1"}))


@pytest.mark.parametrize("kind", ["scripted", "python", "builtin"])
def test_options_import_no_library_of_an_agent(kind: str) -> None:
    """`check` and `schema` work where no extra is installed."""
    probe = (
        f"import gateway_agents.{kind}.options, sys;"
        "print([name for name in ('pydantic_ai', 'openai', 'langgraph') if name in sys.modules])"
    )

    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
