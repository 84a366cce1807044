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

from gateway.completion import SITES, TurnCompletion, classify_exception


def _named(
    name: str,
    message: str = "",
    *,
    bases: tuple[type, ...] = (Exception,),
    module: str = "sdk",
    **carried: object,
) -> BaseException:
    """An exception of a class that no test needs to import."""
    kind = cast("type[BaseException]", type(name, bases, {"__module__": module}))
    exc = kind(message)
    for key, value in carried.items():
        setattr(exc, key, value)
    return exc


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
    ("error", "SomethingElse"),
]


@pytest.mark.parametrize(("reason", "name"), _CLASSES)
def test_exception_is_read_from_its_class(reason: str, name: str) -> None:
    assert classify_exception(_named(name)).reason == reason


@pytest.mark.parametrize(("reason", "name"), _CLASSES)
def test_exception_is_read_from_a_base_class(reason: str, name: str) -> None:
    base = type(_named(name))

    assert classify_exception(_named("Own", bases=(base,))).reason == reason


def test_recursion_of_a_graph_is_a_step_limit_and_plain_recursion_is_not() -> None:
    assert classify_exception(_named("GraphRecursionError", bases=(RecursionError,))).reason == "max_steps"
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
    exc = _named(
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

    found = classify_exception(_named("ClientError", "An error occurred", response=response))

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
            _named("ClientError", "429", code=429, status="RESOURCE_EXHAUSTED", details=details)
        ).reason
        == "quota_exhausted"
    )


class _Grpc(Enum):
    UNAUTHENTICATED = (16, "unauthenticated")


def test_error_of_grpc_is_read_from_its_methods() -> None:
    exc = _named("AioRpcError", "x", code=lambda: _Grpc.UNAUTHENTICATED, details=lambda: "no")

    assert classify_exception(exc).reason == "auth_failed"


def test_method_named_code_is_not_called_on_anything_else() -> None:
    called: list[int] = []

    assert classify_exception(_named("Odd", code=lambda: called.append(1))).reason == "error"
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
    assert classify_exception(_named("Error", message)).reason == reason


def test_body_printed_by_a_local_fault_is_still_structure() -> None:
    """Wrappers raise `ValueError` around what an SDK printed."""
    assert (
        classify_exception(ValueError("{'code': 'insufficient_quota', 'message': 'x'}")).reason
        == "quota_exhausted"
    )


@pytest.mark.parametrize(
    ("reason", "exc"),
    [
        ("max_steps", _named("UsageLimitExceeded", "The next request would exceed the request_limit of 3")),
        (
            "max_steps",
            _named("UsageLimitExceeded", "The next tool call(s) would exceed the tool_calls_limit of 3"),
        ),
        ("budget_exhausted", _named("UsageLimitExceeded", "Exceeded the total_tokens_limit of 10")),
        ("empty_response", _named("UnexpectedModelBehavior", "Exceeded maximum output retries (1)")),
        (
            "tool_error_budget",
            _named("UnexpectedModelBehavior", "Tool 'find' exceeded max retries count of 1"),
        ),
        ("provider_error", _named("UnexpectedModelBehavior", "odd")),
        (
            "content_filtered",
            _named("ContentFilterError", "x", bases=(type(_named("UnexpectedModelBehavior")),)),
        ),
        ("length_truncated", _named("ModelBehaviorError", "Incomplete(reason='max_output_tokens')")),
        ("content_filtered", _named("ModelBehaviorError", "Incomplete(reason='content_filter')")),
        ("provider_error", _named("ModelBehaviorError", "odd")),
        (
            "max_steps",
            _named("WorkflowRuntimeError", "Max iterations of 20 reached! Either something went wrong"),
        ),
        ("stream_cut", _named("ModelConnectionError", "x", phase="read", in_stream=True)),
        ("network_error", _named("ModelConnectionError", "x", phase="connect", in_stream=False)),
    ],
)
def test_exception_of_a_framework_is_read_from_its_fixed_sentence(reason: str, exc: BaseException) -> None:
    assert classify_exception(exc).reason == reason


def _raised(
    exc: BaseException, cause: BaseException | None, *, context: BaseException | None = None
) -> BaseException:
    if cause is not None:
        exc.__cause__ = cause
    exc.__context__ = context
    return exc


