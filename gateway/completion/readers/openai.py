"""OpenAI's words: chat, completions, Responses, Realtime, Assistants.

Source: type definitions of `openai` 3.57.0, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers.verdict import GOES_ON

__all__ = ["DETAILS", "ERRORS", "FINISH", "STATUS"]

FINISH: Mapping[str, str] = {
    "stop": "completed",
    "length": "length_truncated",
    "tool_calls": GOES_ON,
    "function_call": GOES_ON,
    "content_filter": "content_filtered",
}

STATUS: Mapping[str, str] = {
    "completed": "completed",
    "incomplete": "stream_cut",
    "failed": "provider_error",
    "cancelled": "cancelled",
    "cancelling": GOES_ON,
    "in_progress": GOES_ON,
    "queued": GOES_ON,
    "requires_action": GOES_ON,
    "expired": "timeout",
}

DETAILS: Mapping[str, str] = {
    "max_output_tokens": "length_truncated",
    "max_tokens": "length_truncated",
    "max_completion_tokens": "length_truncated",
    "max_prompt_tokens": "context_overflow",
    "content_filter": "content_filtered",
    "max_messages": "max_steps",
    "steered": "suspended",
    "turn_detected": "cancelled",
    "client_cancelled": "cancelled",
    "run_cancelled": "cancelled",
    "run_expired": "timeout",
    "run_failed": "provider_error",
}

ERRORS: Mapping[str, str] = {
    "server_error": "provider_error",
    "rate_limit_exceeded": "rate_limited",
    "invalid_prompt": "content_filtered",
    "bio_policy": "content_filtered",
    "misalignment_policy_violation": "content_filtered",
    "image_content_policy_violation": "content_filtered",
    "data_residency_mismatch": "invalid_request",
    "vector_store_timeout": "timeout",
    "invalid_image": "invalid_request",
    "invalid_image_format": "invalid_request",
    "invalid_base64_image": "invalid_request",
    "invalid_image_url": "invalid_request",
    "image_too_large": "invalid_request",
    "image_too_small": "invalid_request",
    "image_parse_error": "invalid_request",
    "invalid_image_mode": "invalid_request",
    "image_file_too_large": "invalid_request",
    "unsupported_image_media_type": "invalid_request",
    "empty_image_file": "invalid_request",
    "failed_to_download_image": "invalid_request",
    "image_file_not_found": "invalid_request",
}
