"""The words of Mistral, Cohere, Ollama and xAI.

Source: type definitions of `mistralai` 3.7.0, `cohere` 7.3.1, `ollama` 0.6.3 (values from its server) and
`xai-sdk` 1.21.0, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers.verdict import GOES_ON

__all__ = ["COHERE", "MISTRAL", "OLLAMA", "XAI"]

MISTRAL: Mapping[str, str] = {
    "stop": "completed",
    "length": "length_truncated",
    "model_length": "length_truncated",
    "error": "provider_error",
    "tool_calls": GOES_ON,
}

COHERE: Mapping[str, str] = {
    "COMPLETE": "completed",
    "STOP_SEQUENCE": "completed",
    "MAX_TOKENS": "length_truncated",
    "TOOL_CALL": GOES_ON,
    "ERROR": "provider_error",
    "ERROR_TOXIC": "content_filtered",
    "ERROR_LIMIT": "context_overflow",
    "USER_CANCEL": "cancelled",
    "TIMEOUT": "timeout",
}

OLLAMA: Mapping[str, str] = {
    "stop": "completed",
    "length": "length_truncated",
    "load": "empty_response",
    "unload": "empty_response",
}

XAI: Mapping[str, str] = {
    "REASON_STOP": "completed",
    "REASON_MAX_LEN": "length_truncated",
    "REASON_MAX_CONTEXT": "context_overflow",
    "REASON_TOOL_CALLS": GOES_ON,
    "REASON_TIME_LIMIT": "timeout",
}
