"""What Discord tells an operator about a bot, without receiving for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from gateway.errors import Uncertain
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.errors import ODD
from gateway_adapters.discord.inbound import Me
from gateway_adapters.discord.invite import invite_link
from gateway_adapters.discord.shapes import MALFORMED, Json, mapping, snowflake, whole

__all__ = ["facts", "introduced"]

_CONTENT = (1 << 18) | (1 << 19)  # flags of an application that is handed message content
_PRIVATE = (
    "commands, mentions and replies; for all messages switch on Message Content Intent in the developer"
    " portal (your application, Bot) and write intents: {message_content: true}"
)


async def introduced(api: Api) -> Me:
    """Who the bot is.

    Raises:
        AdapterError: Discord did not tell.
    """
    user, application = await _told(api)
    return Me(str(user["id"]), str(application["id"]))


async def facts(api: Api, *, content: bool) -> Mapping[str, str]:
    """Who the token is, what it is handed in servers, its commands, and where it can be added.

    Args:
        api: The bot's calls.
        content: Whether the configuration asks for message content.

    Raises:
        AdapterError: Discord refused the token, or could not be reached.
    """
    user, application = await _told(api)
    identity = str(application["id"])
    granted = bool(int(application.get("flags") or 0) & _CONTENT)
    return {
        "name": f"@{whole(user.get('username'))}",
        "id": str(user["id"]),
        "address": invite_link(identity),
        "reads in groups": "all messages" if granted and content else _PRIVATE,
        "message content": _content(granted=granted, asked=content),
        "servers": str(application.get("approximate_guild_count", "unknown")),
        "commands": await _commands(api, identity),
    }


async def _told(api: Api) -> tuple[Json, Json]:
    """What Discord says of the bot's user and of its application, each with an id."""
    user = (await api.call("GET", "/users/@me")).body
    application = (await api.call("GET", "/applications/@me")).body
    try:
        told = mapping(user), mapping(application)
        for one in told:
            snowflake(one["id"])
    except MALFORMED:
        raise Uncertain(ODD, status="/users/@me") from None
    return told


def _content(*, granted: bool, asked: bool) -> str:
    if asked and not granted:
        return "asked for, but not switched on in the developer portal: the bot will not start"
    return ("granted" if asked else "granted, not asked for") if granted else "not asked for"


async def _commands(api: Api, application: str) -> str:
    found = (await api.call("GET", f"/applications/{application}/commands")).body
    many = len(cast("list[object]", found)) if isinstance(found, list) else 0
    return f"{many} registered" if many else "none yet; they are registered when it runs"
