"""What went wrong at Slack, in our words."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError, SlackClientError

from gateway.errors import (
    AdapterError,
    DeadTarget,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway_adapters.slack.errors import MissingScope, ours, refusal


def _answered(status: int, data: object, **headers: str) -> AdapterError:
    told = {key.replace("_", "-").title(): value for key, value in headers.items()}
    return ours(_api_error(SimpleNamespace(status_code=status, data=data, headers=told)))


def _api_error(response: object) -> SlackClientError:
    return cast("Callable[..., SlackClientError]", SlackApiError)("no", response)


@pytest.mark.parametrize(
    ("exc", "wanted"),
    [
        (aiohttp.ServerDisconnectedError(), Uncertain),
        (aiohttp.ClientOSError(104, "reset"), Uncertain),
        (aiohttp.ClientPayloadError(), Uncertain),
        (aiohttp.ConnectionTimeoutError(), Unreachable),
        (aiohttp.InvalidURL("x"), Unreachable),
        (TimeoutError(), Uncertain),
        (ConnectionResetError(), Uncertain),
        (UnicodeEncodeError("utf-8", "x", 0, 1, "no"), Rejected),
        (json.JSONDecodeError("no", "x", 0), Uncertain),
        (KeyError("x"), Uncertain),
    ],
)
def test_broken_line_says_whether_it_may_have_been_taken(exc: Exception, wanted: type[AdapterError]) -> None:
    assert type(ours(exc)) is wanted


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("channel_not_found", DeadTarget),
        ("user_disabled", DeadTarget),
        ("invalid_auth", Unauthorised),
        ("account_inactive", Unauthorised),
        ("missing_scope", MissingScope),
        ("ratelimited", RateLimited),
        ("internal_error", Uncertain),
        ("invalid_blocks", Rejected),
        ("something_new", Rejected),
    ],
)
def test_word_says_what_to_do(word: str, wanted: type[AdapterError]) -> None:
    assert type(refusal(word)) is wanted
    assert type(_answered(200, {"ok": False, "error": word})) is wanted


@pytest.mark.parametrize(("told", "wait"), [("30", 30.0), ("", 5.0), ("soon", 5.0), ("9" * 30, 86_400.0)])
def test_wait_is_read_whatever_stands_there(told: str, wait: float) -> None:
    error = _answered(429, {"ok": False, "error": "ratelimited"}, retry_after=told)

    assert isinstance(error, RateLimited)
    assert error.retry_after == wait


@pytest.mark.parametrize(
    ("status", "data"), [(502, "<html>"), (200, None), (200, b"x"), (404, {}), (200, [])]
)
def test_answer_that_is_none_of_slacks_is_uncertain(status: int, data: object) -> None:
    assert type(_answered(status, data)) is Uncertain


def test_missing_scope_is_named_with_what_to_do() -> None:
    error = _answered(200, {"ok": False, "error": "missing_scope", "needed": "users:read"})

    assert isinstance(error, MissingScope)
    assert "lacks the scope users:read" in str(error)
    assert "install the app again" in str(error)


def test_error_without_a_response_is_uncertain() -> None:
    assert type(ours(_api_error(None))) is Uncertain
