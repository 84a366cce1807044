"""Narrow phrases of providers are read last, and nothing that a person wrote."""

from __future__ import annotations

import pytest

from gateway.completion import classify_error

_SAID = [
    ("content_filtered", 400, "Your request was rejected as a result of our safety system."),
    ("content_filtered", 400, "The prompt was flagged as violating our policies."),
    ("content_filtered", 500, "The response was blocked by the content safety guardrail."),
    ("quota_exhausted", 400, "Your account balance is insufficient, please top up."),
    ("quota_exhausted", 429, "You have exceeded your monthly included credits."),
    ("quota_exhausted", 400, "Not enough credits."),
    ("quota_exhausted", 403, "Insufficient funds on account."),
    ("quota_exhausted", 429, "您的账户余额不足"),
    (
        "context_overflow",
        400,
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens.",
    ),
    (
        "context_overflow",
        400,
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    ),
    ("context_overflow", 400, "Prompt tokens exceed the limit of 4096."),
    ("context_overflow", 500, "the request exceeds the available context size, try increasing it"),
    ("context_overflow", 400, "Input token length too large: the context window is 32768."),
    (
        "context_overflow",
        400,
        "Requested token count exceeds the model's maximum context length of 131072 tokens.",
    ),
    (
        "context_overflow",
        422,
        "too many tokens: total number of tokens in the prompt exceeds the limit of 4081.",
    ),
    ("model_not_found", 400, "The model `gpt-x` has been deprecated."),
    ("model_not_found", 404, "model 'nope' not found, try pulling it first"),
    ("model_not_found", 400, "Invalid model: foo-1"),
    ("model_not_found", 400, "Model foo-1 is not supported"),
    ("model_not_found", 400, "foo-1 is not a valid model ID"),
    ("auth_failed", 400, "API key expired. Please renew the API key."),
    ("auth_failed", 400, "Invalid API key"),
    ("auth_failed", 403, "Your account has been suspended."),
    ("auth_failed", 400, "User location is not supported for the API use."),
    ("rate_limited", 400, "Too many requests, please slow down."),
    ("rate_limited", 500, "litellm.RateLimitError: Rate limit reached"),
    ("provider_error", 400, "The service is temporarily unavailable"),
    ("timeout", 500, "The request timed out."),
    (
        "length_truncated",
        400,
        "Could not finish the message because max_tokens or model output limit was reached.",
    ),
    ("invalid_request", 400, "max_tokens must be at least 1"),
    ("invalid_request", 400, "temperature must be between 0 and 2"),
]


@pytest.mark.parametrize(("reason", "status", "message"), _SAID)
def test_error_is_read_from_a_narrow_phrase_last(reason: str, status: int, message: str) -> None:
    assert classify_error(status=status, body={"error": {"message": message}}).reason == reason
    assert classify_error(status=status, body={"error": message}).reason == reason
    assert classify_error(status=status, body=message).reason == reason


@pytest.mark.parametrize(
    "message",
    [
        "Invalid value 'rate limit exceeded, insufficient credits' for field text",
        'The file "prompt is too long.txt" could not be parsed',
        "Cannot open /data/model-not-found/rate-limit.pdf",
        "Cannot decode insufficient_quota.png",
        "Unknown field `content management policy`",
        "See https://example.org/rate-limit-exceeded/invalid-api-key",
    ],
)
def test_phrase_in_a_quotation_path_or_file_name_says_nothing(message: str) -> None:
    """What a person wrote reaches a provider's message in quotes or as a name."""
    assert classify_error(status=400, body={"error": {"message": message}}).reason == "invalid_request"


@pytest.mark.parametrize(
    "name", ["input", "prompt", "failed_generation", "param", "messages", "flagged_input", "loc"]
)
def test_field_that_echoes_the_request_is_never_read(name: str) -> None:
    body = {"error": {"message": "Bad.", name: "insufficient_quota: rate limit, content management policy"}}

    assert classify_error(status=400, body=body).reason == "invalid_request"
