"""How a turn ends for each answer of each emulated provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tests.emulators.providers.answers import LONG

__all__ = ["EXPECTED", "LEFT_OUT", "End"]

LEFT_OUT = frozenset({"rest", "hang", "deaf", "slow", "broken_tool", "broken_tools"})
"""Answers with tests of their own."""


@dataclass(frozen=True, slots=True)
class End:
    """What comes of one answer.

    Attributes:
        token: The provider's raw word or code.
        text: What the person sees.
        wait: Seconds that the provider asks for.
        whole: The end where the answer comes in one piece, if it differs.
        streams: Whether it is an answer only in a stream.
    """

    reason: str
    token: str | None = None
    text: str = ""
    wait: float | None = None
    requests: int = 1
    whole: End | None = None
    streams: bool = False


_LOOKED = "Let me look.\n\nFound: value of x"
_LOOKING = "\n\n".join(["Let me look."] * 3)
_CUT = End("stream_cut", text=LONG, whole=End("network_error"))
_CUT_AT_ONCE = End("network_error")


def _said(*, stop: str, length: str, strange: str = "cosmic_rays") -> dict[str, End]:
    """What all providers say alike, each in its words."""
    return {
        "completed": End("completed", stop, "[[completed]]"),
        "length": End("length_truncated", length, LONG),
        "length_empty": End("length_truncated", length),
        "empty": End("empty_response", stop),
        "whitespace": End("empty_response", stop, " \n\t "),
        "thoughts": End("empty_response", stop),
        "strange": End(strange, strange, "One two"),
        "cut": _CUT,
        "cut_at_once": _CUT_AT_ONCE,
        "eof": End("stream_cut", text=LONG),
        "eof_empty": End("stream_cut"),
        "tools": End("max_steps", text=_LOOKING, requests=3),
        "one_tool": End("completed", stop, _LOOKED, requests=2),
        "cut_tool": End("length_truncated", length),
    }


def _faults(tokens: Mapping[str, str]) -> dict[str, End]:
    """The errors before an answer, by name, each with the provider's code."""
    return {name: End(_REASONS[name], token) for name, token in tokens.items()}


_REASONS = {
    "key": "auth_failed",
    "unauthenticated": "auth_failed",
    "forbidden": "auth_failed",
    "expired": "auth_failed",
    "region": "auth_failed",
    "model": "model_not_found",
    "no_model": "model_not_found",
    "not_granted": "model_not_found",
    "context": "context_overflow",
    "large": "context_overflow",
    "flagged": "content_filtered",
    "moderated": "content_filtered",
    "invalid": "invalid_request",
    "server": "provider_error",
    "unavailable": "provider_error",
    "overloaded": "provider_error",
    "not_ready": "provider_error",
    "model_error": "provider_error",
    "slow_server": "timeout",
    "model_timeout": "timeout",
    "rate": "rate_limited",
    "tokens": "rate_limited",
    "quota": "quota_exhausted",
    "billing": "quota_exhausted",
    "credits": "quota_exhausted",
}
_FRAME = End("provider_error", text="One two")

