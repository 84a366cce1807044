"""The built-in agent's options, and the errors of building it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError
from pydantic_ai.providers import Provider

from gateway.errors import AgentError
from gateway_agents.builtin.agent import create
from gateway_agents.builtin.options import Options
from gateway_agents.builtin.provider import model_for


def _create(**options: object) -> object:
    return create(Options.model_validate(options), name="helper", base=Path())


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL")) or name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


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
        ({"model": "anthropic:large"}, r"api_key is missing; .* ANTHROPIC_API_KEY"),
        ({"model": "google:large"}, r"api_key is missing; .* GOOGLE_API_KEY"),
        ({"model": "mistral:large"}, r"api_key is missing; .* MISTRAL_API_KEY"),
        ({"model": "groq:large"}, r"api_key is missing; .* GROQ_API_KEY"),
        ({"model": "openrouter:maker/large"}, r"api_key is missing; .* OPENROUTER_API_KEY"),
        ({"model": "bedrock:large", "api_key": "k"}, "the region is missing; .* AWS_DEFAULT_REGION"),
        (
            {"model": "bedrock:large", "api_key": "k", "base_url": "http://127.0.0.1:1"},
            "the key would travel in the open; write base_url with 'https://'",
        ),
    ],
)
def test_agent_says_what_is_missing_and_what_to_do(options: dict[str, object], said: str) -> None:
    with pytest.raises(AgentError, match=said) as caught:
        _create(**options)

    assert "agent 'helper'" in str(caught.value)


@pytest.mark.parametrize(
    ("provider", "library", "extra"),
    [
        ("anthropic", "anthropic", "lastword[anthropic]"),
        ("google", "google.genai", "lastword[google]"),
        ("google-cloud", "google.genai", "lastword[google]"),
        ("bedrock", "boto3", "lastword[bedrock]"),
        ("groq", "groq", "lastword[groq]"),
        ("mistral", "mistralai", "lastword[mistral]"),
        ("cohere", "cohere", "pydantic-ai-slim[cohere]"),
    ],
)
def test_agent_names_the_extra_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, provider: str, library: str, extra: str
) -> None:
    for name in [name for name in sys.modules if name.startswith((f"{library}.", "pydantic_ai.providers."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(AgentError, match=re.escape(f"pip install '{extra}'")):
        _create(model=f"{provider}:large", api_key="k")


def test_agent_moves_a_provider_that_takes_no_address() -> None:
    options = Options.model_validate(
        {"model": "deepseek:large", "api_key": "k", "base_url": "http://127.0.0.1:8000/v1"}
    )

    model = model_for(options, name="helper")

    assert str(model.base_url).rstrip("/") == "http://127.0.0.1:8000/v1"


def test_agent_says_that_a_provider_cannot_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fixed(Provider[object]):
        def __init__(self, api_key: str) -> None:
            self._key = api_key

        @property
        def name(self) -> str:
            return "fixed"

        @property
        def base_url(self) -> str:
            return "https://fixed.example"

        @property
        def client(self) -> object:
            return self

    def found(kind: str) -> type[Provider[object]]:
        assert kind == "openai-chat"
        return Fixed

    monkeypatch.setattr("gateway_agents.builtin.provider.infer_provider_class", found)

    with pytest.raises(AgentError, match=r"takes no base_url; use 'openai-chat:'"):
        _create(model="openai-chat:large", api_key="k", base_url="http://127.0.0.1:8000/v1")


def test_bedrock_takes_a_key_and_sends_it_as_a_bearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    options = Options.model_validate({"model": "bedrock:large", "api_key": "k"})

    provider = model_for(options, name="helper").provider

    assert provider is not None
    assert provider.client.meta.config.signature_version == "bearer"


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
