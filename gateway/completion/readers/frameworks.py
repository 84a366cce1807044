"""The words that agent frameworks and protocols use for how a run ended.

Source: type definitions of the installed releases named in each table, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers.verdict import GOES_ON

__all__ = [
    "A2A",
    "ACP",
    "AGNO",
    "AG_UI",
    "ANY_STATUS",
    "HAYSTACK",
    "PRAISON",
    "PYDANTIC_AI",
    "SMOLAGENTS",
    "STRANDS",
    "VERCEL",
]

# pydantic-ai-slim 2.68.0
PYDANTIC_AI: Mapping[str, str] = {
    "stop": "completed",
    "length": "length_truncated",
    "content_filter": "content_filtered",
    "tool_call": GOES_ON,
    "error": "provider_error",
}

# haystack-ai 3.4.1; any other word is the name of the tool whose call was the exit condition
HAYSTACK: Mapping[str, str] = {
    "text": "completed",
    "length": "length_truncated",
    "content_filter": "content_filtered",
    "max_agent_steps": "max_steps",
}

# smolagents 1.26.0
SMOLAGENTS: Mapping[str, str] = {"success": "completed", "max_steps_error": "max_steps"}

# praisonaiagents 1.7.17
PRAISON: Mapping[str, str] = {
    "completed": "completed",
    "max_steps": "max_steps",
    "content_filtered": "content_filtered",
    "refused": "refused",
    "length_truncated": "length_truncated",
    "error": "error",
    "cancelled": "cancelled",
}

# agent-client-protocol 0.12.1, schema 1.19.0
ACP: Mapping[str, str] = {
    "end_turn": "completed",
    "max_tokens": "length_truncated",
    "max_turn_requests": "max_steps",
    "refusal": "refused",
    "cancelled": "cancelled",
}

# strands-agents 1.62.0
STRANDS: Mapping[str, str] = {
    "end_turn": "completed",
    "stop_sequence": "completed",
    "tool_use": GOES_ON,
    "max_tokens": "length_truncated",
    "limit_turns": "max_steps",
    "limit_output_tokens": "budget_exhausted",
    "limit_total_tokens": "budget_exhausted",
    "content_filtered": "content_filtered",
    "guardrail_intervened": "content_filtered",
    "cancelled": "cancelled",
    "interrupt": "suspended",
    "checkpoint": "suspended",
}

# agno 3.1.10
AGNO: Mapping[str, str] = {
    "PENDING": GOES_ON,
    "RUNNING": GOES_ON,
    "COMPLETED": "completed",
    "PAUSED": "suspended",
    "CANCELLED": "cancelled",
    "ERROR": "error",
}

# a2a-sdk 1.3.0
A2A: Mapping[str, str] = {
    "TASK_STATE_SUBMITTED": GOES_ON,
    "TASK_STATE_WORKING": GOES_ON,
    "TASK_STATE_COMPLETED": "completed",
    "TASK_STATE_FAILED": "error",
    "TASK_STATE_CANCELED": "cancelled",
    "TASK_STATE_INPUT_REQUIRED": "suspended",
    "TASK_STATE_REJECTED": "refused",
    "TASK_STATE_AUTH_REQUIRED": "auth_failed",
}

# ag-ui-protocol 1.0.0
AG_UI: Mapping[str, str] = {
    "success": "completed",
    "interrupt": "suspended",
    "cancelled": "cancelled",
    "RUN_ERROR": "error",
}

# AI SDK of Vercel, its documentation
VERCEL: Mapping[str, str] = {
    "stop": "completed",
    "length": "length_truncated",
    "content-filter": "content_filtered",
    "tool-calls": GOES_ON,
    "error": "provider_error",
}

# what a field named `status` may hold besides, in runs of several frameworks and hosted services
ANY_STATUS: Mapping[str, str] = {
    "succeeded": "completed",
    "canceled": "cancelled",
    "processing": GOES_ON,
    "starting": GOES_ON,
    "working": GOES_ON,
    "submitted": GOES_ON,
    "input-required": "suspended",
    "auth-required": "auth_failed",
    "rejected": "refused",
    "interrupted": "stream_cut",
    "timed_out": "timeout",
}
