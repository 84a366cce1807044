"""Translate Discord's answers and aiohttp's errors into ours; the only place that knows them.

What is known of a fault decides whether a send may be repeated. A request that never left is `Unreachable`.
One that left and got no clear answer is `Uncertain`, and so is every 5xx: a gateway in front of Discord
answers 502 and 504 for what the server behind it goes on doing. A send carries a nonce, so repeating it
within minutes yields one message all the same. Codes are those of Discord's reference (opcodes and status
codes, read 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import aiohttp

from gateway.errors import (
    AdapterError,
    DeadTarget,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)

__all__ = ["BLOCKED", "EVERYWHERE", "ODD", "UNKNOWN_INTERACTION", "UNKNOWN_MESSAGE", "broken", "refused"]

ODD = "what answered does not speak as Discord does"
UNKNOWN_MESSAGE = "10008"
"""The status of a call about a message that is gone."""
UNKNOWN_INTERACTION = frozenset({"10008", "10015", "10062", "40060", "50027"})
"""The statuses of a call about an interaction that is over, or answered already."""
EVERYWHERE = "429 global"
"""The status of a limit that holds for every call of the bot's."""
BLOCKED = "429 blocked"
"""The status of a limit that what stands before Discord sets to an address."""

_WAIT = 5.0  # seconds, where Discord asks to slow down and does not say for how long
_BLOCKED = 60.0  # seconds, where what stands before Discord does
_GONE = {
    10003: "the channel is gone",
    10013: "the person is gone",
    10004: "the server is gone",
    50001: "the bot cannot see the channel",
    50007: "the person takes no messages from the bot",
    50008: "the channel takes no text",
    50013: "the bot may not write in the channel",
    50024: "the channel takes no messages",
    50083: "the thread is archived",
    50278: "the bot shares no server with the person",
    160005: "the thread is locked",
}
_NOTHING: Mapping[str, object] = {}
_SLOW = frozenset({20016, 20022, 20026, 20028, 20029, 31002, 40062})
_NEVER_LEFT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    aiohttp.WSServerHandshakeError,
    aiohttp.ClientHttpProxyError,
)


def refused(status: int, body: object, headers: Mapping[str, str]) -> AdapterError:
    """Our error for an answer that is no success.

    Args:
        status: HTTP's.
        body: What came with it, decoded; `None` where it is no JSON.
        headers: The answer's.
    """
    told: Mapping[str, object] = cast("Mapping[str, object]", body) if isinstance(body, Mapping) else _NOTHING
    code = told.get("code")
    number = code if isinstance(code, int) else 0
    word = str(number) if number else f"http {status}"
    if status == 429 or number in _SLOW:
        return _slowed(told, headers)
    if status == 401:
        return Unauthorised("Discord rejected the token: reset it in the developer portal and copy it again")
    if number in _GONE:
        return DeadTarget(_GONE[number], status=word)
    if status >= 500:
        return Uncertain("Discord gave no clear answer", status=word)
    if not told:
        return Unreachable("what stands before Discord turned the call away", status=word)
    return Rejected("Discord refused the content", status=word)


def broken(exc: Exception) -> AdapterError:
    """Our error for a call that got no answer."""
    name = type(exc).__name__
    if isinstance(exc, UnicodeError):
        return Rejected("the text cannot be encoded", status=name)
    if isinstance(exc, _NEVER_LEFT) or (
        isinstance(exc, RuntimeError) and not isinstance(exc, RecursionError)
    ):
        return Unreachable("Discord could not be reached", status=name)
    return Uncertain("Discord gave no clear answer", status=name)


def _slowed(told: Mapping[str, object], headers: Mapping[str, str]) -> RateLimited:
    """A wait; without the mark of Discord's own servers it is the block of an address, and longer."""
    wait = _number(told.get("retry_after"))
    if wait is None:
        wait = _number(headers.get("Retry-After"))
    if told and "Via" in headers:
        status = EVERYWHERE if told.get("global") is True else "429"
        seconds = _WAIT if wait is None else wait
        return RateLimited("Discord asks to slow down", retry_after=seconds, status=status)
    blocked = _BLOCKED if wait is None else wait
    return RateLimited("Discord turns this address away for a while", retry_after=blocked, status=BLOCKED)


def _number(value: object) -> float | None:
    try:
        seconds = float(cast("str", value))
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None