_OPENAI = {
    **_said(stop="stop", length="length"),
    **_faults(
        {
            "quota": "insufficient_quota",
            "key": "invalid_api_key",
            "forbidden": "unsupported_country_region_territory",
            "model": "model_not_found",
            "context": "context_length_exceeded",
            "large": "invalid_request_error",
            "flagged": "invalid_prompt",
            "invalid": "invalid_value",
            "server": "server_error",
            "unavailable": "server_error",
            "overloaded": "overloaded_error",
        }
    ),
    "rate": End("rate_limited", "rate_limit_exceeded", wait=7.0),
    "rate_ms": End("rate_limited", "rate_limit_exceeded", wait=1.5),
    "filter": End("content_filtered", "content_filter"),
    "filter_with_text": End("content_filtered", "content_filter", "One two"),
    "refusal": End("refused", "refusal", "I can't help with that."),
    # in one piece, the library loses the error inside a 200: only that the answer is none is known
    "error_frame": replace(_FRAME, token="server_error", whole=End("provider_error")),
    "rate_frame": End("rate_limited", "rate_limit_exceeded", "One two", whole=End("provider_error")),
}
_WORDS = {"stop": "completed", "length": "max_output_tokens"}
_RESPONSES = {
    **{name: replace(end, token=_WORDS.get(end.token or "", end.token)) for name, end in _OPENAI.items()},
    "error_frame": replace(_FRAME, token="server_error", whole=End("provider_error", "server_error")),
    "rate_frame": End(
        "rate_limited",
        "rate_limit_exceeded",
        "One two",
        whole=End("rate_limited", "rate_limit_exceeded"),
    ),
    "cancelled": End("cancelled", "cancelled", "One two"),
    "cancelled_empty": End("cancelled", "cancelled"),
    "incomplete": End("stream_cut", text=LONG, whole=End("stream_cut", "incomplete", LONG)),
    "failed": End("provider_error", "server_error"),
    "failed_with_text": replace(_FRAME, token="server_error", whole=End("provider_error", "server_error")),
    "failed_rate": End("rate_limited", "rate_limit_exceeded"),
    "failed_policy": End("content_filtered", "bio_policy"),
    "failed_image": End("invalid_request", "invalid_image_format"),
}
_GROQ = {
    **_said(stop="stop", length="length"),
    **_faults(
        {
            "key": "invalid_api_key",
            "forbidden": "permissions_error",
            "model": "model_not_found",
            "context": "context_length_exceeded",
            "large": "rate_limit_exceeded",
            "invalid": "invalid_request_error",
            "server": "internal_server_error",
            "unavailable": "internal_server_error",
            "overloaded": "flex_capacity_exceeded",
        }
    ),
    "cut_at_once": End("stream_cut", whole=_CUT_AT_ONCE),
    "rate": End("rate_limited", "rate_limit_exceeded", wait=7.0),
    "rate_in_words": End("rate_limited", "rate_limit_exceeded", wait=7.66),
    "daily": End("rate_limited", "rate_limit_exceeded", wait=7.0),
    "error_frame": replace(_FRAME, token="internal_server_error", streams=True),
    "tool_use_failed": End(
        "provider_error", "tool_use_failed", whole=End("tool_error", requests=2)
    ),  # in one piece, the library lets the model try once more
}
_MISTRAL = {
    **_said(stop="stop", length="length"),
    **_faults(
        {
            "quota": "payment_required",
            "key": "401",
            "forbidden": "403",
            "model": "invalid_model",
            "context": "3051",
            "large": "413",
            "invalid": "invalid_request_error",
            "server": "internal_server_error",
            "unavailable": "service_unavailable",
        }
    ),
    "cut": End("stream_cut", text=LONG, whole=End("stream_cut")),
    "cut_at_once": End("stream_cut"),
    "model_length": End("length_truncated", "model_length", LONG),
    "error_word": End("provider_error", "error", "One two"),
    "rate": End("rate_limited", "rate_limited", wait=7.0),
    "error_frame": replace(
        _FRAME, token="internal_server_error", whole=End("provider_error", "internal_server_error")
    ),
}
_OLLAMA = {
    **_said(stop="stop", length="length"),
    **_faults(
        {
            "quota": "api_error",
            "rate": "api_error",
            "key": "api_error",
            "forbidden": "api_error",
            "model": "not_found_error",
            "context": "api_error",
            "invalid": "invalid_request_error",
            "server": "api_error",
            "unavailable": "api_error",
        }
    ),
    "load": End("empty_response", "load"),
    "unload": End("empty_response", "unload"),
    "error_frame": replace(_FRAME, token="api_error", whole=End("provider_error")),
}
_OPENROUTER = {
    **_said(stop="stop", length="length"),
    **_faults(
        {
            "quota": "openrouter_credits",
            "key": "401",
            "forbidden": "403",
            "moderated": "403",
            "model": "400",
            "context": "invalid_request_error",
            "large": "413",
            "invalid": "400",
            "server": "500",
            "unavailable": "503",
            "overloaded": "502",
        }
    ),
    "length": End("length_truncated", "MAX_TOKENS", LONG),
    # it documents its words, and the library takes no other: the answer in one piece is lost with it
    "strange": End("provider_error", "cosmic_rays", "One two", whole=End("provider_error")),
    "filter": _OPENAI["filter"],
    "filter_with_text": _OPENAI["filter_with_text"],
    "refusal": _OPENAI["refusal"],
    "native_filter": End("content_filtered", "SAFETY", "One two"),
    "native_window": End("context_overflow", "model_context_window_exceeded", "One two"),
    "error_word": End("provider_error", "error", "One two"),
    "rate": End("rate_limited", "429", wait=7.0),
    "error_frame": replace(_FRAME, token="502", whole=End("provider_error", "502")),
    "rate_frame": End("rate_limited", "429"),
}
_ANTHROPIC = {
    **_said(stop="end_turn", length="max_tokens"),
    **_faults(
        {
            "quota": "invalid_request_error",
            "billing": "billing_error",
            "key": "authentication_error",
            "forbidden": "permission_error",
            "model": "not_found_error",
            "context": "invalid_request_error",
            "large": "request_too_large",
            "invalid": "invalid_request_error",
            "server": "api_error",
            "unavailable": "api_error",
            "slow_server": "timeout_error",
            "overloaded": "overloaded_error",
        }
    ),
    "cut_at_once": End("stream_cut", whole=_CUT_AT_ONCE),
    "stop_sequence": End("completed", "stop_sequence", "One two"),
    "window": End("context_overflow", "model_context_window_exceeded", "One two"),
    "refusal": End("refused", "refusal"),
    "refusal_with_text": End("refused", "refusal", "One two"),
    "refusal_explained": End("refused", "refusal"),
    "pause": End(
        "max_steps",
        text="Looking." * 3,
        requests=3,
        whole=End("max_steps", "pause_turn", "Looking." * 3, requests=3),
    ),
    "pause_once": End("completed", "end_turn", "Looking. Found it.", requests=2),
    "pause_silent": End("max_steps", requests=3, whole=End("max_steps", "pause_turn", requests=3)),
    "rate": End("rate_limited", "rate_limit_error", wait=7.0),
    "error_frame": replace(_FRAME, token="overloaded_error", streams=True),
    "rate_frame": End("rate_limited", "rate_limit_error", streams=True),
}
_GEMINI = {
    **_said(stop="STOP", length="MAX_TOKENS", strange="COSMIC_RAYS"),
    **_faults(
        {
            "credits": "RESOURCE_EXHAUSTED",
            "key": "API_KEY_INVALID",
            "unauthenticated": "UNAUTHENTICATED",
            "forbidden": "PERMISSION_DENIED",
            "region": "FAILED_PRECONDITION",
            "model": "NOT_FOUND",
            "context": "INVALID_ARGUMENT",
            "large": "INVALID_ARGUMENT",
            "invalid": "INVALID_ARGUMENT",
            "server": "INTERNAL",
            "unavailable": "UNAVAILABLE",
            "slow_server": "DEADLINE_EXCEEDED",
        }
    ),
    "cut": End("stream_cut", text=LONG, whole=End("stream_cut")),
    "cut_at_once": End("stream_cut"),
    "filter": End("content_filtered", "SAFETY"),
    "filter_with_text": End("content_filtered", "SAFETY", "One two"),
    "recitation": End("content_filtered", "RECITATION", "One two"),
    "prohibited": End("content_filtered", "PROHIBITED_CONTENT"),
    "language": End("content_filtered", "LANGUAGE"),
    "other": End("OTHER", "OTHER"),
    "malformed": End("provider_error", "MALFORMED_FUNCTION_CALL"),
    "unexpected": End("provider_error", "UNEXPECTED_TOOL_CALL"),
    "too_many": End("tool_loop_guard", "TOO_MANY_TOOL_CALLS", "One two"),
    "blocked": End("content_filtered", "SAFETY"),
    "blocked_other": End("content_filtered", "OTHER"),
    "rate": End("rate_limited", "RESOURCE_EXHAUSTED", wait=7.0),
    "quota": End("quota_exhausted", "RESOURCE_EXHAUSTED", wait=7.0),
    "error_frame": replace(_FRAME, token="UNAVAILABLE", streams=True),
    "rate_frame": End("rate_limited", "RESOURCE_EXHAUSTED", wait=7.0, streams=True),
}
_BEDROCK = {
    **_said(stop="end_turn", length="max_tokens"),
    **_faults(
        {
            "tokens": "ThrottlingException",
            "quota": "ServiceQuotaExceededException",
            "key": "UnrecognizedClientException",
            "forbidden": "AccessDeniedException",
            "not_granted": "AccessDeniedException",
            "expired": "ExpiredTokenException",
            "model": "ValidationException",
            "no_model": "ResourceNotFoundException",
            "context": "ValidationException",
            "large": "RequestEntityTooLargeException",
            "invalid": "ValidationException",
            "server": "InternalServerException",
            "model_error": "ModelErrorException",
            "model_timeout": "ModelTimeoutException",
            "not_ready": "ModelNotReadyException",
            "unavailable": "ServiceUnavailableException",
        }
    ),
    # in one piece, the client reads a cut body as an empty one, and the library wants the word
    "cut": End("stream_cut", text=LONG, whole=End("provider_error")),
    "cut_at_once": End("stream_cut", whole=End("provider_error")),
    "eof": End("stream_cut", text=LONG, whole=End("provider_error")),
    "eof_empty": End("stream_cut", whole=End("provider_error")),
    "stop_sequence": End("completed", "stop_sequence", "One two"),
    "window": End("context_overflow", "model_context_window_exceeded", "One two"),
    "filter": End("content_filtered", "content_filtered"),
    "filter_with_text": End("content_filtered", "content_filtered", "One two"),
    "guardrail": End("content_filtered", "guardrail_intervened", "I cannot talk about that."),
    "malformed": End("provider_error", "malformed_tool_use"),
    "malformed_text": End("provider_error", "malformed_model_output", "One two"),
    "rate": End("rate_limited", "ThrottlingException", wait=7.0),
    "error_frame": replace(_FRAME, token="internalServerException", streams=True),
    "stream_fault": replace(_FRAME, token="modelStreamErrorException", streams=True),
    "busy_frame": End("provider_error", "serviceUnavailableException", streams=True),
    "rate_frame": End("rate_limited", "throttlingException", "One two", streams=True),
    "invalid_frame": End("invalid_request", "validationException", streams=True),
}

EXPECTED: dict[str, dict[str, End]] = {
    "openai-chat": _OPENAI,
    "openai": _RESPONSES,
    "anthropic": _ANTHROPIC,
    "google": _GEMINI,
    "bedrock": _BEDROCK,
    "mistral": _MISTRAL,
    "groq": _GROQ,
    "ollama": _OLLAMA,
    "openrouter": _OPENROUTER,
}
