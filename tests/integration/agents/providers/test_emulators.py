"""The emulated providers refuse what the real ones refuse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.emulators.providers.answers import Refused
from tests.emulators.providers.server import Request
from tests.integration.agents.providers.asking import DIALECTS

_KEY = "sk-emulated"
_BEARER = {"authorization": f"Bearer {_KEY}"}
_HELLO: dict[str, Any] = {"role": "user", "content": "hello"}
_USE: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "lookup", "input": {}}
_RESULT: dict[str, Any] = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """A request that the provider takes."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    query: str = ""

    def with_(self, **fields: Any) -> bytes:
        return json.dumps({**self.body, **fields}).encode()


def _gemini(role: str, *parts: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def _bedrock(role: str, *blocks: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


_CHAT = {"model": "small", "messages": [_HELLO]}
_SHAPES = {
    "openai-chat": _Shape("/v1/chat/completions", _BEARER, _CHAT),
    "mistral": _Shape("/v1/chat/completions", _BEARER, _CHAT),
    "groq": _Shape("/openai/v1/chat/completions", _BEARER, _CHAT),
    "ollama": _Shape("/v1/chat/completions", {}, _CHAT),
    "openrouter": _Shape("/api/v1/chat/completions", _BEARER, _CHAT),
    "openai": _Shape("/v1/responses", _BEARER, {"model": "small", "input": [_HELLO]}),
    "anthropic": _Shape(
        "/v1/messages",
        {"x-api-key": _KEY, "anthropic-version": "2023-06-01"},
        {"model": "small", "max_tokens": 10, "messages": [_HELLO]},
    ),
    "google": _Shape(
        "/v1beta/models/small:streamGenerateContent",
        {"x-goog-api-key": _KEY},
        {"contents": [_gemini("user", {"text": "hello"})]},
        query="alt=sse",
    ),
    "bedrock": _Shape(
        "/model/small/converse",
        {"authorization": f"AWS4-HMAC-SHA256 Credential={_KEY}/20261201/eu-west-1"},
        {"messages": [_bedrock("user", {"text": "hello"})]},
    ),
}


def _read(provider: str, body: bytes | None = None, **changes: Any) -> object:
    shape = _SHAPES[provider]
    given: dict[str, Any] = {
        "method": "POST",
        "path": shape.path,
        "query": shape.query,
        "headers": {"content-type": "application/json", **shape.headers},
        "body": body if body is not None else shape.with_(),
    }
    return DIALECTS[provider].read(Request(**given | changes), key=_KEY)


@pytest.mark.parametrize("provider", DIALECTS)
def test_emulator_takes_a_right_request(provider: str) -> None:
    assert _read(provider)


@pytest.mark.parametrize("provider", DIALECTS)
@pytest.mark.parametrize(
    "change",
    [{"path": "/v2/elsewhere/small"}, {"body": b"[]"}, {"body": b"{"}],
    ids=["another place", "no object", "no JSON"],
)
def test_emulator_refuses_what_is_no_request_of_the_kind(provider: str, change: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        _read(provider, **change)


@pytest.mark.parametrize("provider", sorted(set(DIALECTS) - {"ollama"}))
def test_emulator_refuses_a_missing_key(provider: str) -> None:
    with pytest.raises(Refused, match=r"wrong key|API key not valid"):
        _read(provider, headers={"content-type": "application/json", "anthropic-version": "2023-06-01"})


def _call(identity: str = "call00001", arguments: str = "{}") -> dict[str, Any]:
    call = {"id": identity, "type": "function", "function": {"name": "lookup", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


_TOOL = {"role": "tool", "tool_call_id": "call00001", "content": "x"}
_MESSAGES: list[tuple[str, str, list[Any], str]] = [
    ("openai-chat", "messages", [_HELLO, _TOOL], "a tool result without its call"),
    ("openai-chat", "messages", [_HELLO, _call(), _HELLO], "tool calls without a result"),
    ("openai-chat", "messages", [_HELLO, {"role": "assistant", "content": ""}], "an empty assistant message"),
    ("mistral", "messages", [_HELLO, _call(), _TOOL, _HELLO], "Unexpected role 'user' after role 'tool'"),
    ("mistral", "messages", [_HELLO, {"role": "assistant", "content": "Hi."}], "Expected last role"),
    ("mistral", "messages", [_HELLO, _call("call_1")], "an id that is not nine letters|without a result"),
    ("openai", "input", [_HELLO, {"type": "function_call_output", "call_id": "c", "output": ""}], "match"),
    (
        "openai",
        "input",
        [_HELLO, {"type": "function_call", "call_id": "c", "name": "lookup", "arguments": "{}"}],
        "match",
    ),
    ("openai", "input", [_HELLO, {"type": "dream"}], "unknown item"),
    ("openai", "input", [_HELLO, {"role": "assistant", "content": ""}], "an empty message"),
    ("anthropic", "messages", [{"role": "assistant", "content": "Hi."}], "first message"),
    ("anthropic", "messages", [_HELLO, {"role": "assistant", "content": " "}], "non-whitespace"),
    ("anthropic", "messages", [_HELLO, {"role": "assistant", "content": "Hi. "}], "trailing whitespace"),
    ("anthropic", "messages", [_HELLO, {"role": "assistant", "content": [_USE]}, _HELLO], "without"),
    ("anthropic", "messages", [{"role": "user", "content": [_RESULT]}], "unexpected `tool_use_id`"),
    ("google", "contents", [_gemini("user")], "must not be empty"),
    ("google", "contents", [_gemini("assistant", {"text": "Hi."})], "valid role"),
    ("google", "contents", [_gemini("user", {"thought": True})], "oneof"),
    (
        "google",
        "contents",
        [_gemini("user", {"text": "hello"}), _gemini("model", {"functionCall": {"name": "x", "args": {}}})],
        "function response turn",
    ),
    ("bedrock", "messages", [_bedrock("assistant", {"text": "Hi."})], "must start with a user"),
    ("bedrock", "messages", [_bedrock("user", {"text": "a"}), _bedrock("user", {"text": "b"})], "alternate"),
    ("bedrock", "messages", [_bedrock("user", {"text": " "})], "is blank"),
    ("bedrock", "messages", [_bedrock("user")], "is empty"),
    (
        "bedrock",
        "messages",
        [
            _bedrock("user", {"text": "a"}),
            _bedrock("assistant", {"toolUse": {"toolUseId": "t", "name": "x"}}),
        ],
        "Expected toolResult",
    ),
]


@pytest.mark.parametrize(("provider", "field", "messages", "said"), _MESSAGES)
def test_emulator_refuses_a_conversation_that_is_none(
    provider: str, field: str, messages: list[Any], said: str
) -> None:
    with pytest.raises(Refused, match=said):
        _read(provider, _SHAPES[provider].with_(**{field: messages}))


def test_emulator_of_anthropic_asks_for_a_limit_and_a_version() -> None:
    shape = _SHAPES["anthropic"]

    with pytest.raises(Refused, match="max_tokens"):
        _read("anthropic", shape.with_(max_tokens=None))
    with pytest.raises(Refused, match="anthropic-version"):
        _read("anthropic", headers={"content-type": "application/json", "x-api-key": _KEY})
