"""Whatever is raised ends as the right word, by class name, by what it carries, by its causes."""

from __future__ import annotations

import asyncio
import builtins
import http.client
import json
import socket
import ssl
import urllib.error
from email.message import Message
from enum import Enum
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
import requests

from gateway.completion import SITES, classify_exception
from tests.unit.completion.raising import named

_CLASSES = [
    ("rate_limited", "RateLimitError"),
    ("rate_limited", "ModelThrottledException"),
    ("rate_limited", "ResourceExhausted"),
    ("rate_limited", "TooManyRequests"),
    ("quota_exhausted", "ModelQuotaExceededError"),
    ("quota_exhausted", "InsufficientQuotaError"),
    ("auth_failed", "AuthenticationError"),
    ("auth_failed", "PermissionDeniedError"),
    ("auth_failed", "NoCredentialsError"),
    ("auth_failed", "DefaultCredentialsError"),
    ("model_not_found", "NotFoundError"),
    ("model_not_found", "ModelNotFoundError"),
    ("context_overflow", "ContextWindowExceededError"),
    ("context_overflow", "ContextOverflowError"),
    ("context_overflow", "LLMContextLengthExceededError"),
    ("context_overflow", "ContextWindowOverflowException"),
    ("length_truncated", "MaxTokensReachedException"),
    ("length_truncated", "LengthFinishReasonError"),
    ("length_truncated", "IncompleteToolCall"),
    ("content_filtered", "ContentPolicyViolationError"),
    ("content_filtered", "ContentFilterFinishReasonError"),
    ("content_filtered", "InputGuardrailTripwireTriggered"),
    ("content_filtered", "OutputGuardrailTripwireTriggered"),
    ("content_filtered", "BlockedPromptException"),
    ("refused", "ModelRefusalError"),
    ("invalid_request", "BadRequestError"),
    ("invalid_request", "UnprocessableEntityError"),
    ("provider_error", "InternalServerError"),
    ("provider_error", "ServiceUnavailableError"),
    ("provider_error", "ModelOverloadedError"),
    ("provider_error", "OutputParserException"),
    ("network_error", "APIConnectionError"),
    ("network_error", "ClientConnectorError"),
    ("network_error", "EndpointConnectionError"),
    ("network_error", "ConnectError"),
    ("timeout", "APITimeoutError"),
    ("timeout", "ReadTimeout"),
    ("timeout", "ServerTimeoutError"),
    ("timeout", "DeadlineExceeded"),
    ("timeout", "RunTimedOut"),
    ("stream_cut", "IncompleteRead"),
    ("stream_cut", "ClientPayloadError"),
    ("stream_cut", "ChunkedEncodingError"),
    ("stream_cut", "MidStreamFallbackError"),
    ("cancelled", "RunCancelled"),
    ("cancelled", "AbortError"),
    ("max_steps", "MaxTurnsExceeded"),
    ("max_steps", "AgentMaxStepsError"),
    ("tool_error", "ToolException"),
    ("suspended", "GraphInterrupt"),
    ("timeout", "StreamIdleTimeoutError"),
    ("rate_limited", "AcmeRateLimitError"),
    ("quota_exhausted", "AcmeQuotaExceededException"),
    ("error", "SomethingElse"),
    ("error", "UserNotFound"),
]


@pytest.mark.parametrize(("reason", "name"), _CLASSES)
def test_exception_is_read_from_its_class(reason: str, name: str) -> None:
    assert classify_exception(named(name)).reason == reason


@pytest.mark.parametrize(("reason", "name"), _CLASSES)
def test_exception_is_read_from_a_base_class(reason: str, name: str) -> None:
    base = type(named(name))

    assert classify_exception(named("Own", bases=(base,))).reason == reason


def test_recursion_of_a_graph_is_a_step_limit_and_plain_recursion_is_not() -> None:
    assert classify_exception(named("GraphRecursionError", bases=(RecursionError,))).reason == "max_steps"
    assert classify_exception(RecursionError("maximum recursion depth exceeded")).reason == "error"


