"""What Slack tells an operator about a bot, without receiving for it."""

from __future__ import annotations

from collections.abc import Mapping

from gateway_adapters.slack.api import Api
from gateway_adapters.slack.manifest import SCOPES
from gateway_adapters.slack.options import Options
from gateway_adapters.slack.shapes import whole

__all__ = ["facts"]

_HEARD = frozenset({"channels:history", "groups:history", "mpim:history"})
_SOME = (
    "mentions; for all messages of channels it was invited to, add the scopes channels:history,"
    " groups:history and mpim:history and the events message.channels, message.groups and message.mpim"
)


async def facts(api: Api, options: Options) -> Mapping[str, str]:
    """Who the token is, what it may do, and whether a socket can be had.

    Raises:
        AdapterError: Slack refused a token, or could not be reached.
    """
    told = await api.read("auth.test", {})
    granted = api.granted
    found = {
        "name": f"@{whole(told.get('user'))}",
        "id": whole(told.get("user_id")),
        "workspace": f"{whole(told.get('team'))} ({whole(told.get('team_id'))})",
        "address": whole(told.get("url")),
        "reads in groups": "all messages" if not granted or granted >= _HEARD else _SOME,
    }
    missing = [scope for scope in SCOPES if granted and scope not in granted]
    if missing:
        found["missing scopes"] = (
            f"{', '.join(missing)}; add them under OAuth & Permissions, and install again"
        )
    if options.receive == "socket":
        await api.socket_url()
        found["socket mode"] = "on"
    return found
