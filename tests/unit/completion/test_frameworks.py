"""Results of agent frameworks end as the right word, read by shape and never by import."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace as Ns
from typing import Literal

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolCallPart

from gateway.completion import classify_response


def _reason(payload: object) -> str | None:
    found = classify_response(payload)
    return found.reason if found else None


def _ai(content: object = "hi", **more: object) -> Ns:
    return Ns(
        type="ai",
        content=content,
        tool_calls=[],
        **{"response_metadata": {}, "additional_kwargs": {}, **more},
    )


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("length_truncated", _ai(response_metadata={"finish_reason": "length"})),
        ("refused", _ai(response_metadata={"stop_reason": "refusal"})),
        (
            "refused",
            _ai("", additional_kwargs={"refusal": "no"}, response_metadata={"finish_reason": "stop"}),
        ),
        ("refused", _ai([{"type": "refusal", "refusal": "no"}], response_metadata={"status": "completed"})),
        (
            "length_truncated",
            _ai(
                response_metadata={
                    "status": "incomplete",
                    "incomplete_details": {"reason": "max_output_tokens"},
                }
            ),
        ),
        ("content_filtered", _ai("", response_metadata={"prompt_feedback": {"block_reason": "SAFETY"}})),
        ("content_filtered", _ai("", response_metadata={"stopReason": "guardrail_intervened"})),
        ("length_truncated", _ai(response_metadata={"done_reason": "length"})),
        ("empty_response", _ai("", response_metadata={"finish_reason": "stop"})),
        ("completed", _ai(response_metadata={"finish_reason": "stop"})),
        ("max_steps", _ai("Sorry, need more steps to process this request.")),
        ("max_steps", _ai("Model call limits exceeded: run limit (3/3)")),
        (
            "completed",
            _ai(
                "Sorry, need more steps to process this request.", response_metadata={"finish_reason": "stop"}
            ),
        ),
        (None, _ai("Sorry, need more steps")),
        (None, _ai(response_metadata={"finish_reason": "tool_calls"})),
        (None, Ns(type="tool", content="finish_reason: length")),
        (None, Ns(type="human", content="hi", response_metadata={"finish_reason": "length"})),
    ],
    ids=range(17),
)
def test_last_message_of_a_graph_is_read(reason: str | None, message: object) -> None:
    earlier = _ai(response_metadata={"finish_reason": "length"})

    assert _reason({"messages": [earlier, message]}) == reason
    assert _reason([earlier, message]) == reason


def test_message_as_a_mapping_is_read_alike() -> None:
    assert (
        _reason(
            {
                "messages": [
                    {"role": "assistant", "content": "x", "response_metadata": {"finish_reason": "length"}}
                ]
            }
        )
        == "length_truncated"
    )


def test_graph_that_asks_a_person_is_suspended() -> None:
    assert _reason({"messages": [_ai()], "__interrupt__": [object()]}) == "suspended"
    assert _reason(Ns(interruptions=[object()], final_output=None)) == "suspended"


_ModelPart = TextPart | ThinkingPart | ToolCallPart
_Finish = Literal["stop", "length", "content_filter", "tool_call", "error"]


def _response(
    *parts: _ModelPart,
    finish: _Finish | None = None,
    details: dict[str, object] | None = None,
    state: Literal["complete", "suspended", "interrupted"] = "complete",
) -> ModelResponse:
    return ModelResponse(
        parts=list(parts),
        provider_url="https://x.test",
        provider_name="acme",
        finish_reason=finish,
        provider_details=details,
        state=state,
    )


@pytest.mark.parametrize(
    ("reason", "response"),
    [
        (
            "completed",
            _response(TextPart("x"), finish="stop", details={"finish_reason": "stop"}),
        ),
        (
            "length_truncated",
            _response(TextPart("x"), finish="length", details={"finish_reason": "length"}),
        ),
        (
            "context_overflow",
            _response(
                TextPart("x"),
                finish="length",
                details={"finish_reason": "model_context_window_exceeded"},
            ),
        ),
        (
            "content_filtered",
            _response(finish="content_filter", details={"block_reason": "SAFETY"}),
        ),
        ("refused", _response(finish="content_filter", details={"refusal": "no"})),
        (
            "refused",
            _response(TextPart("x"), finish="content_filter", details={"finish_reason": "refusal"}),
        ),
        ("stream_cut", _response(TextPart("x"), finish="stop", details={"timestamp": "x"})),
        ("stream_cut", _response(TextPart("x"))),
        ("stream_cut", _response(TextPart("x"), state="interrupted")),
        ("suspended", _response(TextPart("x"), state="suspended")),
        ("weird", _response(TextPart("x"), details={"finish_reason": "weird"})),
        (
            "empty_response",
            _response(ThinkingPart("x"), finish="stop", details={"finish_reason": "stop"}),
        ),
        (
            "empty_response",
            _response(TextPart(" "), finish="stop", details={"finish_reason": "stop"}),
        ),
        (
            None,
            _response(ToolCallPart("x"), finish="tool_call", details={"finish_reason": "tool_calls"}),
        ),
        (
            None,
            _response(ToolCallPart("x"), finish="stop", details={"finish_reason": "stop"}),
        ),
        ("completed", ModelResponse(parts=[TextPart("x")], finish_reason="stop")),
        (None, ModelResponse(parts=[TextPart("x")])),
    ],
    ids=range(17),
)
def test_model_response_of_pydantic_ai_is_read(reason: str | None, response: ModelResponse) -> None:
    assert _reason(response) == reason
    assert _reason(Ns(response=response, output="x")) == reason
    assert _reason([ModelRequest(parts=[]), response]) == reason


def test_provider_of_a_model_response_is_recorded() -> None:
    found = classify_response(_response(TextPart("x"), finish="length", details={"finish_reason": "length"}))

    assert found is not None
    assert found.provider == "acme"


class _Run(Enum):
    paused = "PAUSED"
    running = "RUNNING"


@pytest.mark.parametrize(
    ("reason", "result"),
    [
        ("completed", Ns(final_output="x", raw_responses=[Ns(output=[])])),
        ("empty_response", Ns(final_output="", raw_responses=[Ns(output=[])])),
        (
            "refused",
            Ns(
                final_output="x",
                raw_responses=[
                    Ns(output=[{"type": "message", "content": [{"type": "refusal", "refusal": "x"}]}])
                ],
            ),
        ),
        ("max_steps", Ns(last_stop_reason="max_steps")),
        ("error", Ns(last_stop_reason="error")),
        ("completed", Ns(last_stop_reason="completed")),
        ("tool_loop_guard", Ns(last_stop_reason="Tool-Loop")),
        ("max_steps", Ns(output="x", state="max_steps_error", steps=[])),
        ("completed", Ns(output="x", state="success", steps=[])),
        ("completed", {"exit_reason": "text", "last_message": Ns(meta={"finish_reason": "stop"})}),
        ("completed", {"exit_reason": "search_tool"}),
        ("max_steps", {"exit_reason": "max_agent_steps"}),
        ("length_truncated", {"exit_reason": "length"}),
        ("max_steps", Ns(stop_reason="limit_turns", message={})),
        ("budget_exhausted", Ns(stop_reason="limit_total_tokens")),
        ("suspended", Ns(stop_reason="interrupt")),
        ("suspended", Ns(status=_Run.paused)),
        (None, Ns(status=_Run.running)),
        ("cancelled", {"status": "CANCELLED"}),
        ("error", {"status": "ERROR"}),
        ("max_steps", Ns(messages=[], stop_reason="Maximum number of turns 3 reached.")),
        ("completed", Ns(messages=[], stop_reason="Text 'rate limit' mentioned")),
        ("timeout", Ns(messages=[], stop_reason="Timeout of 3 seconds reached")),
        ("cancelled", Ns(messages=[], stop_reason="External termination requested")),
        ("budget_exhausted", Ns(messages=[], stop_reason="Token usage limit reached, total token count: 9")),
        ("suspended", Ns(messages=[], stop_reason="Handoff to user from a detected.")),
        ("length_truncated", Ns(raw={"choices": [{"finish_reason": "length"}]}, response=None)),
        ("completed", {"kind": "task", "status": {"state": "completed"}}),
        ("suspended", {"kind": "task", "status": {"state": "input-required"}}),
        ("refused", {"status": {"state": "TASK_STATE_REJECTED"}}),
        ("error", {"status": {"state": "failed"}}),
        ("auth_failed", {"result": {"status": {"state": "auth-required"}}}),
        (None, {"status": {"state": "working"}}),
        ("odd", {"status": {"state": "odd"}}),
        ("completed", {"type": "RUN_FINISHED"}),
        ("suspended", {"type": "RUN_FINISHED", "outcome": {"type": "interrupt"}}),
        ("completed", {"type": "RUN_FINISHED", "outcome": "success"}),
        ("error", {"type": "RUN_ERROR", "message": "odd"}),
        ("rate_limited", {"type": "RUN_ERROR", "message": "odd", "code": "rate_limit_exceeded"}),
        ("max_steps", {"stopReason": "max_turn_requests"}),
        (
            "auth_failed",
            {"jsonrpc": "2.0", "error": {"code": -32603, "data": {"errorKind": "authentication_failed"}}},
        ),
        ("content_filtered", Ns(finish_reason="content-filter")),
        ("content_filtered", Ns(error_code="SAFETY", finish_reason=None)),
    ],
    ids=range(43),
)
def test_result_of_a_framework_is_read(reason: str | None, result: object) -> None:
    assert _reason(result) == reason
