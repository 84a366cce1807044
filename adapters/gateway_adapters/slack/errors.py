"""Translate what slack_sdk and aiohttp raise into our errors; the only place that knows them.

What is known of a fault decides whether a send may be repeated. A request that never left is `Unreachable`.
One that left and got no clear answer is `Uncertain`; so are `internal_error` and `fatal_error`, of which
Slack says that some of the work may have been done, and every 5xx. A 429 was certainly not carried out. Words
are those of Slack's method pages (docs.slack.dev, read 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import aiohttp
from slack_sdk.errors import SlackApiError

from gateway.errors import (
    AdapterError,
    DeadTarget,
    RateLimited,
    Rejected,
    Unauthorised,
    Uncertain,
    Unreachable,
)
from gateway_adapters.slack.shapes import maybe

__all__ = ["ODD", "MissingScope", "ours", "refusal"]

ODD = "what answered does not speak as Slack's Web API does"
_WAIT = 5.0  # seconds, where Slack asks to slow down and does not say for how long
_LONGEST_WAIT = 86_400.0
_NEVER_LEFT = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientProxyConnectionError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
)
_STRANGERS = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "invalid_token",
        "not_allowed_token_type",
        "not_authed",
        "org_login_required",
        "token_expired",
        "token_revoked",
    }
)
_SLOWER = frozenset({"message_limit_exceeded", "rate_limited", "ratelimited"})
_UNCLEAR = frozenset(
    {"fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"}
)
_GONE = frozenset(
    {
        "as_user_not_supported",
        "cannot_dm_bot",
        "channel_is_limited_access",
        "channel_not_found",
        "ekm_access_denied",
        "is_archived",
        "is_inactive",
        "messages_tab_disabled",
        "not_in_channel",
        "restricted_action",
        "restricted_action_read_only_channel",
        "team_access_not_granted",
        "team_not_found",
        "user_disabled",
        "user_is_restricted",
        "user_not_found",
        "user_not_in_channel",
    }
)


class MissingScope(Unauthorised):
    """The token may not do this.

    Attributes:
        scope: What it needs for it, in Slack's words.
    """

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"the token lacks the scope {scope or 'for this'}: add it at api.slack.com/apps, OAuth &"
            " Permissions, and install the app again"
        )
        self.scope = scope


def ours(exc: BaseException) -> AdapterError:
    """Our error for one of theirs."""
    if isinstance(exc, SlackApiError):
        return _answered(getattr(exc, "response", None))
    name = type(exc).__name__
    if isinstance(exc, UnicodeError):
        return Rejected("the text cannot be encoded", status=name)
    if isinstance(exc, _NEVER_LEFT):
        return Unreachable("Slack could not be reached", status=name)
    if isinstance(exc, aiohttp.ClientError | OSError):
        return Uncertain("Slack gave no clear answer", status=name)
    return Uncertain(ODD, status=name)


def refusal(word: str, *, needed: str = "", wait: float = _WAIT) -> AdapterError:
    """Our error for the word that Slack refused with."""
    if word == "missing_scope":
        return MissingScope(needed)
    if word in _STRANGERS:
        return Unauthorised(f"Slack rejected the token ({word}): install the app again and copy its tokens")
    if word in _SLOWER:
        return RateLimited("Slack asks to slow down", retry_after=wait, status=word)
    if word in _UNCLEAR:
        return Uncertain("Slack gave no clear answer", status=word)
    if word in _GONE:
        return DeadTarget("the channel is gone or closed to the bot", status=word)
    return Rejected("Slack refused the content", status=word)


def _answered(response: object) -> AdapterError:
    status = _status(response)
    told: object = getattr(response, "data", None)
    try:
        said = maybe(told)
    except TypeError:
        said = maybe(None)
    word = str(said.get("error") or "")[:60]
    if status == 429:
        return RateLimited("Slack asks to slow down", retry_after=_wait(response), status=word or "429")
    if status >= 500:
        return Uncertain("Slack gave no clear answer", status=word or str(status))
    if not word:
        return Uncertain(ODD, status=str(status))
    return refusal(word, needed=str(said.get("needed") or "")[:100], wait=_wait(response))


def _status(response: object) -> int:
    for name in ("status_code", "status"):
        status: object = getattr(response, name, None)
        if isinstance(status, int):
            return status
    return 0


def _wait(response: object) -> float:
    """Seconds that Slack asks to wait."""
    headers: object = getattr(response, "headers", None)
    if not isinstance(headers, Mapping):
        return _WAIT
    told = str(cast("Mapping[str, object]", headers).get("Retry-After", ""))
    return min(float(told), _LONGEST_WAIT) if told.isascii() and told.isdigit() else _WAIT
