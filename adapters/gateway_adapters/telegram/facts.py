"""What Telegram tells an operator about a bot, without receiving for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast
from urllib.parse import urlsplit

from gateway.errors import Rejected, Uncertain
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.errors import ODD

__all__ = ["facts"]

_PRIVATE = (
    "commands, mentions and replies; for all messages tell @BotFather /setprivacy and Disable, then take the"
    " bot out of each group and add it again"
)
_TROUBLE = 200  # characters of Telegram's own words


async def facts(api: Api) -> Mapping[str, str]:
    """Who the token is, what it is handed in groups, its commands, and who receives for it.

    Raises:
        AdapterError: Telegram refused the token, or could not be reached.
    """
    told: object = await api.call("getMe")
    if not isinstance(told, dict):
        raise Uncertain(ODD, status="getMe")
    me = cast("dict[str, object]", told)
    name = str(me.get("username", ""))
    found = {
        "name": f"@{name}",
        "id": str(me.get("id", "")),
        "address": f"https://t.me/{name}",
        "reads in groups": "all messages" if me.get("can_read_all_group_messages") else _PRIVATE,
        "joins groups": "yes" if me.get("can_join_groups") else "no; @BotFather's /setjoingroups changes it",
    }
    return found | await _commands(api) | await _webhook(api)


async def _commands(api: Api) -> dict[str, str]:
    commands = await _asked(api, "getMyCommands")
    if not isinstance(commands, list):
        return {}
    many = len(cast("list[object]", commands))
    return {"commands": f"{many} registered" if many else "none yet; they are registered when it runs"}


async def _webhook(api: Api) -> dict[str, str]:
    """Where updates go; of an address the host alone, since the rest may be somebody's secret."""
    told = await _asked(api, "getWebhookInfo")
    if not isinstance(told, dict):
        return {}
    info = cast("dict[str, object]", told)
    found = {
        "webhook": urlsplit(str(info.get("url", ""))).hostname or "none",
        "waiting": str(info.get("pending_update_count", 0)),
    }
    trouble = str(info.get("last_error_message", ""))[:_TROUBLE]
    return found | ({"last failure": trouble} if trouble else {})


async def _asked(api: Api, method: str) -> object:
    """A method's result; `None` from a server that does not know it."""
    try:
        result: object = await api.call(method)
    except Rejected:
        return None
    return result
