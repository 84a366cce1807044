"""HTTP errors of many providers end as the right word."""

from __future__ import annotations

import json

import pytest

from gateway.completion import classify_error

_NGINX = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center>nginx</body></html>"


def _openai(message: str = "", code: object = None, kind: str | None = None) -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _anthropic(kind: str, message: str = "x", **more: object) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message, **more}}


def _google(code: int, status: str, message: str = "x", *details: dict[str, object]) -> dict[str, object]:
    return {"error": {"code": code, "status": status, "message": message, "details": list(details)}}


def _violation(quota: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}


def _info(reason: str) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}


def _upstream(raw: object, code: int = 400) -> dict[str, object]:
    return {"error": {"message": "Provider returned error", "code": code, "metadata": {"raw": raw}}}


_STRUCTURED: list[tuple[str, int | None, object]] = [
    ("quota_exhausted", 429, _openai("You exceeded your quota.", "insufficient_quota", "insufficient_quota")),
    ("quota_exhausted", 429, _openai("Hard limit.", "billing_hard_limit_reached")),
    (
        "rate_limited",
        429,
        _openai("Rate limit: Limit 200, Used 199, Requested 2.", "rate_limit_exceeded", "tokens"),
    ),
    ("rate_limited", 429, _openai("Slow down.", None, "requests")),
    (
        "context_overflow",
        429,
        _openai("On tokens per min (TPM): Limit 1000, Requested 2000.", None, "tokens"),
    ),
    ("context_overflow", 400, _openai("Too much.", "string_above_max_length")),
    (
        "model_not_found",
        404,
        _openai("The model does not exist or you do not have access to it.", "model_not_found"),
    ),
    ("model_not_found", 403, _openai("Project has no access to model.", "model_not_found")),
    ("model_not_found", 404, _openai("Gone.", "DeploymentNotFound")),
    ("auth_failed", 401, _openai("You didn't provide an API key.", None, "invalid_request_error")),
    ("auth_failed", 403, _openai("Not here.", "unsupported_country_region_territory", "request_forbidden")),
    ("content_filtered", 400, _openai("No.", "content_policy_violation")),
    ("content_filtered", 400, _openai("No.", "moderation_blocked", "image_generation_user_error")),
    ("invalid_request", 404, _openai("Not found.", "previous_response_not_found")),
    ("invalid_request", 400, _openai("Bad schema.", "invalid_function_parameters")),
    ("provider_error", 500, _openai("The server had an error.", None, "server_error")),
    ("provider_error", 503, _openai("Engine is overloaded.", None, "engine_overloaded_error")),
    ("provider_error", 429, _openai("Busy.", None, "engine_overloaded_error")),
    ("quota_exhausted", 429, _openai("Suspended.", None, "exceeded_current_quota_error")),
    ("timeout", 408, _openai("Late.", None, "timeout")),
    ("auth_failed", 401, {"statusCode": 401, "message": "Access denied due to invalid subscription key."}),
    (
        "content_filtered",
        400,
        {"error": {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
    ),
    ("provider_error", 529, _anthropic("overloaded_error")),
    ("quota_exhausted", 403, _anthropic("billing_error")),
    ("context_overflow", 413, _anthropic("request_too_large")),
    ("model_not_found", 404, _anthropic("not_found_error", "model: claude-none")),
    (
        "content_filtered",
        400,
        _anthropic("invalid_request_error", "Output blocked by content filtering policy"),
    ),
    ("rate_limited", 429, _anthropic("rate_limit_error", "Number of requests has exceeded your rate limit")),
    (
        "context_overflow",
        400,
        _anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3"),
    ),
    ("auth_failed", 403, _anthropic("permission_error", "This organization has been disabled.")),
    (
        "invalid_request",
        400,
        _anthropic(
            "invalid_request_error", "messages.1: `tool_use` ids were found without `tool_result` blocks"
        ),
    ),
    ("provider_error", 409, _anthropic("conflict_error")),
    (
        "rate_limited",
        429,
        _google(
            429,
            "RESOURCE_EXHAUSTED",
            "You exceeded your current quota, please check your plan and billing details.",
            _violation("RequestsPerMinutePerModel"),
        ),
    ),
    (
        "quota_exhausted",
        429,
        _google(
            429,
            "RESOURCE_EXHAUSTED",
            "x",
            _violation("RequestsPerDayPerModel-FreeTier"),
            _violation("RequestsPerMinute"),
        ),
    ),
    (
        "quota_exhausted",
        429,
        _google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: requests, limit: 0"),
    ),
    (
        "rate_limited",
        429,
        _google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
    ),
    ("auth_failed", 401, _google(401, "UNAUTHENTICATED", "x", _info("ACCESS_TOKEN_EXPIRED"))),
    ("auth_failed", 403, _google(403, "PERMISSION_DENIED", "x", _info("SERVICE_DISABLED"))),
    ("quota_exhausted", 403, _google(403, "PERMISSION_DENIED", "x", _info("BILLING_DISABLED"))),
    ("model_not_found", 404, _google(404, "NOT_FOUND", "models/x is not found for API version v1")),
    ("provider_error", 500, _google(500, "INTERNAL")),
    ("provider_error", 503, _google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")),
    ("cancelled", 499, _google(499, "CANCELLED")),
    ("invalid_request", 400, _google(400, "FAILED_PRECONDITION")),
    ("quota_exhausted", 400, _google(400, "FAILED_PRECONDITION", "Please enable billing on your project.")),
    ("rate_limited", 400, {"__type": "com.amazon.coral#ThrottlingException", "message": "x"}),
    ("quota_exhausted", 400, {"__type": "ServiceQuotaExceededException", "message": "x"}),
    (
        "auth_failed",
        403,
        {"__type": "AccessDeniedException", "message": "User is not authorized to perform this"},
    ),
    (
        "model_not_found",
        403,
        {
            "__type": "AccessDeniedException",
            "message": "You don't have access to the model with the specified model ID.",
        },
    ),
    ("auth_failed", 403, {"__type": "ExpiredTokenException", "message": "The security token is expired"}),
    ("timeout", 408, {"__type": "ModelTimeoutException", "message": "x"}),
    ("provider_error", 429, {"__type": "ModelNotReadyException", "message": "x"}),
    ("provider_error", 424, {"__type": "ModelErrorException", "message": "x"}),
    (
        "provider_error",
        503,
        {"__type": "ServiceUnavailableException", "message": "Too many connections, please wait"},
    ),
    ("model_not_found", 404, {"__type": "ResourceNotFoundException", "message": "x"}),
    ("invalid_request", 400, {"__type": "ValidationException", "message": "Malformed input request"}),
    (
        "context_overflow",
        400,
        {"__type": "ValidationException", "message": "Input is too long for requested model."},
    ),
    (
        "model_not_found",
        400,
        {"message": "Invocation of model ID x with on-demand throughput isn’t supported."},
    ),
    ("context_overflow", 400, _upstream('{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}')),
    ("rate_limited", 429, _upstream("x is temporarily rate-limited upstream.", 429)),
    (
        "content_filtered",
        403,
        {
            "error": {
                "code": 403,
                "message": "Your input was flagged",
                "metadata": {"reasons": ["hate"], "flagged_input": "how to"},
            }
        },
    ),
    (
        "quota_exhausted",
        429,
        {
            "error": {
                "code": 429,
                "message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more",
            }
        },
    ),
    ("rate_limited", 429, {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-min."}}),
    (
        "quota_exhausted",
        402,
        {"error": {"code": 402, "message": "This request requires more credits, or fewer max_tokens."}},
    ),
    ("model_not_found", 404, {"error": {"code": 404, "message": "No endpoints found for some/model."}}),
    ("content_filtered", 400, {"error": {"code": "data_inspection_failed", "message": "x"}}),
    ("quota_exhausted", 400, {"code": "Arrearage", "message": "x"}),
    ("quota_exhausted", 403, {"code": "AllocationQuota.FreeTierOnly", "message": "x"}),
    ("rate_limited", 429, {"code": "Throttling.RateQuota", "message": "x"}),
    (
        "context_overflow",
        400,
        {"code": "InvalidParameter", "message": "Range of input length should be [1, 6000]"},
    ),
    ("auth_failed", 401, {"code": "InvalidApiKey", "message": "Invalid API-key provided."}),
    ("model_not_found", 404, {"code": "ModelNotFound", "message": "x"}),
    ("auth_failed", 401, {"error": {"code": "1002", "message": "Authorization Token非法"}}),
    ("model_not_found", 400, {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}),
    ("context_overflow", 400, {"error": {"code": "1261", "message": "Prompt 超长"}}),
    (
        "content_filtered",
        400,
        {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}},
    ),
    ("rate_limited", 429, {"error": {"code": "1302", "message": "x"}}),
    ("quota_exhausted", 200, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}),
    ("content_filtered", 200, {"base_resp": {"status_code": 1027, "status_msg": "output new_sensitive"}}),
    ("rate_limited", 200, {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}),
    ("auth_failed", 200, {"base_resp": {"status_code": 1004, "status_msg": "x"}}),
    ("rate_limited", 200, {"error_code": 18, "error_msg": "Open api qps request limit reached"}),
    ("quota_exhausted", 200, {"error_code": 17, "error_msg": "Open api daily request limit reached"}),
    ("auth_failed", 200, {"error_code": 110, "error_msg": "Access token invalid or no longer valid"}),
    ("provider_error", 424, {"error": "Request failed during generation", "error_type": "generation"}),
    ("provider_error", 429, {"error": "Model is overloaded", "error_type": "overloaded"}),
    (
        "context_overflow",
        422,
        {
            "error": "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 4000 `inputs`",
            "error_type": "validation",
        },
    ),
    ("provider_error", 503, {"error": "Model some/model is currently loading", "estimated_time": 20.0}),
    (
        "invalid_request",
        422,
        {"detail": [{"loc": ["body", "x"], "msg": "field required", "type": "value_error.missing"}]},
    ),
    ("auth_failed", 403, {"error": {"message": "x", "type": "access_terminated_error"}}),
    (
        "content_filtered",
        403,
        {"code": "x", "error": "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_CSAM"},
    ),
    (
        "quota_exhausted",
        403,
        {
            "code": "x",
            "error": "Your team has either used all available credits or reached its monthly spending limit.",
        },
    ),
    (
        "auth_failed",
        400,
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xa***."},
    ),
    (
        "auth_failed",
        None,
        {
            "error": {
                "code": -32603,
                "message": "Internal error",
                "data": {"errorKind": "authentication_failed"},
            }
        },
    ),
    ("quota_exhausted", None, {"error": {"code": -32603, "data": {"errorKind": "billing_error"}}}),
    ("length_truncated", None, {"error": {"code": -32603, "data": {"errorKind": "max_output_tokens"}}}),
    ("context_overflow", 400, {"error": {"type": "exceed_context_size_error", "code": 400, "n_ctx": 256}}),
    (
        "provider_error",
        400,
        {"error": {"code": "tool_use_failed", "failed_generation": "rate limit exceeded"}},
    ),
    ("auth_failed", 401, {"Response": {"Error": {"Code": "AuthFailure.SecretIdNotFound", "Message": "x"}}}),
    ("quota_exhausted", 400, {"Response": {"Error": {"Code": "FailedOperation.ResourcePackExhausted"}}}),
]


@pytest.mark.parametrize(("reason", "status", "body"), _STRUCTURED, ids=range(len(_STRUCTURED)))
def test_error_is_read_from_its_structure(reason: str, status: int | None, body: object) -> None:
    assert classify_error(status=status, body=body).reason == reason


@pytest.mark.parametrize(("reason", "status", "body"), _STRUCTURED[:8], ids=range(8))
def test_error_reads_the_same_as_text_and_bytes(reason: str, status: int | None, body: object) -> None:
    text = json.dumps(body)

    assert classify_error(status=status, body=text).reason == reason
    assert classify_error(status=status, body=text.encode()).reason == reason
    assert classify_error(status=status, body=f"event: error\ndata: {text}\n\n").reason == reason


_BARE = [
    ("invalid_request", 400),
    ("auth_failed", 401),
    ("quota_exhausted", 402),
    ("auth_failed", 403),
    ("model_not_found", 404),
    ("invalid_request", 405),
    ("timeout", 408),
    ("provider_error", 409),
    ("context_overflow", 413),
    ("invalid_request", 415),
    ("invalid_request", 422),
    ("rate_limited", 429),
    ("content_filtered", 451),
    ("cancelled", 499),
    ("provider_error", 500),
    ("provider_error", 502),
    ("provider_error", 503),
    ("timeout", 504),
    ("provider_error", 520),
    ("provider_error", 521),
    ("timeout", 522),
    ("provider_error", 523),
    ("timeout", 524),
    ("provider_error", 525),
    ("provider_error", 529),
    ("error", 302),
    ("error", None),
]


@pytest.mark.parametrize(("reason", "status"), _BARE)
@pytest.mark.parametrize("body", [None, "", _NGINX.format("Rate limit exceeded")])
def test_error_without_a_body_is_read_from_its_status(reason: str, status: int | None, body: object) -> None:
    """A page of a proxy says no more than its status; its words are not matched."""
    assert classify_error(status=status, body=body).reason == reason


def test_bare_bad_request_is_an_overflow_where_the_provider_answers_so() -> None:
    assert classify_error(status=400, body="", provider="Cerebras").reason == "context_overflow"


def test_page_of_a_proxy_names_the_status_when_nothing_else_does() -> None:
    assert classify_error(body=_NGINX.format("502 Bad Gateway")).reason == "provider_error"


def test_error_keeps_the_raw_word_and_who_was_asked() -> None:
    found = classify_error(status=429, body=_openai("x", "insufficient_quota"), provider="acme")

    assert (found.token, found.provider, found.code, found.source) == (
        "insufficient_quota",
        "acme",
        "quota_exhausted@provider.error",
        "exception",
    )
    assert classify_error(status=503, body="").token == "503"
    assert classify_error(status=None, body={"error": {"message": "?"}}).token is None
    assert classify_error(status=503, body="").provider == ""


def test_error_type_of_a_header_counts() -> None:
    found = classify_error(
        status=400, body="{}", headers={"X-Amzn-ErrorType": "ThrottlingException:http://x/"}
    )

    assert found.reason == "rate_limited"
