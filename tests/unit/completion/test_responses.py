"""Responses and chunks of providers end as the right word, or say nothing."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import cast

import pytest

from gateway.completion import AgentReply, TurnCompletion, classify_response
from tests.unit.completion.payloads import ENDS, chat, chunk, gemini


@pytest.mark.parametrize(("reason", "payload"), ENDS, ids=range(len(ENDS)))
def test_response_ends_as(reason: str | None, payload: object) -> None:
    found = classify_response(payload)

    assert (found.reason if found else None) == reason


def _objects(value: object) -> object:
    """The same payload as an SDK would give it: attributes in snake case in place of keys."""
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return SimpleNamespace(**{key: _objects(part) for key, part in named.items()})
    return [_objects(part) for part in cast("list[object]", value)] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("reason", "payload"), [row for row in ENDS if isinstance(row[1], dict)][:80], ids=range(80)
)
def test_object_of_an_sdk_reads_like_the_mapping(reason: str | None, payload: object) -> None:
    found = classify_response(_objects(payload))

    assert (found.reason if found else None) == reason


class _Finish(Enum):
    SAFETY = "SAFETY"


class _Proto(Enum):
    MAX_TOKENS = 2


def test_member_of_an_enumeration_is_read_by_its_text_or_name() -> None:
    for member, reason in ((_Finish.SAFETY, "content_filtered"), (_Proto.MAX_TOKENS, "length_truncated")):
        found = classify_response({"candidates": [{"finish_reason": member}]})

        assert found is not None
        assert found.reason == reason


def test_unknown_word_is_kept_as_it_came() -> None:
    found = classify_response(chat("Quantum_Flux"))

    assert found == TurnCompletion(
        "Quantum_Flux", site="provider.response", source="metadata", token="Quantum_Flux"
    )


def test_response_keeps_the_raw_word_the_site_and_the_provider() -> None:
    found = classify_response(chat("length"), provider="acme")

    assert found == TurnCompletion(
        "length_truncated", site="provider.response", source="metadata", provider="acme", token="length"
    )


def test_error_inside_a_response_is_sited_as_an_error() -> None:
    found = classify_response({"error": {"code": 429, "message": "Please retry in 4s."}})

    assert found is not None
    assert (found.code, found.retry_after, found.source) == ("rate_limited@provider.error", 4.0, "metadata")


def test_provider_is_read_where_the_payload_leaves_no_doubt() -> None:
    found = classify_response({"finish_reason": "stop", "response_metadata": {"model_provider": "acme"}})

    assert found is not None
    assert found.provider == "acme"


def test_own_completion_is_returned_as_it_is() -> None:
    own = TurnCompletion("tool_error")

    assert classify_response(own) is own
    assert classify_response(AgentReply("x", own)) is own
    assert classify_response(AgentReply("x")) is None
    assert classify_response({"completion": own}) is own
    assert classify_response({"completion": {"reason": "max_steps"}}) == TurnCompletion("max_steps")


def test_chunks_are_read_to_the_last_word() -> None:
    chunks: list[object] = [chunk(None, content="a"), chunk("stop"), {"choices": [], "usage": {}}]
    found = classify_response(chunks)

    assert found is not None
    assert found.reason == "completed"
    assert classify_response(chunks[:1]) is None


def test_blocking_chunk_is_not_hidden_by_a_later_one() -> None:
    found = classify_response([gemini("SAFETY"), gemini("STOP", {"text": "x"})])

    assert found is not None
    assert found.reason == "content_filtered"


def test_words_in_what_the_model_said_are_never_read() -> None:
    said = '{"finish_reason": "content_filter", "error": {"code": "insufficient_quota"}}'
    found = classify_response(chat("stop", said))

    assert found is not None
    assert found.reason == "completed"
