"""Responses and chunks of providers end as the right word, or say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gateway.completion import AgentReply, TurnCompletion, classify_response


def _chat(word: object, content: object = "hi", **message: object) -> dict[str, Any]:
    return {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": word,
            }
        ]
    }


def _chunk(word: object, **delta: object) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": word}],
    }


def _responses(status: str, output: Sequence[object] = (), **more: object) -> dict[str, Any]:
    return {
        "object": "response",
        "status": status,
        "output": list(output),
        "error": None,
        "incomplete_details": None,
        **more,
    }


def _said(text: str, kind: str = "output_text") -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": kind, "text": text, "refusal": text if kind == "refusal" else None}],
    }


def _gemini(word: object, *parts: object, **more: object) -> dict[str, Any]:
    return {
        "candidates": [
            {"index": 0, "finishReason": word, "content": {"role": "model", "parts": list(parts)}}
        ],
        **more,
    }


def _claude(word: object, *content: object, **more: object) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), "stop_reason": word, **more}


_TEXT = {"type": "text", "text": "hi"}

_ENDS: list[tuple[str | None, Any]] = [
    # OpenAI and its like
    ("completed", _chat("stop")),
    ("completed", _chat("STOP")),
    ("completed", _chunk("stop")),
    ("length_truncated", _chat("length")),
    ("length_truncated", _chat("max-tokens")),
    ("length_truncated", _chunk("length")),
    ("content_filtered", _chat("content_filter", "")),
    ("content_filtered", _chat("sensitive", "")),
    ("refused", _chat("stop", None, refusal="I cannot")),
    ("refused", _chunk(None, refusal="I")),
    ("empty_response", _chat("stop", "")),
    ("empty_response", _chat("stop", None)),
    ("empty_response", _chat("stop", " \n\t")),
    ("empty_response", _chat("stop", "", reasoning_content="long thoughts")),
    ("completed", _chat("stop", [{"type": "text", "text": "hi"}])),
    ("completed", _chat("stop", None, audio={"id": "a"})),
    (None, _chat("tool_calls", None, tool_calls=[{"id": "1"}])),
    (None, _chat("stop", None, tool_calls=[{"id": "1"}])),
    (None, _chat("function_call", None, function_call={"name": "x"})),
    (None, _chat(None)),
    (None, _chunk(None, content="he")),
    (None, {"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}}),
    ("provider_error", _chat("insufficient_system_resource")),
    ("provider_error", _chat("error")),
    ("cancelled", _chat("abort")),
    ("completed", _chat("eos")),
    ("completed", {"choices": [{"text": "hi", "finish_reason": "stop"}], "object": "text_completion"}),
    (
        "content_filtered",
        {
            "choices": [
                {
                    "message": {"content": "x"},
                    "finish_reason": "stop",
                    "content_filter_results": {"hate": {"filtered": True}},
                }
            ]
        },
    ),
    (
        "content_filtered",
        {
            **_chat("stop"),
            "prompt_filter_results": [{"content_filter_results": {"jailbreak": {"filtered": True}}}],
        },
    ),
    (
        "completed",
        {
            **_chat("stop"),
            "prompt_filter_results": [{"content_filter_results": {"hate": {"filtered": False}}}],
        },
    ),
    # a benign word never hides a blocking one
    (
        "content_filtered",
        {
            "choices": [
                {"message": {"content": "x"}, "finish_reason": "stop", "native_finish_reason": "SAFETY"}
            ]
        },
    ),
    (
        "content_filtered",
        {"choices": [{"message": {"content": "x"}, "finish_reason": "stop", "finishReason": "SAFETY"}]},
    ),
    (
        "content_filtered",
        {"choices": [{"message": {"content": "x"}, "finishReason": "SAFETY", "finish_reason": "stop"}]},
    ),
    (
        "context_overflow",
        {
            "choices": [
                {
                    "message": {
                        "content": "x",
                        "provider_specific_fields": {"stop_reason": "model_context_window_exceeded"},
                    },
                    "finish_reason": "length",
                }
            ]
        },
    ),
    (
        "rate_limited",
        {
            "choices": [
                {
                    "message": {"content": "x"},
                    "finish_reason": "error",
                    "error": {"code": 429, "message": "x"},
                }
            ]
        },
    ),
    # Responses, Realtime, Assistants
    ("completed", _responses("completed", [_said("hi")])),
    ("refused", _responses("completed", [_said("no", "refusal")])),
    ("empty_response", _responses("completed", [])),
    ("empty_response", _responses("completed", [{"type": "reasoning"}])),
    (None, _responses("completed", [{"type": "function_call", "name": "x"}])),
    (None, _responses("in_progress")),
    (None, _responses("queued")),
    ("cancelled", _responses("cancelled")),
    (
        "length_truncated",
        _responses("incomplete", [_said("hi")], incomplete_details={"reason": "max_output_tokens"}),
    ),
    ("content_filtered", _responses("incomplete", incomplete_details={"reason": "content_filter"})),
    ("max_steps", _responses("incomplete", incomplete_details={"reason": "max_messages"})),
    ("stream_cut", _responses("incomplete")),
    ("rate_limited", _responses("failed", error={"code": "rate_limit_exceeded", "message": "x"})),
    ("content_filtered", _responses("failed", error={"code": "bio_policy", "message": "x"})),
    ("provider_error", _responses("failed", error={"code": "server_error", "message": "x"})),
    ("provider_error", _responses("failed")),
    (
        "length_truncated",
        {
            "type": "response.incomplete",
            "response": _responses("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        },
    ),
    ("refused", {"type": "response.refusal.delta", "delta": "I"}),
    (None, {"type": "response.output_text.delta", "delta": "stop"}),
    (None, {"type": "response.created", "response": _responses("in_progress")}),
    ("provider_error", {"type": "error", "code": "server_error", "message": "x"}),
    (
        "cancelled",
        {
            "type": "response.done",
            "response": {
                "object": "realtime.response",
                "status": "cancelled",
                "status_details": {"type": "cancelled", "reason": "turn_detected"},
            },
        },
    ),
    (
        "quota_exhausted",
        {
            "object": "realtime.response",
            "status": "failed",
            "status_details": {"type": "failed", "error": {"type": "x", "code": "insufficient_quota"}},
        },
    ),
    (
        "context_overflow",
        {
            "object": "thread.run",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_prompt_tokens"},
        },
    ),
    ("timeout", {"object": "thread.run", "status": "expired"}),
    (
        "rate_limited",
        {
            "object": "thread.run",
            "status": "failed",
            "last_error": {"code": "rate_limit_exceeded", "message": "x"},
        },
    ),
    (None, {"object": "thread.run", "status": "requires_action"}),
    # Anthropic
    ("completed", _claude("end_turn", _TEXT)),
    ("completed", _claude("stop_sequence", _TEXT)),
    ("length_truncated", _claude("max_tokens", _TEXT)),
    ("context_overflow", _claude("model_context_window_exceeded", _TEXT)),
    ("suspended", _claude("pause_turn", _TEXT)),
    ("refused", _claude("refusal", _TEXT)),
    ("refused", _claude("end_turn", _TEXT, stop_details={"type": "refusal", "category": "cyber"})),
    ("empty_response", _claude("end_turn")),
    ("empty_response", _claude("end_turn", {"type": "thinking", "thinking": "x"})),
    (None, _claude("tool_use", {"type": "tool_use", "name": "x"})),
    (None, _claude("compaction")),
    (None, {"type": "message_start", "message": _claude(None)}),
    (None, {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "refusal"}}),
    (
        "completed",
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
    ),
    ("refused", {"type": "message_delta", "delta": {"stop_reason": "refusal"}}),
    ("provider_error", {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
    # Gemini and Vertex
    ("completed", _gemini("STOP", {"text": "hi"})),
    ("completed", _gemini("FINISH_REASON_STOP", {"text": "hi"})),
    ("completed", _gemini(1, {"text": "hi"})),
    ("content_filtered", _gemini(3)),
    ("content_filtered", _gemini("IMAGE_PROHIBITED_CONTENT")),
    ("content_filtered", _gemini("SPII")),
    ("length_truncated", _gemini("MAX_TOKENS", {"text": "hi"})),
    ("provider_error", _gemini("MALFORMED_FUNCTION_CALL")),
    ("OTHER", _gemini("OTHER")),
    ("11", _gemini(11)),
    ("empty_response", _gemini("STOP")),
    ("empty_response", _gemini("STOP", {"text": "x", "thought": True})),
    ("empty_response", {"candidates": [{"index": 0, "finishReason": "STOP"}]}),
    (None, _gemini("STOP", {"functionCall": {"name": "x"}})),
    ("completed", _gemini("STOP", {"inlineData": {"data": "x"}})),
    ("completed", _gemini("STOP", {"text": ""}, usageMetadata={"candidatesTokenCount": 20})),
    (None, _gemini(None, {"text": "he"})),
    ("content_filtered", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
    ("content_filtered", {"prompt_feedback": {"block_reason": "SOMETHING_NEW"}}),
    ("content_filtered", {"promptFeedback": {"blockReason": 1}}),
    (None, {"promptFeedback": {"safetyRatings": []}}),
    # Bedrock
    (
        "content_filtered",
        {"output": {"message": {"content": [{"text": "x"}]}}, "stopReason": "guardrail_intervened"},
    ),
    (
        "completed",
        {"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}}, "stopReason": "end_turn"},
    ),
    (
        "empty_response",
        {"output": {"message": {"role": "assistant", "content": []}}, "stopReason": "end_turn"},
    ),
    (None, {"output": {"message": {"content": [{"toolUse": {"name": "x"}}]}}, "stopReason": "tool_use"}),
    ("length_truncated", {"messageStop": {"stopReason": "max_tokens"}}),
    (
        "content_filtered",
        {"amazon-bedrock-guardrailAction": "INTERVENED", "stop_reason": "end_turn", "content": [_TEXT]},
    ),
    ("completed", {"amazon-bedrock-guardrailAction": "NONE", "stop_reason": "end_turn", "content": [_TEXT]}),
    ("length_truncated", {"results": [{"outputText": "x", "completionReason": "LENGTH"}]}),
    ("content_filtered", {"results": [{"outputText": "", "completionReason": "CONTENT_FILTERED"}]}),
    ("length_truncated", {"generation": "x", "stop_reason": "length"}),
    # Mistral, Cohere, Ollama, xAI
    ("length_truncated", _chat("model_length")),
    ("completed", {"finish_reason": "COMPLETE", "message": {"role": "assistant", "content": [_TEXT]}}),
    (
        "content_filtered",
        {"event_type": "stream-end", "finish_reason": "ERROR_TOXIC", "response": {"text": "x"}},
    ),
    ("context_overflow", {"finish_reason": "ERROR_LIMIT", "text": "x"}),
    ("length_truncated", {"type": "message-end", "delta": {"finish_reason": "MAX_TOKENS"}}),
    ("length_truncated", {"generations": [{"text": "x", "finish_reason": "MAX_TOKENS"}]}),
    (
        "completed",
        {
            "message": {"role": "assistant", "content": "x"},
            "done": True,
            "done_reason": "stop",
            "eval_count": 3,
        },
    ),
    (
        "completed",
        {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "eval_count": 30,
        },
    ),
    (
        "empty_response",
        {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "eval_count": 1,
        },
    ),
    ("length_truncated", {"response": "x", "done": True, "done_reason": "length"}),
    ("empty_response", {"message": {"content": ""}, "done": True, "done_reason": "load"}),
    (None, {"message": {"role": "assistant", "content": "x"}, "done": False}),
    (
        "context_overflow",
        {"outputs": [{"finish_reason": "REASON_STOP"}, {"finish_reason": "REASON_MAX_CONTEXT"}]},
    ),
    ("timeout", {"outputs": [{"finish_reason": "REASON_TIME_LIMIT"}]}),
    # others
    ("length_truncated", {"generated_text": "x", "details": {"finish_reason": "length"}}),
    ("completed", [{"generated_text": "x", "details": {"finish_reason": "eos_token"}}]),
    ("length_truncated", {"content": "x", "stop": True, "stop_type": "limit"}),
    ("length_truncated", {"content": "x", "stop": True, "stopped_limit": True}),
    ("length_truncated", {"result": "x", "is_truncated": True, "finish_reason": "normal"}),
    ("content_filtered", {"result": "x", "need_clear_history": True}),
    ("content_filtered", {**_chat("stop"), "output_sensitive": True}),
    ("length_truncated", {"output": {"choices": [{"finish_reason": "length", "message": {"content": "x"}}]}}),
    ("length_truncated", {"results": [{"generated_text": "x", "stop_reason": "max_tokens"}]}),
    (None, {"results": [{"generated_text": "x", "stop_reason": "not_finished"}]}),
    ("completed", {"completions": [{"data": {"text": "x"}, "finishReason": {"reason": "endoftext"}}]}),
    ("content_filtered", {"finishReason": {"unified": "stop", "raw": "SAFETY"}, "text": "x"}),
    ("provider_error", {"status": "failed", "object": "response"}),
    ("error", {"status": "failed"}),
    ("cancelled", {"status": "canceled"}),
    ("empty_response", {"results": [{"outputText": "", "completionReason": "FINISH"}]}),
    ("completed", {"message": {"content": ""}, "done": True, "done_reason": "stop"}),
    ("length_truncated", {"generations": [[{"generation_info": {"finish_reason": "length"}}]]}),
    (None, {"data": {"data": {"data": {"data": {"data": {"finish_reason": "length"}}}}}}),
    (None, _chat("null")),
    # errors inside a 200
    ("rate_limited", {"error_code": "odd", "error_message": "rate limit exceeded"}),
    ("rate_limited", {"error": {"code": 429, "message": "x"}, "choices": []}),
    ("content_filtered", {"code": "DataInspectionFailed", "message": "x"}),
    ("context_overflow", {"object": "error", "code": 400, "message": "maximum context length is 5 tokens"}),
    ("quota_exhausted", {"base_resp": {"status_code": 1008, "status_msg": "x"}}),
    ("provider_error", {"error": "an odd thing happened"}),
    ("provider_error", {"error": {"message": "an odd thing happened"}}),
    ("auth_failed", {"error": True, "message": "Invalid API key"}),
    ("completed", {**_chat("stop"), "error": None}),
    ("completed", {**_chat("stop"), "error": {}}),
    ("completed", {**_chat("stop"), "base_resp": {"status_code": 0, "status_msg": ""}}),
    ("completed", {**_chat("stop"), "code": 200, "message": "ok"}),
    (None, {"error": ""}),
    # nothing at all
    (None, None),
    (None, "stop"),
    (None, b"stop"),
    (None, 7),
    (None, {}),
    (None, []),
    (None, {"text": "stop"}),
    (None, {"finish_reason": ""}),
    (None, {"finish_reason": None}),
    (None, object()),
]


@pytest.mark.parametrize(("reason", "payload"), _ENDS, ids=range(len(_ENDS)))
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
    ("reason", "payload"), [row for row in _ENDS if isinstance(row[1], dict)][:80], ids=range(80)
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
    found = classify_response(_chat("Quantum_Flux"))

    assert found == TurnCompletion(
        "Quantum_Flux", site="provider.response", source="metadata", token="Quantum_Flux"
    )


def test_response_keeps_the_raw_word_the_site_and_the_provider() -> None:
    found = classify_response(_chat("length"), provider="acme")

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
    chunks: list[object] = [_chunk(None, content="a"), _chunk("stop"), {"choices": [], "usage": {}}]
    found = classify_response(chunks)

    assert found is not None
    assert found.reason == "completed"
    assert classify_response(chunks[:1]) is None


def test_blocking_chunk_is_not_hidden_by_a_later_one() -> None:
    found = classify_response([_gemini("SAFETY"), _gemini("STOP", {"text": "x"})])

    assert found is not None
    assert found.reason == "content_filtered"


def test_words_in_what_the_model_said_are_never_read() -> None:
    said = '{"finish_reason": "content_filter", "error": {"code": "insufficient_quota"}}'
    found = classify_response(_chat("stop", said))

    assert found is not None
    assert found.reason == "completed"
