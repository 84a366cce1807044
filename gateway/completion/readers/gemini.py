"""The words of Gemini and Vertex AI.

Source: type definitions of `google-genai` 3.6.1, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["BLOCKED", "FINISH", "NUMBERS"]

FINISH: Mapping[str, str] = {
    "STOP": "completed",
    "MAX_TOKENS": "length_truncated",
    "CONTINUATION": "length_truncated",
    "SAFETY": "content_filtered",
    "RECITATION": "content_filtered",
    "LANGUAGE": "content_filtered",
    "BLOCKLIST": "content_filtered",
    "PROHIBITED_CONTENT": "content_filtered",
    "SPII": "content_filtered",
    "MODEL_ARMOR": "content_filtered",
    "ESCALATION": "content_filtered",
    "PUP_LIMITED_DISABLED": "content_filtered",
    "IMAGE_SAFETY": "content_filtered",
    "IMAGE_PROHIBITED_CONTENT": "content_filtered",
    "IMAGE_RECITATION": "content_filtered",
    "IMAGE_OTHER": "provider_error",
    "NO_IMAGE": "provider_error",
    "MALFORMED_FUNCTION_CALL": "provider_error",
    "UNEXPECTED_TOOL_CALL": "provider_error",
    "MALFORMED_RESPONSE": "provider_error",
    "MISSING_THOUGHT_SIGNATURE": "provider_error",
    "TOO_MANY_TOOL_CALLS": "tool_loop_guard",
}

BLOCKED: Mapping[str, str] = {
    "BLOCKED_REASON_UNSPECIFIED": "content_filtered",
    "BLOCK_REASON_UNSPECIFIED": "content_filtered",
    "SAFETY": "content_filtered",
    "OTHER": "content_filtered",
    "BLOCKLIST": "content_filtered",
    "PROHIBITED_CONTENT": "content_filtered",
    "IMAGE_SAFETY": "content_filtered",
    "MODEL_ARMOR": "content_filtered",
    "JAILBREAK": "content_filtered",
}

NUMBERS: Mapping[int, str] = {
    1: "STOP",
    2: "MAX_TOKENS",
    3: "SAFETY",
    4: "RECITATION",
    # 6, 9 and above differ between the two services and stay unknown; 7 and 8 are filters in both.
    7: "BLOCKLIST",
    8: "PROHIBITED_CONTENT",
}
