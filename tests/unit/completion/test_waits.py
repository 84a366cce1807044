"""The wait that a provider asks for is read from wherever it stands."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime
from types import SimpleNamespace

import pytest

from gateway.completion import classify_error, classify_exception

_NOW = "Tue, 01 Dec 2026 12:00:00 GMT"
_NOON = datetime(2026, 12, 1, 12, tzinfo=UTC).timestamp()


def _wait(headers: object = None, body: object = None) -> float | None:
    return classify_error(status=429, headers=headers, body=body).retry_after


@pytest.mark.parametrize(
    ("seconds", "headers"),
    [
        (30.0, {"Retry-After": "30"}),
        (30.0, {"RETRY-AFTER": 30}),
        (0.0, {"retry-after": "0"}),
        (1.5, {"retry-after": "1.5"}),
        (120.0, {"retry-after": "2m"}),
        (90.0, {"retry-after": "Tue, 01 Dec 2026 12:01:30 GMT", "date": _NOW}),
        (0.0, {"retry-after": "Tue, 01 Dec 2026 11:00:00 GMT", "date": _NOW}),
        (0.25, {"retry-after-ms": "250", "retry-after": "9"}),
        (2.0, {"x-ms-retry-after-ms": "2000"}),
        (None, {"retry-after": "soon"}),
        (None, {"retry-after": "-5"}),
        (None, {"retry-after": "nan"}),
        (None, {"retry-after": "inf"}),
        (None, {"retry-after": "1e12"}),
        (None, {"retry-after": "9" * 400}),
        (None, {"retry-after": "Tue, 99 Dec 2026 99:99:99 GMT"}),
        (360.0, {"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}),
        (179.56, {"x-ratelimit-reset-tokens": "2m59.56s"}),
        (0.12, {"x-ratelimit-reset-tokens": "120ms"}),
        (
            3.0,
            {
                "x-ratelimit-reset-requests": "6m0s",
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-tokens": "3s",
                "x-ratelimit-remaining-tokens": "0",
            },
        ),
        (None, {"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "5"}),
        (7.0, {"ratelimit-reset": "7"}),
        (None, {"ratelimit-reset": "soon"}),
        (
            60.0,
            {
                "anthropic-ratelimit-requests-reset": "2026-12-01T12:01:00Z",
                "anthropic-ratelimit-requests-remaining": "0",
                "date": _NOW,
            },
        ),
        (60.0, {"x-ratelimit-reset": str(int(_NOON) + 60), "date": _NOW}),
        (60.0, {"x-ratelimit-reset": str((int(_NOON) + 60) * 1000), "date": _NOW}),
        (5.0, [("Retry-After", "5")]),
        (5.0, [(b"retry-after", b"5")]),
        (5.0, {"retry-after": "5", "x-ratelimit-reset-requests": "9s"}),
        (None, {}),
        (None, 7),
        (None, "retry-after: 5"),
    ],
)
def test_wait_is_read_from_headers(seconds: float | None, headers: object) -> None:
    assert _wait(headers) == pytest.approx(seconds)


def test_reset_of_limits_counts_only_for_an_error_of_limits() -> None:
    assert classify_error(status=400, body="x", headers={"ratelimit-reset": "7"}).retry_after is None
    assert classify_error(status=503, headers={"ratelimit-reset": "7", "retry-after": "2"}).retry_after == 2.0


def test_date_without_the_answer_s_own_clock_is_counted_from_now() -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    reset = str(int(time.time()) + 100)

    for headers in ({"retry-after": at}, {"x-ratelimit-reset": reset}):
        found = _wait(headers)
        assert found is not None
        assert 90 < found <= 101


def test_headers_of_the_standard_library_are_read() -> None:
    headers = Message()
    headers["Retry-After"] = "4"

    assert _wait(headers) == 4.0


@pytest.mark.parametrize(
    ("seconds", "error"),
    [
        (10.0, {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "10s"}]}),
        (0.5, {"details": [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "0.5s"}]}),
        (
            3.5,
            {
                "details": [
                    {"@type": "x/google.rpc.RetryInfo", "retryDelay": {"seconds": "3", "nanos": 500000000}}
                ]
            },
        ),
        (8.0, {"details": [{"@type": "x/google.rpc.RetryInfo"}], "retry_after": 8}),
        (None, {"details": [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "soon"}]}),
        (9.0, {"retry_after": 9}),
        (9.0, {"retryAfter": "9"}),
        (0.9, {"retry_after_ms": 900}),
        (9.0, {"retry_after_seconds": 9}),
        (4.0, {"metadata": {"headers": {"Retry-After": "4"}}}),
        (360.0, {"message": "Please try again in 6m0s."}),
        (20.0, {"message": "Rate limit reached. Please try again in 20s. Visit us."}),
        (0.02, {"message": "Please try again in 20ms."}),
        (36.25, {"message": "Please retry in 36.25s."}),
        (60.0, {"message": "Please retry after 60 seconds."}),
        (120.0, {"message": "Try again in 2 minutes."}),
        (3600.0, {"message": "try again in 1 hour"}),
        (None, {"message": "Please try again later."}),
    ],
)
def test_wait_is_read_from_the_body(seconds: float | None, error: object) -> None:
    assert _wait(body={"error": error}) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("seconds", "given"),
    [
        (2.0, 2),
        (2.0, timedelta(seconds=2)),
        (None, -1),
        (None, float("nan")),
        (None, "soon"),
        (None, 10**400),
    ],
)
def test_wait_is_read_from_an_exception(seconds: float | None, given: object) -> None:
    class RateLimitError(Exception):
        retry_after = given

    assert classify_exception(RateLimitError()).retry_after == seconds


def test_headers_that_raise_are_no_headers() -> None:
    class Bad:
        def items(self) -> object:
            raise OSError

    assert _wait(Bad()) is None
    assert _wait(SimpleNamespace(items=lambda: 7)) is None


def test_wait_in_quoted_words_of_a_person_is_no_wait() -> None:
    message = "Cannot read 'please try again in 9s' as a number"

    assert classify_error(status=429, body={"error": {"message": message}}).retry_after is None
    assert classify_exception(RuntimeError(message)).retry_after is None


def test_wait_inside_the_printed_answer_of_a_proxy_is_read() -> None:
    message = "litellm.RateLimitError: x - Error code: 429 - {'error': {'message': 'Try again in 7s.'}}"

    assert classify_error(status=429, body={"error": {"message": message}}).retry_after == 7.0
