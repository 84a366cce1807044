"""How a run of the built-in agent ended, where the run itself knows."""

from __future__ import annotations

from dataclasses import replace

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from gateway.completion import classify_response
from gateway.completion.model import TurnCompletion

__all__ = ["after_answer", "after_failure", "after_filter", "after_limit", "refusal_in", "stopped_at"]

_WORDS = ("finish_reason", "refusal", "block_reason")  # where pydantic-ai keeps what the provider said


def stopped_at(reason: str, site: str) -> TurnCompletion:
    """An ending that the agent decided by itself."""
    return TurnCompletion(reason, site=f"agent.{site}", source="control")


def after_answer(response: ModelResponse | None, *, verifies: bool) -> TurnCompletion:
    """The ending of a run that returned; only its last message of the model counts."""
    if response is None:
        return TurnCompletion("empty_response", site="provider.response", source="metadata")
    said = _details(response)
    if verifies and not any(said.get(word) for word in _WORDS):
        return TurnCompletion("stream_cut", site="agent.stream", source="metadata")
    completion = classify_response(response) or TurnCompletion(
        site="provider.response", source="metadata", token=token_in(response)
    )
    if completion.truncated or any(
        part.content.strip() for part in response.parts if isinstance(part, TextPart)
    ):
        return completion
    return replace(completion, reason="empty_response", site="provider.response", source="metadata")


def after_filter(response: ModelResponse | None) -> TurnCompletion:
    """The ending of an answer that was filtered before a word of it came."""
    completion = classify_response(response) if response is not None else None
    if completion is not None and completion.truncated:
        return completion
    return TurnCompletion(
        "content_filtered", site="provider.response", source="metadata", token=token_in(response)
    )


def after_limit(response: ModelResponse | None) -> TurnCompletion:
    """The ending of an answer that reached the output limit, inside a tool call too."""
    return TurnCompletion(
        "length_truncated", site="provider.response", source="metadata", token=token_in(response)
    )


def after_failure(response: ModelResponse | None) -> TurnCompletion | None:
    """The ending of a run that could not go on; `None` when only its exception knows."""
    if response is None:
        return None
    if response.state == "suspended":
        return replace(stopped_at("max_steps", "step_budget"), token=token_in(response))
    if any(isinstance(part, ToolCallPart) for part in response.parts):
        return stopped_at("tool_error", "tool")
    return None


def refusal_in(response: ModelResponse | None) -> str:
    """The model's own words of refusal, which are for the person; empty for none."""
    text = _details(response).get("refusal")
    return text if isinstance(text, str) else ""


def token_in(response: ModelResponse | None) -> str | None:
    """The provider's raw word."""
    word = _details(response).get("finish_reason")
    return word if isinstance(word, str) else None


def _details(response: ModelResponse | None) -> dict[str, object]:
    return dict[str, object]((response.provider_details if response is not None else None) or {})
