"""The words of Amazon Bedrock: Converse, and the bodies of the models it invokes.

Source: the service model of `botocore` 1.44.8, read 2026-11-30; Titan's words from the
model's parameter page.
"""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers.verdict import GOES_ON

__all__ = ["STOP", "TITAN"]

STOP: Mapping[str, str] = {
    "end_turn": "completed",
    "stop_sequence": "completed",
    "tool_use": GOES_ON,
    "max_tokens": "length_truncated",
    "guardrail_intervened": "content_filtered",
    "content_filtered": "content_filtered",
    "malformed_model_output": "provider_error",
    "malformed_tool_use": "provider_error",
    "model_context_window_exceeded": "context_overflow",
}

TITAN: Mapping[str, str] = {
    "FINISH": "completed",
    "FINISHED": "completed",
    "LENGTH": "length_truncated",
    "STOP_CRITERIA_MET": "completed",
    "CONTENT_FILTERED": "content_filtered",
    "RAG_QUERY_WHEN_RAG_DISABLED": "invalid_request",
}