def test_cause_and_context_are_read_when_the_outside_says_nothing() -> None:
    limited = _named("RateLimitError", status_code=429)

    assert classify_exception(_raised(RuntimeError("wrapped"), limited)).reason == "rate_limited"
    assert (
        classify_exception(_raised(RuntimeError("wrapped"), None, context=limited)).reason == "rate_limited"
    )
    assert classify_exception(_named("Wrapper", original_exception=limited)).reason == "rate_limited"


def test_suppressed_context_is_not_read() -> None:
    exc = _raised(RuntimeError("x"), None, context=_named("RateLimitError"))
    exc.__suppress_context__ = True

    assert classify_exception(exc).reason == "error"


def test_certain_cause_beats_a_general_wrapper() -> None:
    overflow = _named("X", status_code=400, body={"error": {"code": "context_length_exceeded"}})

    assert classify_exception(_raised(_named("AgentGenerationError"), overflow)).reason == "context_overflow"


def test_general_cause_does_not_beat_a_general_wrapper() -> None:
    assert (
        classify_exception(_raised(_named("BadRequestError"), _named("InternalServerError"))).reason
        == "invalid_request"
    )


def test_cancellation_inside_a_time_out_does_not_hide_it() -> None:
    assert (
        classify_exception(
            _raised(_named("APIConnectionError"), None, context=asyncio.CancelledError())
        ).reason
        == "network_error"
    )
    assert classify_exception(_raised(RuntimeError("x"), asyncio.CancelledError())).reason == "error"


def test_members_of_a_group_are_read() -> None:
    inner = BaseExceptionGroup("inner", [_named("RateLimitError")])
    group = BaseExceptionGroup("all failed", [ValueError("x"), inner])

    assert classify_exception(group).reason == "rate_limited"


def test_circle_of_causes_ends() -> None:
    one, two = RuntimeError("a"), RuntimeError("b")
    one.__cause__, two.__cause__ = two, one

    assert classify_exception(one).reason == "error"


def test_long_chain_is_read_to_a_bound_only() -> None:
    exc: BaseException = _named("RateLimitError")
    for _ in range(100):
        exc = _raised(RuntimeError("x"), exc)

    assert classify_exception(exc).reason == "error"


def test_own_completion_beats_everything() -> None:
    own = TurnCompletion("tool_loop_guard", site="agent.tool")

    assert classify_exception(_named("RateLimitError", completion=own)) is own


def test_clean_completion_on_an_exception_is_not_believed() -> None:
    assert classify_exception(_named("Odd", completion=TurnCompletion())).reason == "error"


@pytest.mark.parametrize(
    ("site", "exc"),
    [
        ("agent.step_budget", _named("MaxTurnsExceeded")),
        ("agent.tool", _named("ToolException")),
        ("agent.stream", _named("IncompleteRead")),
        ("agent.budget", _named("BudgetExceededError")),
        ("provider.error", _named("RateLimitError", status_code=429)),
        ("agent.exception", _named("RateLimitError")),
        ("agent.exception", ValueError()),
    ],
)
def test_exception_names_the_site(site: str, exc: BaseException) -> None:
    assert classify_exception(exc).site == site


@pytest.mark.parametrize(("reason", "name"), _CLASSES)
def test_site_may_set_what_an_exception_is_read_as(reason: str, name: str) -> None:
    for exc in (_named(name), _named(name, status_code=400)):
        found = classify_exception(exc)

        assert found.reason in SITES[found.site] or "*" in SITES[found.site], reason


def test_provider_is_recorded_only_when_known() -> None:
    assert classify_exception(_named("RateLimitError", llm_provider="acme")).provider == "acme"
    assert classify_exception(_named("RateLimitError", llm_provider="acme"), provider="own").provider == "own"
    assert classify_exception(_named("RateLimitError")).provider == ""


def test_token_is_the_word_of_the_provider_and_not_of_a_library() -> None:
    assert classify_exception(_named("RateLimitError")).token is None
    assert classify_exception(TimeoutError()).token is None
    assert classify_exception(_named("RateLimitError", status_code=429)).token == "429"


def test_wait_of_an_exception_is_kept() -> None:
    assert classify_exception(_named("ModelRateLimitError", retry_after=2.5)).retry_after == 2.5
    assert (
        classify_exception(RuntimeError("Rate limit reached. Please try again in 6m0s.")).retry_after == 360.0
    )
