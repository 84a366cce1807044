"""Errors of hosted models, servers at home and proxies, as they come over the wire, end as the right word."""

from __future__ import annotations

import json

import pytest

from gateway.completion import classify_error, classify_exchange

_PAGE = "<!DOCTYPE html><html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"


def _said(message: str, kind: str | None = None, code: object = None) -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


_HOSTED: list[tuple[str, int | None, object]] = [
    # Azure and GitHub's models
    (
        "rate_limited",
        429,
        _said("Rate limit of 10 per 60s exceeded for UserByMinute.", code="RateLimitReached"),
    ),
    ("quota_exhausted", 429, _said("Rate limit of 50 per 86400s exceeded for it.", code="RateLimitReached")),
    ("auth_failed", 403, _said("Refused by virtual network rules.", code="AccessDenied")),
    # Cohere
    ("rate_limited", 429, {"message": "A trial key is limited to 20 API calls / minute."}),
    ("quota_exhausted", 429, {"message": "A trial key is limited to 1000 API calls / month."}),
    ("context_overflow", 400, {"message": "too many tokens: size limit exceeded by 9 tokens."}),
    # Mistral
    ("rate_limited", 429, _said("The tier is full.", "service_tier_capacity_exceeded", "3505")),
    # Fireworks
    ("auth_failed", 403, _said("Account a is suspended for abuse.", code="FORBIDDEN")),
    (
        "quota_exhausted",
        412,
        _said(
            "Account a is suspended, maybe for reaching the monthly spending limit.",
            code="PRECONDITION_FAILED",
        ),
    ),
    ("quota_exhausted", 412, _said("Account a is suspended until past invoices are paid.")),
    # Groq: a day that rolls on, with a wait of minutes
    (
        "rate_limited",
        429,
        _said("On requests per day (RPD): Limit 9, Used 9, Requested 1.", "requests", "rate_limit_exceeded"),
    ),
    # Cerebras
    ("rate_limited", 429, {"message": "Tokens per minute limit exceeded.", "code": "token_quota_exceeded"}),
    ("rate_limited", 429, {"message": "Too fast.", "code": "request_quota_exceeded"}),
    ("quota_exhausted", 429, {"message": "Tokens per day limit exceeded.", "code": "token_quota_exceeded"}),
    ("provider_error", 429, {"message": "Traffic is high.", "param": "queue", "code": "queue_exceeded"}),
    # Moonshot
    ("model_not_found", 404, _said("Not found the model k or Permission denied", "resource_not_found_error")),
    ("rate_limited", 429, _said("Max request: 3, again after 1 second.", "rate_limit_reached_error")),
]


@pytest.mark.parametrize(("word", "status", "body"), _HOSTED)
def test_error_of_a_hosted_model_means(word: str, status: int | None, body: object) -> None:
    assert classify_error(status=status, body=body).reason == word


_AT_HOME: list[tuple[str, int, object]] = [
    # Text Generation Inference
    (
        "context_overflow",
        422,
        {"error": "`inputs` must have less than 9 tokens. Given: 12", "error_type": "validation"},
    ),
    ("provider_error", 424, {"error": "Request failed during generation", "error_type": "generation"}),
    # llama.cpp
    ("invalid_request", 501, _said("Start it with `--embeddings`", "not_supported_error", 501)),
    # LM Studio
    (
        "context_overflow",
        400,
        {"error": "Trying to keep the first 9 tokens when context the overflows, with a length of only 8."},
    ),
    # Ollama
    ("quota_exhausted", 429, {"error": "you (somebody) have reached your hourly usage limit"}),
    ("provider_error", 500, {"error": "model requires more system memory (8 GiB) than is available (5 GiB)"}),
]


@pytest.mark.parametrize(("word", "status", "body"), _AT_HOME)
def test_error_of_a_server_at_home_means(word: str, status: int, body: object) -> None:
    assert classify_error(status=status, body=body).reason == word


_PROXIES: list[tuple[str, int, object]] = [
    # LiteLLM: the class and the answer of whom it asked are in the message
    ("context_overflow", 400, _said("litellm.ContextWindowExceededError: too much", "None", "400")),
    ("rate_limited", 500, _said("litellm.RateLimitError: AzureException - x", "None", "500")),
    (
        "quota_exhausted",
        429,
        _said("litellm.RateLimitError: x - Error code: 429 - {'error': {'code': 'insufficient_quota'}}"),
    ),
    ("content_filtered", 400, _said("{'error': 'Violated guardrail policy', 'answer': 'Sorry.'}")),
    ("model_not_found", 401, _said("This key is for others.", "key_model_access_denied", "401")),
    # Cloudflare's gateway
    (
        "content_filtered",
        424,
        {"error": [{"code": 2016, "message": "Prompt blocked due to security configurations"}]},
    ),
    (
        "content_filtered",
        424,
        {"error": [{"code": 2017, "message": "Response blocked due to security rules"}]},
    ),
    ("rate_limited", 429, {"success": False, "error": [{"code": 2003, "message": "Rate limited"}]}),
]


@pytest.mark.parametrize(("word", "status", "body"), _PROXIES)
def test_error_of_a_proxy_means(word: str, status: int, body: object) -> None:
    assert classify_error(status=status, body=body).reason == word
    assert classify_error(status=status, body=json.dumps(body).encode()).reason == word


@pytest.mark.parametrize(
    "message",
    [
        "Cannot read litellm.RateLimitError: {'code': 'insufficient_quota'} as a name",
        "{'role': 'user', 'code': 'insufficient_quota'} is not valid under any of the schemas - 'x.0'",
    ],
)
def test_words_of_a_person_in_the_message_of_a_proxy_say_nothing(message: str) -> None:
    """What a person wrote is no code of a provider, though the message has the look of one."""
    assert classify_error(status=400, body=_said(message)).reason == "invalid_request"


@pytest.mark.parametrize(
    ("word", "title"),
    [
        ("timeout", "api.example.com | 524: A timeout occurred"),
        ("provider_error", "api.example.com | 520: Web server is returning an unknown error"),
        ("provider_error", "502 Bad Gateway"),
        ("timeout", "504 Gateway Time-out"),
        ("rate_limited", "429 Too Many Requests"),
        ("context_overflow", "413 Request Entity Too Large"),
        (None, "The 500 best gardens"),
    ],
)
def test_page_of_a_proxy_means_the_status_in_its_title(word: str | None, title: str) -> None:
    found = classify_exchange({"body": _PAGE.format(title)})

    assert (found.reason if found else None) == word
