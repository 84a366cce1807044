"""Anthropic's words.

Source: type definitions of `anthropic` 2.14.0, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers.verdict import GOES_ON

__all__ = ["STOP"]

STOP: Mapping[str, str] = {
    "end_turn": "completed",
    "stop_sequence": "completed",
    "max_tokens": "length_truncated",
    "model_context_window_exceeded": "context_overflow",
    "tool_use": GOES_ON,
    "pause_turn": "suspended",
    "refusal": "refused",
    "compaction": GOES_ON,
}
