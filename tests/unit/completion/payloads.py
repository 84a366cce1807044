"""Responses of providers, and the word each ends as; `None` where nothing ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def chat(word: object, content: object = "hi", **message: object) -> dict[str, Any]:
    return {
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": word,
            }
        ]
    }


def chunk(word: object, **delta: object) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": word}],
    }


def responses(status: str, output: Sequence[object] = (), **more: object) -> dict[str, Any]:
    return {
        "object": "response",
        "status": status,
        "output": list(output),
        "error": None,
        "incomplete_details": None,
        **more,
    }


def said(text: str, kind: str = "output_text") -> dict[str, Any]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": kind, "text": text, "refusal": text if kind == "refusal" else None}],
    }


def gemini(word: object, *parts: object, **more: object) -> dict[str, Any]:
    return {
        "candidates": [
            {"index": 0, "finishReason": word, "content": {"role": "model", "parts": list(parts)}}
        ],
        **more,
    }


def claude(word: object, *content: object, **more: object) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(content), "stop_reason": word, **more}


TEXT = {"type": "text", "text": "hi"}

ENDS: list[tuple[str | None, Any]] = [
    # OpenAI and its like
    ("completed", chat("stop")),
    ("completed", chat("STOP")),
    ("completed", chunk("stop")),
    ("length_truncated", chat("length")),
    ("length_truncated", chat("max-tokens")),
    ("length_truncated", chunk("length")),
    ("content_filtered", chat("content_filter", "")),
    ("content_filtered", chat("sensitive", "")),
    ("refused", chat("stop", None, refusal="I cannot")),
    ("refused", chunk(None, refusal="I")),
    ("empty_response", chat("stop", "")),
    ("empty_response", chat("stop", None)),
    ("empty_response", chat("stop", " \n\t")),
    ("empty_response", chat("stop", "", reasoning_content="long thoughts")),
    ("completed", chat("stop", [{"type": "text", "text": "hi"}])),
    ("completed", chat("stop", None, audio={"id": "a"})),
    (None, chat("tool_calls", None, tool_calls=[{"id": "1"}])),
    (None, chat("stop", None, tool_calls=[{"id": "1"}])),
    (None, chat("function_call", None, function_call={"name": "x"})),
    (None, chat(None)),
    (None, chunk(None, content="he")),
    (None, {"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}}),
    ("provider_error", chat("insufficient_system_resource")),
    ("provider_error", chat("error")),
    ("cancelled", chat("abort")),
    ("completed", chat("eos")),
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
            **chat("stop"),
            "prompt_filter_results": [{"content_filter_results": {"jailbreak": {"filtered": True}}}],
        },
    ),
    (
        "completed",
        {
            **chat("stop"),
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
    ("completed", responses("completed", [said("hi")])),
    ("refused", responses("completed", [said("no", "refusal")])),
    ("empty_response", responses("completed", [])),
    ("empty_response", responses("completed", [{"type": "reasoning"}])),
    (None, responses("completed", [{"type": "function_call", "name": "x"}])),
    (None, responses("in_progress")),
    (None, responses("queued")),
    ("cancelled", responses("cancelled")),
    (
        "length_truncated",
        responses("incomplete", [said("hi")], incomplete_details={"reason": "max_output_tokens"}),
    ),
    ("content_filtered", responses("incomplete", incomplete_details={"reason": "content_filter"})),
    ("max_steps", responses("incomplete", incomplete_details={"reason": "max_messages"})),
    ("stream_cut", responses("incomplete")),
    ("rate_limited", responses("failed", error={"code": "rate_limit_exceeded", "message": "x"})),
    ("content_filtered", responses("failed", error={"code": "bio_policy", "message": "x"})),
    ("provider_error", responses("failed", error={"code": "server_error", "message": "x"})),
    ("provider_error", responses("failed")),
    (
        "length_truncated",
        {
            "type": "response.incomplete",
            "response": responses("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        },
    ),
    ("refused", {"type": "response.refusal.delta", "delta": "I"}),
    (None, {"type": "response.output_text.delta", "delta": "stop"}),
    (None, {"type": "response.created", "response": responses("in_progress")}),
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
    ("completed", claude("end_turn", TEXT)),
    ("completed", claude("stop_sequence", TEXT)),
    ("length_truncated", claude("max_tokens", TEXT)),
    ("context_overflow", claude("model_context_window_exceeded", TEXT)),
    ("suspended", claude("pause_turn", TEXT)),
    ("refused", claude("refusal", TEXT)),
    ("refused", claude("end_turn", TEXT, stop_details={"type": "refusal", "category": "cyber"})),
    ("empty_response", claude("end_turn")),
    ("empty_response", claude("end_turn", {"type": "thinking", "thinking": "x"})),
    (None, claude("tool_use", {"type": "tool_use", "name": "x"})),
    (None, claude("compaction")),
    (None, {"type": "message_start", "message": claude(None)}),
    (None, {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "refusal"}}),
    (
        "completed",
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
    ),
    ("refused", {"type": "message_delta", "delta": {"stop_reason": "refusal"}}),
    ("provider_error", {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
    # Gemini and Vertex
    ("completed", gemini("STOP", {"text": "hi"})),
    ("completed", gemini("FINISH_REASON_STOP", {"text": "hi"})),
    ("completed", gemini(1, {"text": "hi"})),
    ("content_filtered", gemini(3)),
    ("content_filtered", gemini("IMAGE_PROHIBITED_CONTENT")),
    ("content_filtered", gemini("SPII")),
    ("length_truncated", gemini("MAX_TOKENS", {"text": "hi"})),
    ("provider_error", gemini("MALFORMED_FUNCTION_CALL")),
    ("OTHER", gemini("OTHER")),
    ("11", gemini(11)),
    ("empty_response", gemini("STOP")),
    ("empty_response", gemini("STOP", {"text": "x", "thought": True})),
    ("empty_response", {"candidates": [{"index": 0, "finishReason": "STOP"}]}),
    (None, gemini("STOP", {"functionCall": {"name": "x"}})),
    ("completed", gemini("STOP", {"inlineData": {"data": "x"}})),
    ("completed", gemini("STOP", {"text": ""}, usageMetadata={"candidatesTokenCount": 20})),
    (None, gemini(None, {"text": "he"})),
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
        {"amazon-bedrock-guardrailAction": "INTERVENED", "stop_reason": "end_turn", "content": [TEXT]},
    ),
    ("completed", {"amazon-bedrock-guardrailAction": "NONE", "stop_reason": "end_turn", "content": [TEXT]}),
    ("length_truncated", {"results": [{"outputText": "x", "completionReason": "LENGTH"}]}),
    ("content_filtered", {"results": [{"outputText": "", "completionReason": "CONTENT_FILTERED"}]}),
    ("length_truncated", {"generation": "x", "stop_reason": "length"}),
    # Mistral, Cohere, Ollama, xAI
    ("length_truncated", chat("model_length")),
    ("completed", {"finish_reason": "COMPLETE", "message": {"role": "assistant", "content": [TEXT]}}),
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
    ("content_filtered", {**chat("stop"), "output_sensitive": True}),
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
    (None, chat("null")),
    # errors inside a 200
    ("rate_limited", {"error_code": "odd", "error_message": "rate limit exceeded"}),
    ("rate_limited", {"error": {"code": 429, "message": "x"}, "choices": []}),
    ("content_filtered", {"code": "DataInspectionFailed", "message": "x"}),
    ("context_overflow", {"object": "error", "code": 400, "message": "maximum context length is 5 tokens"}),
    ("quota_exhausted", {"base_resp": {"status_code": 1008, "status_msg": "x"}}),
    ("provider_error", {"error": "an odd thing happened"}),
    ("provider_error", {"error": {"message": "an odd thing happened"}}),
    ("auth_failed", {"error": True, "message": "Invalid API key"}),
    ("completed", {**chat("stop"), "error": None}),
    ("completed", {**chat("stop"), "error": {}}),
    ("completed", {**chat("stop"), "base_resp": {"status_code": 0, "status_msg": ""}}),
    ("completed", {**chat("stop"), "code": 200, "message": "ok"}),
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
