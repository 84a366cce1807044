"""The built-in agent finds each provider, its key and its limits, and ends when there is nobody."""

from __future__ import annotations

import pytest

from gateway.errors import AgentError
from tests.emulators.providers.server import Emulator
from tests.integration.agents.providers.asking import DIALECTS, ask, settings

_ROOTS = {
    "anthropic": ["", "/", "/v1"],
    "google": ["", "/v1beta", "/v1beta/"],
    "groq": ["", "/openai/v1"],
    "mistral": ["", "/v1", "/v1/"],
    "ollama": ["", "/", "/v1"],
    "openai": ["/v1", "/v1/"],
    "openai-chat": ["/v1", "/v1/"],
    "openrouter": ["/api/v1", "/api/v1/"],
    "bedrock": ["", "/"],
}


@pytest.mark.parametrize(
    ("provider", "root"), [(provider, root) for provider, roots in _ROOTS.items() for root in roots]
)
async def test_address_works_in_every_form_an_operator_may_write(provider: str, root: str) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        ended = await ask(settings(api, base_url=api.origin + root), "hello")

    assert (ended.completion.reason, ended.text, api.problems) == ("completed", "hello", [])


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("openai", "OPENAI_API_KEY"),
        ("openai-chat", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("google", "GOOGLE_API_KEY"),
        ("google", "GEMINI_API_KEY"),
        ("mistral", "MISTRAL_API_KEY"),
        ("groq", "GROQ_API_KEY"),
        ("openrouter", "OPENROUTER_API_KEY"),
    ],
)
async def test_key_is_taken_from_the_usual_variable(
    monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        monkeypatch.setenv(variable, api.key)
        ended = await ask(settings(api, api_key=None), "hello")

    assert (ended.completion.reason, ended.text) == ("completed", "hello")


@pytest.mark.parametrize("provider", sorted(set(DIALECTS) - {"ollama"}))
async def test_wrong_key_is_refused(monkeypatch: pytest.MonkeyPatch, provider: str) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "sk-wrong")

    async with Emulator(DIALECTS[provider]) as api:
        ended = await ask(settings(api) | ({} if provider == "bedrock" else {"api_key": "sk-wrong"}), "hello")

    assert (ended.completion.reason, ended.text) == ("auth_failed", "")
    assert api.requests == []


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("provider", DIALECTS)
async def test_nobody_there_is_a_network_error(provider: str, streamed: bool) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        written = settings(api, stream=streamed)

    ended = await ask(written, "hello")

    assert (ended.completion.reason, ended.text) == ("network_error", "")


@pytest.mark.parametrize(
    ("answer", "limit", "streamed", "text"),
    [
        ("hang", "request_timeout", True, "One two"),
        ("hang", "request_timeout", False, ""),
        ("deaf", "request_timeout", False, ""),
        ("deaf", "first_event_timeout", True, ""),
    ],
)
@pytest.mark.parametrize("provider", DIALECTS)
async def test_silence_is_a_timeout(
    provider: str, answer: str, limit: str, streamed: bool, text: str
) -> None:
    async with Emulator(DIALECTS[provider]) as api:
        # long enough for the text to come even where the machine is busy
        written = settings(api, stream=streamed) | {limit: "1s" if text else "300ms"}
        ended = await ask(written, f"[[{answer}]]")

    assert (ended.completion.reason, ended.text) == ("timeout", text)


async def test_bedrock_without_an_account_says_that_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")

    async with Emulator(DIALECTS["bedrock"]) as api:
        ended = await ask(settings(api), "hello")

    assert (ended.completion.reason, api.requests) == ("auth_failed", [])


async def test_bedrock_sends_no_key_in_the_open() -> None:
    async with Emulator(DIALECTS["bedrock"]) as api:
        with pytest.raises(AgentError, match="https://"):
            await ask(settings(api, api_key="k"), "hello")