@pytest.mark.parametrize(
    ("reason", "exc"),
    [
        ("timeout", TimeoutError()),
        ("timeout", TimeoutError("x")),
        ("timeout", httpx.ReadTimeout("")),
        ("timeout", httpx.ConnectTimeout("")),
        ("timeout", requests.exceptions.ReadTimeout()),
        ("timeout", requests.exceptions.ConnectTimeout()),
        ("timeout", urllib.error.URLError(TimeoutError("timed out"))),
        ("network_error", ConnectionResetError(104, "reset")),
        ("network_error", ConnectionRefusedError()),
        ("network_error", BrokenPipeError()),
        ("network_error", socket.gaierror(-2, "Name or service not known")),
        ("network_error", ssl.SSLError("x")),
        ("network_error", ssl.SSLCertVerificationError("x")),
        ("network_error", httpx.ConnectError("All connection attempts failed")),
        ("network_error", httpx.RemoteProtocolError("Server disconnected without sending a response.")),
        ("network_error", requests.exceptions.ConnectionError()),
        ("network_error", requests.exceptions.ProxyError()),
        ("network_error", requests.exceptions.SSLError()),
        ("network_error", urllib.error.URLError("no route")),
        ("network_error", http.client.RemoteDisconnected("x")),
        ("network_error", OSError("Network is unreachable")),
        ("stream_cut", http.client.IncompleteRead(b"x", 10)),
        ("stream_cut", asyncio.IncompleteReadError(b"", 10)),
        ("stream_cut", requests.exceptions.ChunkedEncodingError()),
        (
            "stream_cut",
            httpx.RemoteProtocolError(
                "peer closed connection without sending complete message body (incomplete chunked read)"
            ),
        ),
        ("cancelled", asyncio.CancelledError()),
        ("cancelled", KeyboardInterrupt()),
        ("aborted", SystemExit(0)),
        ("error", MemoryError()),
        ("error", ValueError("rate limit exceeded")),
        ("error", KeyError("insufficient_quota")),
        ("error", FileNotFoundError(2, "timed out", "invalid api key.txt")),
        ("error", PermissionError(13, "Permission denied")),
        ("error", json.JSONDecodeError("connection reset", "doc", 0)),
        ("error", NotImplementedError()),
        ("network_error", TypeError("fetch failed")),
        ("error", LookupError()),
        ("provider_error", requests.exceptions.JSONDecodeError("x", "doc", 0)),
    ],
)
def test_exception_of_a_library_is_read(reason: str, exc: BaseException) -> None:
    assert classify_exception(exc).reason == reason


_BUILTIN = sorted(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, BaseExceptionGroup)
)


@pytest.mark.parametrize("name", _BUILTIN)
def test_builtin_exception_never_blames_the_provider(name: str) -> None:
    """A bug in a tool must not read as wrong credentials."""
    kind = cast("type[Exception]", vars(builtins)[name])
    exc = kind.__new__(kind)

    assert classify_exception(exc).reason in {"error", "timeout", "network_error"}


def test_status_and_body_of_an_sdk_error_beat_its_class() -> None:
    body = {"message": "x", "code": "insufficient_quota", "type": "insufficient_quota"}
    exc = named(
        "RateLimitError",
        "Error code: 429",
        status_code=429,
        body=body,
        response=SimpleNamespace(headers={"retry-after": "7"}, status_code=429),
    )

    found = classify_exception(exc)

    assert (found.reason, found.token, found.site, found.retry_after) == (
        "quota_exhausted",
        "insufficient_quota",
        "provider.error",
        7.0,
    )


def test_http_error_of_a_client_is_read_from_its_response() -> None:
    request = httpx.Request("POST", "https://example.test/v1")
    response = httpx.Response(429, json={"error": {"code": "insufficient_quota"}}, request=request)

    found = classify_exception(httpx.HTTPStatusError("x", request=request, response=response))

    assert (found.reason, found.token) == ("quota_exhausted", "insufficient_quota")


def test_http_error_of_urllib_is_read_from_its_code() -> None:
    headers = Message()
    headers["Retry-After"] = "3"

    found = classify_exception(urllib.error.HTTPError("https://example.test", 429, "x", headers, None))

    assert (found.reason, found.retry_after) == ("rate_limited", 3.0)


def test_client_error_of_botocore_is_read_from_its_response() -> None:
    response = {
        "Error": {"Code": "ThrottlingException", "Message": "x"},
        "ResponseMetadata": {"HTTPStatusCode": 400, "HTTPHeaders": {"retry-after": "2"}},
    }

    found = classify_exception(named("ClientError", "An error occurred", response=response))

    assert (found.reason, found.token, found.retry_after) == ("rate_limited", "ThrottlingException", 2.0)


def test_error_of_google_is_read_from_its_details() -> None:
    details = {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "x/google.rpc.QuotaFailure", "violations": [{"quotaId": "PerDay"}]}],
        }
    }

    assert (
        classify_exception(
            named("ClientError", "429", code=429, status="RESOURCE_EXHAUSTED", details=details)
        ).reason
        == "quota_exhausted"
    )


