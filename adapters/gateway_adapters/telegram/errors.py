"""Translate python-telegram-bot's errors into ours; the only place that knows them.

What is known of a fault decides whether a send may be repeated. A request that never left (no connection, no
place in the pool) is `Unreachable`. One that left and got no clear answer is `Uncertain`: Telegram has no
idempotency key, so it may have been taken. Texts are those of Telegram's Bot API server (read 2026-11).
"""

from __future__ import annotations

from typing import NoReturn

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

__all__ = ["ours", "translate"]

_NEVER_LEFT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
_GONE = (
    "chat not found",
    "user is deactivated",
    "bot was kicked",
    "bot was blocked",
    "group chat was deactivated",
    "group chat was deleted",
    "have no rights to send",
    "not enough rights to send",
    "peer_id_invalid",
    "chat_write_forbidden",
    "need administrator rights",
)


def translate(exc: TelegramError) -> NoReturn:
    """Raise our error for one of theirs.

    The original is not chained: httpx's request inside it carries the address, and with it the token.

    Raises:
        AdapterError: In the member of the family that fits.
    """
    raise ours(exc) from None


def ours(exc: TelegramError) -> AdapterError:
    """Our error for one of theirs."""
    match exc:
        case RetryAfter():
            wait = exc.retry_after
            seconds = float(wait) if isinstance(wait, int) else wait.total_seconds()
            return RateLimited("Telegram asks to slow down", retry_after=seconds)
        case ChatMigrated():
            return Moved("the group became a supergroup", chat=str(exc.new_chat_id))
        case Forbidden():
            return DeadTarget("Telegram forbids writing there", status=_word(exc))
        case TelegramConflict():
            return Conflict("another process receives updates for this token")
        case EndPointNotFound() | InvalidToken():
            return Unauthorised("Telegram rejected the token, or does not know the method")
        case BadRequest():
            return _refused(exc)
        case NetworkError():
            return _broken(exc)
        case _:
            return Uncertain(f"Telegram answered oddly ({type(exc).__name__})", status=type(exc).__name__)


def _refused(exc: BadRequest) -> AdapterError:
    text = exc.message.lower()
    if any(word in text for word in _GONE):
        return DeadTarget("the chat is gone or closed to the bot", status=_word(exc))
    return Rejected("Telegram refused the content", status=_word(exc))


def _broken(exc: NetworkError) -> AdapterError:
    cause = exc.__cause__
    if isinstance(cause, _NEVER_LEFT):
        return Unreachable("Telegram could not be reached", status=type(cause).__name__)
    name = type(cause).__name__ if cause is not None else _word(exc)
    return Uncertain("Telegram gave no clear answer", status=name)


def _word(exc: TelegramError) -> str:
    """Telegram's own words, short, for the record."""
    return exc.message[:80]
