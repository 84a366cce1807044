"""Telegram's errors in our words."""

from __future__ import annotations

import json
from datetime import timedelta

import aiohttp
import httpx
import pytest
from telegram.error import (
    BadRequest,
    ChatMigrated,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.error import Conflict as TelegramConflict

from gateway.errors import (
    AdapterError,
    Conflict,
    DeadTarget,
    DeliveryError,
    Moved,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway_adapters.telegram.errors import UNKNOWN_METHOD, ours

_HELD_BY_WEBHOOK = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook"


def _caused(error: TelegramError, cause: BaseException) -> TelegramError:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "text",
    [
        "Chat not found",
        "Bad Request: user not found",
        "PEER_ID_INVALID",
        "Group chat was deactivated",
        "Have no rights to send a message",
        "not enough rights to send text messages to the chat",
        "Need administrator rights in the channel chat",
        "CHAT_WRITE_FORBIDDEN",
    ],
)
def test_chat_that_is_closed_to_the_bot_is_a_dead_target(text: str) -> None:
    assert type(ours(BadRequest(text))) is DeadTarget


@pytest.mark.parametrize(
    "text", ["bot was blocked by the user", "bot was kicked from the supergroup chat", "user is deactivated"]
)
def test_being_forbidden_is_a_dead_target_with_its_word(text: str) -> None:
    error = ours(Forbidden(f"Forbidden: {text}"))

    assert isinstance(error, DeadTarget)
    assert text in error.status


@pytest.mark.parametrize(
    "text",
    [
        "Can't parse entities: unsupported start tag",
        "Message is too long",
        "Message text is empty",
        "Message thread not found",
        "Message is not modified",
        "BUTTON_DATA_INVALID",
    ],
)
def test_content_that_is_refused_is_rejected_with_its_word(text: str) -> None:
    error = ours(BadRequest(text))

    assert type(error) is Rejected
    assert error.status == text


def test_word_for_the_record_is_short() -> None:
    error = ours(BadRequest("no " * 500))

    assert isinstance(error, Rejected)
    assert len(error.status) == 80


@pytest.mark.filterwarnings("ignore::telegram.warnings.PTBDeprecationWarning")
@pytest.mark.parametrize("wait", [35, timedelta(seconds=35)])
def test_rate_limit_carries_its_wait_in_either_form(wait: int | timedelta) -> None:
    error = ours(RetryAfter(wait))

    assert isinstance(error, RateLimited)
    assert error.retry_after == 35.0


def test_rate_limit_without_a_wait_is_certainly_not_sent() -> None:
    error = ours(NetworkError("Too Many Requests: try later"))

    assert isinstance(error, RateLimited)
    assert error.retry_after > 0


def test_group_that_moved_carries_its_new_id_of_64_bits() -> None:
    error = ours(ChatMigrated(-1009999999999999))

    assert isinstance(error, Moved)
    assert error.chat == "-1009999999999999"


def test_conflict_says_what_to_do() -> None:
    rival = ours(TelegramConflict("Conflict: terminated by other getUpdates request; make sure"))
    hook = ours(TelegramConflict(_HELD_BY_WEBHOOK))

    assert isinstance(rival, Conflict)
    assert "stop it" in str(rival)
    assert isinstance(hook, Conflict)
    assert "webhook" in str(hook)


@pytest.mark.parametrize(
    "cause",
    [
        aiohttp.ConnectionTimeoutError("slow, or no place in the pool"),
        aiohttp.InvalidURL("x"),
        httpx.ConnectError("refused"),
        httpx.ConnectTimeout("slow"),
        httpx.PoolTimeout("full"),
        httpx.ProxyError("407"),
        httpx.UnsupportedProtocol("x"),
        RuntimeError("Cannot send a request, as the client has been closed."),
    ],
)
def test_request_that_never_left_may_be_sent_again(cause: Exception) -> None:
    error = ours(_caused(NetworkError("httpx: told"), cause))

    assert type(error) is Unreachable
    assert error.status == type(cause).__name__


@pytest.mark.parametrize(
    "theirs",
    [
        _caused(NetworkError("x"), aiohttp.ServerDisconnectedError()),
        _caused(NetworkError("x"), aiohttp.SocketTimeoutError()),
        _caused(NetworkError("x"), TimeoutError()),
        _caused(TimedOut(), httpx.ReadTimeout("slow")),
        _caused(TimedOut(), httpx.WriteTimeout("slow")),
        _caused(NetworkError("x"), httpx.ReadError("reset")),
        _caused(NetworkError("x"), httpx.WriteError("reset")),
        _caused(NetworkError("x"), httpx.RemoteProtocolError("half")),
        NetworkError("Bad Gateway"),
        NetworkError("Internal Server Error"),
        TelegramError("Invalid server response"),
        _caused(TelegramError("x"), json.JSONDecodeError("x", "y", 0)),
    ],
)
def test_request_without_a_clear_answer_is_uncertain(theirs: TelegramError) -> None:
    assert type(ours(theirs, greeted=True)) is Uncertain


def test_text_that_no_request_can_carry_is_rejected() -> None:
    cause = UnicodeEncodeError("utf-8", "\ud83d", 0, 1, "surrogates not allowed")

    assert type(ours(_caused(NetworkError("x"), cause))) is Rejected


@pytest.mark.parametrize(
    ("greeted", "said", "kind"),
    [
        (False, "Not Found", Unauthorised),
        (False, "Unauthorized", Unauthorised),
        (True, "Unauthorized", Unauthorised),
        (True, "Not Found", Rejected),
    ],
)
def test_unknown_method_and_wrong_token_are_told_apart(
    greeted: bool, said: str, kind: type[AdapterError]
) -> None:
    """Telegram answers 404 to both, unless the token has the right shape."""
    error = ours(_caused(EndPointNotFound("x"), InvalidToken(said)), greeted=greeted)

    assert type(error) is kind
    assert not isinstance(error, DeliveryError) or error.status == UNKNOWN_METHOD
