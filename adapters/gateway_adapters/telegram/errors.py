"""Translate python-telegram-bot's errors into ours; the only place that knows them.

What is known of a fault decides whether a send may be repeated. A request that never left (no connection, no
place in the pool) is `Unreachable`. One that left and got no clear answer is `Uncertain`: Telegram has no
idempotency key, so it may have been taken. That holds for every 5xx too: a gateway in front of the server
answers 502 and 504 for what the server behind it goes on doing, and nothing says at which step a 500 arose.
A 429 was certainly not carried out, also without the seconds to wait. Texts are those of Telegram's Bot API
server (read 2026-11).
"""

from __future__ import annotations

from datetime import timedelta

import aiohttp
import httpx
from telegram.error import (
    BadRequest,
    ChatMigrated,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)
from telegram.error import Conflict as TelegramConflict

from gateway.errors import (
    AdapterError,
    Conflict,
    DeadTarget,
    Moved,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)

__all__ = ["ODD", "UNCHANGED", "UNKNOWN_METHOD", "ours"]

ODD = "what answered does not speak as the Bot API does"
UNKNOWN_METHOD = "unknown method"
"""The status of a method that this server does not have."""
UNCHANGED = "message is not modified"
"""What stands in the status of an edit that changes nothing."""
_WAIT = 5.0  # seconds, where Telegram asks to slow down and does not say for how long
_NEVER_LEFT = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientProxyConnectionError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,  # of the pool too
    aiohttp.InvalidURL,
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    RuntimeError,  # the client is closed
)
_NO_METHOD = "method not found"  # a server before the Bot API, in place of its 404
_GONE = (
    "chat not found",
    "user not found",
    "user is deactivated",
    "bot was kicked",
    "bot was blocked",
    "group chat was deactivated",
    "group chat was deleted",
    "have no rights to send",
    "not enough rights to send",
    "peer_id_invalid",
    "chat_write_forbidden",
    "chat_restricted",
    "need administrator rights",
)


def ours(exc: TelegramError, *, greeted: bool = False) -> AdapterError:
    """Our error for one of theirs.

    Args:
        exc: Theirs.
        greeted: Whether Telegram has taken the token before; an unknown method and a wrong token look alike.
    """
    match exc:
        case RetryAfter():
            return RateLimited("Telegram asks to slow down", retry_after=_seconds(exc.retry_after))
        case ChatMigrated():
            return Moved("the group became a supergroup", chat=str(exc.new_chat_id))
        case Forbidden():
            return DeadTarget("Telegram forbids writing there", status=_word(exc))
        case TelegramConflict():
            return Conflict(_rival(exc))
        case EndPointNotFound() | InvalidToken():
            return _unknown(exc, greeted=greeted)
        case BadRequest():
            return _refused(exc)
        case NetworkError():
            return _broken(exc)
        case _:
            return Uncertain(ODD, status=type(exc).__name__)


def _seconds(wait: int | timedelta) -> float:
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)


def _rival(exc: TelegramError) -> str:
    if "webhook" in exc.message.lower():
        return "a webhook was set for this token: find who set it, or revoke the token at BotFather"
    return "another process polls this token: stop it, or revoke the token at BotFather"


def _unknown(exc: TelegramError, *, greeted: bool) -> AdapterError:
    cause = exc.__cause__
    said = cause.message.lower() if isinstance(cause, TelegramError) else ""
    if greeted and "unauthorized" not in said:
        return Rejected("Telegram does not know the method", status=UNKNOWN_METHOD)
    return Unauthorised("Telegram rejected the token: copy it from BotFather again")


def _refused(exc: BadRequest) -> AdapterError:
    text = exc.message.lower()
    if _NO_METHOD in text:
        return Rejected("Telegram does not know the method", status=UNKNOWN_METHOD)
    if any(word in text for word in _GONE):
        return DeadTarget("the chat is gone or closed to the bot", status=_word(exc))
    return Rejected("Telegram refused the content", status=_word(exc))


def _broken(exc: NetworkError) -> AdapterError:
    cause = exc.__cause__
    if cause is None and exc.message.lower().startswith("too many requests"):
        return RateLimited("Telegram asks to slow down", retry_after=_WAIT)
    name = type(cause).__name__ if cause is not None else _word(exc)
    if isinstance(cause, UnicodeError):
        return Rejected("the text cannot be encoded", status=name)
    if isinstance(cause, _NEVER_LEFT):
        return Unreachable("Telegram could not be reached", status=name)
    return Uncertain("Telegram gave no clear answer", status=name)


def _word(exc: TelegramError) -> str:
    """Telegram's own words, short, for the record."""
    return exc.message[:80]