class _Grpc(Enum):
    UNAUTHENTICATED = (16, "unauthenticated")


def test_error_of_grpc_is_read_from_its_methods() -> None:
    exc = named("AioRpcError", "x", code=lambda: _Grpc.UNAUTHENTICATED, details=lambda: "no")

    assert classify_exception(exc).reason == "auth_failed"


def test_method_named_code_is_not_called_on_anything_else() -> None:
    called: list[int] = []

    assert classify_exception(named("Odd", code=lambda: called.append(1))).reason == "error"
    assert called == []


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("quota_exhausted", "Error code: 429 - {'error': {'message': 'No.', 'code': 'insufficient_quota'}}"),
        (
            "context_overflow",
            'Error code: 400 - {"error": {"message": "prompt is too long: 5 tokens > 4 maximum"}}',
        ),
        ("auth_failed", "Client error '401 Unauthorized' for url 'https://example.test'"),
        ("rate_limited", "Request failed with status code 429"),
        ("provider_error", "status code: 503"),
        ("timeout", "context deadline exceeded"),
        ("timeout", "dial tcp 203.0.113.1:443: i/o timeout"),
        ("network_error", "read ECONNRESET"),
        ("network_error", "getaddrinfo ENOTFOUND api.example.test"),
        ("network_error", "fetch failed"),
        ("network_error", "Post: EOF"),
        ("stream_cut", "terminated"),
        ("model_not_found", "404 Client Error: Not Found for url: https://example.test"),
        ("rate_limited", "[429 Too Many Requests]"),
        ("error", "4040 things"),
        ("error", "404.5 things"),
        ("network_error", "tls: handshake failure"),
        ("stream_cut", "Response ended prematurely"),
        ("stream_cut", "stream closed before completion"),
        ("cancelled", "context canceled"),
        ("rate_limited", "Rate limit reached, try again later"),
        ("quota_exhausted", "insufficient credits"),
        ("error", "something is odd here"),
        ("error", "boom"),
    ],
)
def test_plain_exception_is_read_from_its_message_last(reason: str, message: str) -> None:
    assert classify_exception(RuntimeError(message)).reason == reason
    assert classify_exception(named("Error", message)).reason == reason


def test_body_printed_by_a_local_fault_is_still_structure() -> None:
    """Wrappers raise `ValueError` around what an SDK printed."""
    assert (
        classify_exception(ValueError("{'code': 'insufficient_quota', 'message': 'x'}")).reason
        == "quota_exhausted"
    )


@pytest.mark.parametrize(
    ("reason", "exc"),
    [
        ("max_steps", named("UsageLimitExceeded", "The next request would exceed the request_limit of 3")),
        (
            "max_steps",
            named("UsageLimitExceeded", "The next tool call(s) would exceed the tool_calls_limit of 3"),
        ),
        ("budget_exhausted", named("UsageLimitExceeded", "Exceeded the total_tokens_limit of 10")),
        ("empty_response", named("UnexpectedModelBehavior", "Exceeded maximum output retries (1)")),
        (
            "tool_error_budget",
            named("UnexpectedModelBehavior", "Tool 'find' exceeded max retries count of 1"),
        ),
        ("provider_error", named("UnexpectedModelBehavior", "odd")),
        (
            "content_filtered",
            named("ContentFilterError", "x", bases=(type(named("UnexpectedModelBehavior")),)),
        ),
        ("length_truncated", named("ModelBehaviorError", "Incomplete(reason='max_output_tokens')")),
        ("content_filtered", named("ModelBehaviorError", "Incomplete(reason='content_filter')")),
        ("provider_error", named("ModelBehaviorError", "odd")),
        (
            "max_steps",
            named("WorkflowRuntimeError", "Max iterations of 20 reached! Either something went wrong"),
        ),
        ("stream_cut", named("ModelConnectionError", "x", phase="read", in_stream=True)),
        ("network_error", named("ModelConnectionError", "x", phase="connect", in_stream=False)),
    ],
)
def test_exception_of_a_framework_is_read_from_its_fixed_sentence(reason: str, exc: BaseException) -> None:
    assert classify_exception(exc).reason == reason


@pytest.mark.parametrize(("reason", "name"), _CLASSES)
def test_site_may_set_what_an_exception_is_read_as(reason: str, name: str) -> None:
    for exc in (named(name), named(name, status_code=400)):
        found = classify_exception(exc)

        assert found.reason in SITES[found.site] or "*" in SITES[found.site], reason
