"""How a run of the built-in agent ended, where the run itself knows."""

from __future__ import annotations

from dataclasses import replace

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelConnectionError,
    ModelTimeoutError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from gateway.completion import classify_response
from gateway.completion.model import TurnCompletion
from gateway_agents.builtin.tools import Stopped

__all__ = ["after_answer", "after_failure", "refusal_in"]

_BROKEN_OFF = TurnCompletion("stream_cut", site="agent.stream", source="metadata")
_WORDS = ("finish_reason", "refusal", "block_reason")  # where pydantic-ai keeps what the provider said


def after_answer(response: ModelResponse | None, *, verifies: bool) -> TurnCompletion:
    """The ending of a run that returned; only its last message of the model counts."""
    if response is None:
        return _said("empty_response", None)
    details = _details(response)
    if verifies and not any(details.get(word) for word in _WORDS):
        return _BROKEN_OFF
    completion = classify_response(response) or _said("completed", response)
    completion = replace(completion, token=_token(response) or completion.token)
    if completion.reason == "suspended":  # the model would go on by itself, had the turn a step left
        return replace(_decided("max_steps", "agent.step_budget"), token=completion.token)
    if completion.truncated or any(
        part.content.strip() for part in response.parts if isinstance(part, TextPart)
    ):
        return completion
    return replace(completion, reason="empty_response", site="provider.response", source="metadata")


def after_failure(
    problem: AgentRunError | Stopped, response: ModelResponse | None, *, begun: bool
) -> TurnCompletion | None:
    """The ending of a run that raised, where the run itself knows it; `None` when only the exception does.

    Args:
        problem: What was raised.
        response: The last message of the model, finished or not.
        begun: Whether the person sees any of the answer.
    """
    match problem:
        case Stopped():
            return problem.completion
        case UsageLimitExceeded():
            return _decided("max_steps", "agent.step_budget")
        case ContentFilterError():
            return _after_filter(response)
        case OutputTokenLimitExceeded():
            return _said("length_truncated", response)
        case ModelConnectionError() if begun and not isinstance(problem, ModelTimeoutError):
            return _BROKEN_OFF
        case UnexpectedModelBehavior():
            silent = problem.__cause__ is None and response is not None and not response.parts
            return _BROKEN_OFF if silent else _after_confusion(response)
        case _:
            return None


def _after_filter(response: ModelResponse | None) -> TurnCompletion:
    found = classify_response(response) if response is not None else None
    if found is None or not found.truncated:
        return _said("content_filtered", response)
    return replace(found, token=_token(response) or found.token)


def _after_confusion(response: ModelResponse | None) -> TurnCompletion | None:
    """The model never got a tool call right."""
    called = response is not None and any(isinstance(part, ToolCallPart) for part in response.parts)
    return _decided("tool_error", "agent.tool") if called else None


def _decided(reason: str, site: str) -> TurnCompletion:
    return TurnCompletion(reason, site=site, source="control")


def _said(reason: str, response: ModelResponse | None) -> TurnCompletion:
    return TurnCompletion(reason, site="provider.response", source="metadata", token=_token(response))


def refusal_in(response: ModelResponse | None) -> str:
    """The model's own words of refusal, which are for the person; empty for none."""
    details = _details(response)
    text = details.get("refusal")
    explained = details.get("finish_reason") == "refusal"  # then the provider explains, not the model
    return text if isinstance(text, str) and not explained else ""


def _token(response: ModelResponse | None) -> str | None:
    """The provider's raw word."""
    details = _details(response)
    words = (details.get(name) for name in ("finish_reason", "block_reason"))
    return next((word for word in words if isinstance(word, str)), None)


def _details(response: ModelResponse | None) -> dict[str, object]:
    return dict[str, object]((response.provider_details if response is not None else None) or {})
