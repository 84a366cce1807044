"""The link by which a bot is added to a server, and what to switch on before."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from urllib.parse import urlencode

__all__ = ["PERMISSIONS", "intents_to_switch_on", "invite_link"]

PERMISSIONS = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Read Message History": 1 << 16,
    "Send Messages in Threads": 1 << 38,
}
"""What the bot needs in a server, as the portal names it, and its bit."""

_PAGE = "https://discord.com/oauth2/authorize"
_SCOPES = "bot applications.commands"


def invite_link(application: str) -> str:
    """The link that adds a bot to a server, with the permissions it needs and no more.

    Args:
        application: The application's id, or the bot's token, which begins with it.

    Raises:
        ValueError: It is neither.
    """
    identity = application if application.isdecimal() else _from_token(application)
    query = {"client_id": identity, "scope": _SCOPES, "permissions": str(sum(PERMISSIONS.values()))}
    return f"{_PAGE}?{urlencode(query)}"


def intents_to_switch_on(*, message_content: bool) -> Sequence[str]:
    """The privileged intents to switch on in the developer portal, as it names them."""
    return ("Message Content Intent",) if message_content else ()


def _from_token(token: str) -> str:
    head = token.partition(".")[0]
    try:
        identity = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).decode("ascii")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        identity = ""
    if not identity.isdecimal():
        raise ValueError("is neither an application's id nor a bot's token")
    return identity
