"""What the servers of chat completions answer, by name: every way one of them ends.

The bodies of errors have the shapes that each provider was seen to send or documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.emulators.providers.answers import LONG, SECRET, Answer

__all__ = [
    "GROQ_ANSWERS",
    "MISTRAL_ANSWERS",
    "OLLAMA_ANSWERS",
    "OPENAI_ANSWERS",
    "OPENROUTER_ANSWERS",
]

_WAIT = {"Retry-After": "7"}
_LOOKUP = ("lookup", '{"key": "x"}')

_SAID: dict[str, Answer] = {
    "completed": Answer(),
    "length": Answer(LONG, token="length"),
    "length_empty": Answer("", token="length"),
    "rest": Answer("eleven twelve."),
    "empty": Answer(""),
    "whitespace": Answer(" \n\t "),
    "thoughts": Answer("", thoughts="The person wants something."),
    "strange": Answer("One two", token="cosmic_rays"),
    "cut": Answer(LONG, token=None, cut=True),
    "cut_at_once": Answer("", token=None, cut=True),
    "eof": Answer(LONG, token=None),
    "eof_empty": Answer("", token=None),
    "hang": Answer("One two", hang="after"),
    "deaf": Answer(hang="before"),
    "slow": Answer(LONG, pace=0.05),
    "tools": Answer("Let me look.", call=_LOOKUP, token="tool_calls"),
    "one_tool": Answer("Let me look.", call=_LOOKUP, rounds=1, token="tool_calls"),
    "broken_tool": Answer("", call=("fail", "{}"), rounds=1, token="tool_calls"),
    "broken_tools": Answer("", call=("fail", "{}"), token="tool_calls"),
    "cut_tool": Answer("", call=("lookup", '{"key": "x'), token="length"),
}
_BLOCKED: dict[str, Answer] = {
    "filter": Answer("", token="content_filter"),
    "filter_with_text": Answer("One two", token="content_filter"),
    "refusal": Answer("", refusal="I can't help with that."),
}


def _openai(
    status: int, *, code: str | None, kind: str, headers: Mapping[str, str] | None = None, says: str = "No."
) -> Answer:
    error = {"message": f"{says} ({SECRET})", "type": kind, "param": None, "code": code}
    return Answer(status=status, error=error, headers=headers or {})


_INVALID = "invalid_request_error"
OPENAI_ANSWERS: dict[str, Answer] = {
    **_SAID,
    **_BLOCKED,
    "rate": _openai(429, code="rate_limit_exceeded", kind="requests", headers=_WAIT),
    "rate_ms": _openai(429, code="rate_limit_exceeded", kind="requests", headers={"retry-after-ms": "1500"}),
    "quota": _openai(429, code="insufficient_quota", kind="insufficient_quota"),
    "key": _openai(401, code="invalid_api_key", kind=_INVALID),
    "forbidden": _openai(403, code="unsupported_country_region_territory", kind="request_forbidden"),
    "model": _openai(404, code="model_not_found", kind=_INVALID),
    "context": _openai(
        400,
        code="context_length_exceeded",
        kind=_INVALID,
        says="This model's maximum context length is 128000 tokens.",
    ),
    "large": _openai(413, code=None, kind=_INVALID, says="Request Entity Too Large"),
    "flagged": _openai(400, code="invalid_prompt", kind=_INVALID, says="Your prompt was flagged."),
    "invalid": _openai(400, code="invalid_value", kind=_INVALID),
    "server": _openai(500, code=None, kind="server_error"),
    "unavailable": _openai(503, code=None, kind="server_error", says="The engine is currently overloaded"),
    "overloaded": _openai(529, code=None, kind="overloaded_error", says="Overloaded"),
    "error_frame": Answer(
        "One two",
        token=None,
        error={"message": f"The server had an error ({SECRET})", "type": "server_error", "code": None},
    ),
    "rate_frame": Answer(
        "One two",
        token=None,
        error={"message": f"Slow down ({SECRET})", "type": "requests", "code": "rate_limit_exceeded"},
    ),
}
"""Each is asked for by its name in double brackets, as in `[[length]]`."""


def _groq(
    status: int, *, code: str | None, kind: str, says: str, headers: Mapping[str, str] | None = None
) -> Answer:
    error = {"message": f"{says} ({SECRET})", "type": kind} | ({"code": code} if code else {})
    return Answer(status=status, error=error, headers=headers or {})


GROQ_ANSWERS: dict[str, Answer] = {
    **_SAID,
    "rate": _groq(
        429,
        code="rate_limit_exceeded",
        kind="tokens",
        says="Rate limit reached for model `small` on tokens per minute (TPM): Limit 6000, Used 5990.",
        headers=_WAIT,
    ),
    "rate_in_words": _groq(
        429,
        code="rate_limit_exceeded",
        kind="requests",
        says="Rate limit reached. Please try again in 7.66s.",
    ),
    "daily": _groq(
        429,
        code="rate_limit_exceeded",
        kind="tokens",
        says="Rate limit reached for model `small` on tokens per day (TPD): Limit 500000, Used 499000.",
        headers=_WAIT,
    ),
    "key": _groq(401, code="invalid_api_key", kind=_INVALID, says="Invalid API Key"),
    "forbidden": _groq(403, code="permissions_error", kind="permissions_error", says="Not permitted."),
    "model": _groq(404, code="model_not_found", kind=_INVALID, says="The model `small` does not exist"),
    "context": _groq(
        400,
        code="context_length_exceeded",
        kind=_INVALID,
        says="Please reduce the length of the messages or completion.",
    ),
    "large": _groq(
        413,
        code="rate_limit_exceeded",
        kind="tokens",
        says="Request too large for model `small` on tokens per minute (TPM): Limit 6000, Requested 14368",
    ),
    "invalid": _groq(400, code=None, kind=_INVALID, says="'temperature' : number must be at most 2"),
    "server": _groq(500, code=None, kind="internal_server_error", says="Internal Server Error"),
    "unavailable": _groq(503, code=None, kind="internal_server_error", says="Service Unavailable"),
    "overloaded": _groq(498, code=None, kind="flex_capacity_exceeded", says="Flex tier capacity exceeded"),
    "error_frame": Answer(
        "One two",
        token=None,
        error={
            "message": f"Internal error ({SECRET})",
            "type": "internal_server_error",
            "status_code": 500,
        },
    ),
    "tool_use_failed": Answer(
        status=400,
        error={
            "message": f"Failed to call a function. ({SECRET})",
            "type": _INVALID,
            "code": "tool_use_failed",
            "failed_generation": '{"name": "lookup", "arguments": {"wrong": "x"}}',
        },
    ),
}


def _mistral(
    status: int, *, code: str | None, kind: str, says: str, headers: Mapping[str, str] | None = None
) -> Answer:
    error = {"object": "error", "message": f"{says} ({SECRET})", "type": kind, "param": None, "code": code}
    return Answer(status=status, error=error, headers=headers or {})


MISTRAL_ANSWERS: dict[str, Answer] = {
    **_SAID,
    "model_length": Answer(LONG, token="model_length"),
    "error_word": Answer("One two", token="error"),
    "rate": _mistral(
        429, code="1300", kind="rate_limited", says="Service tier capacity exceeded.", headers=_WAIT
    ),
    "quota": _mistral(
        402, code=None, kind="payment_required", says="You have exceeded your monthly spend limit."
    ),
    "key": Answer(status=401, error={"message": f"Unauthorized ({SECRET})", "request_id": "r1"}),
    "forbidden": Answer(status=403, error={"message": f"Forbidden ({SECRET})", "request_id": "r1"}),
    "model": _mistral(400, code="1500", kind="invalid_model", says="Invalid model: small"),
    "context": _mistral(
        400,
        code="3051",
        kind="invalid_request_prompt",
        says="Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    ),
    "large": Answer(status=413, error={"message": f"Request size limit exceeded ({SECRET})"}),
    "invalid": _mistral(422, code=None, kind="invalid_request_error", says="Input should be at most 1.5"),
    "server": _mistral(500, code="1000", kind="internal_server_error", says="Internal error"),
    "unavailable": _mistral(503, code="1100", kind="service_unavailable", says="Service unavailable."),
    "error_frame": Answer(
        "One two",
        error={
            "object": "error",
            "message": f"Internal error ({SECRET})",
            "type": "internal_server_error",
            "code": "1000",
        },
    ),
}


def _ollama(status: int, says: str, kind: str = "api_error") -> Answer:
    error = {"message": f"{says} ({SECRET})", "type": kind, "param": None, "code": None}
    return Answer(status=status, error=error)


OLLAMA_ANSWERS: dict[str, Answer] = {
    **_SAID,
    "load": Answer("", token="load"),
    "unload": Answer("", token="unload"),
    "key": _ollama(401, "unauthorized"),
    "forbidden": _ollama(403, "this model requires a subscription"),
    "model": _ollama(404, "model 'small' not found", "not_found_error"),
    "context": _ollama(400, "the prompt is longer than the context length currently available to the model"),
    "rate": _ollama(429, "too many requests"),
    "quota": _ollama(429, "you (ada) have reached your weekly usage limit, upgrade for higher limits"),
    "invalid": _ollama(400, "registry.ollama.ai/library/small:latest does not support tools", _INVALID),
    "server": _ollama(500, "llama runner process has terminated: exit status 2"),
    "unavailable": _ollama(503, "server busy, please try again.  maximum pending requests exceeded"),
    "error_frame": Answer(
        "One two",
        token=None,
        error={
            "message": f"an error was encountered while running the model: {SECRET}",
            "type": "api_error",
            "param": None,
            "code": None,
        },
    ),
}


def _openrouter(
    status: int, says: str, *, headers: Mapping[str, str] | None = None, **metadata: Any
) -> Answer:
    error: dict[str, Any] = {"message": f"{says} ({SECRET})", "code": status}
    return Answer(
        status=status, error=error | ({"metadata": metadata} if metadata else {}), headers=headers or {}
    )


_UPSTREAM = "Provider returned error"
OPENROUTER_ANSWERS: dict[str, Answer] = {
    **_SAID,
    **_BLOCKED,
    "completed": Answer(extra={"native_finish_reason": "stop"}),
    "length": Answer(LONG, token="length", extra={"native_finish_reason": "MAX_TOKENS"}),
    "native_filter": Answer("One two", extra={"native_finish_reason": "SAFETY"}),
    "native_window": Answer(
        "One two", token="length", extra={"native_finish_reason": "model_context_window_exceeded"}
    ),
    "error_word": Answer("One two", token="error", extra={"native_finish_reason": "error"}),
    "rate": _openrouter(
        429,
        _UPSTREAM,
        headers=_WAIT,
        raw="small is temporarily rate-limited upstream. Please retry shortly",
        provider_name="BaseTen",
    ),
    "quota": _openrouter(402, "Insufficient credits", limit_source="openrouter_credits"),
    "key": _openrouter(401, "User not found."),
    "forbidden": _openrouter(403, "The request is not available in your region"),
    "moderated": _openrouter(
        403,
        "Your input was flagged",
        reasons=["violence"],
        flagged_input="a text",
        provider_name="OpenAI",
        model_slug="maker/small",
    ),
    "model": _openrouter(400, "maker/small is not a valid model ID"),
    "context": _openrouter(
        400,
        _UPSTREAM,
        raw='{"type":"error","error":{"type":"invalid_request_error",'
        '"message":"prompt is too long: 254245 tokens > 200000 maximum"}}',
        provider_name="Anthropic",
    ),
    "large": _openrouter(413, "Request Entity Too Large"),
    "invalid": _openrouter(400, "Input required: specify 'prompt' or 'messages'"),
    "server": _openrouter(500, "Internal Server Error"),
    "unavailable": _openrouter(503, "There is no available model provider that meets your requirements"),
    "overloaded": _openrouter(502, _UPSTREAM, raw="Overloaded", provider_name="Anthropic"),
    "error_frame": Answer("One two", error={"code": 502, "message": f"Provider disconnected ({SECRET})"}),
    "rate_frame": Answer("", error={"code": 429, "message": f"Rate limit exceeded ({SECRET})"}),
}
