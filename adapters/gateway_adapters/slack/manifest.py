"""The manifest of an app that this adapter can be: its scopes, its events, and where it receives; pure."""

from __future__ import annotations

from typing import Any, Literal

__all__ = ["EVENTS", "SCOPES", "manifest"]

SCOPES = (
    "app_mentions:read",  # be called in channels
    "assistant:write",  # a status while an answer is written, and chats with the assistant
    "channels:history",  # replies in threads, what was said during a stop, and messages found again
    "chat:write",
    "chat:write.public",  # answer who calls it in a public channel that it was not invited to
    "commands",
    "files:read",  # the kind and name of files
    "groups:history",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "users:read",  # names, and the language of each person
)
EVENTS = (
    "app_mention",
    "app_uninstalled",
    "assistant_thread_started",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "tokens_revoked",
    "user_change",
)
_RESERVED = frozenset(  # what Slack clients keep to themselves
    {
        "active",
        "add-section",
        "agent",
        "app",
        "apps",
        "archive",
        "assistant",
        "away",
        "call",
        "canvas",
        "collapse",
        "collapse-mentions",
        "dm",
        "dnd",
        "expand",
        "feed",
        "feedback",
        "groups",
        "help",
        "invite",
        "join",
        "keys",
        "kick",
        "leave",
        "list",
        "me",
        "msg",
        "mute",
        "open",
        "part",
        "people",
        "pref",
        "prefs",
        "remind",
        "remove",
        "rename",
        "search",
        "section",
        "settings",
        "share",
        "shortcuts",
        "shrug",
        "star",
        "status",
        "stop",
        "topic",
        "todo",
        "who",
        "workflow",
    }
)
_NAME, _COMMAND = 35, 32  # characters


def manifest(
    *, name: str, command: str = "", receive: Literal["socket", "webhook"] = "socket", url: str = ""
) -> dict[str, Any]:
    """The manifest to paste at api.slack.com/apps, Create New App, From a manifest.

    Args:
        name: What the app and its bot are called.
        command: The one slash command, such as `/helper`; made of the name when empty.
        receive: As in the bot's options.
        url: For a webhook, the address of the bot's endpoint.

    Raises:
        ValueError: A webhook has no https address.
    """
    if receive == "webhook" and not url.startswith("https://"):
        raise ValueError("receive: webhook needs the https address of the bot's endpoint")
    told = {"request_url": url} if receive == "webhook" else {}
    return {
        "display_information": {"name": name[:_NAME]},
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name[:_NAME], "always_online": True},
            "slash_commands": [
                {
                    "command": command or command_of(name),
                    "description": "Say something to the bot, or stop, help, new, status",
                    "usage_hint": "stop",
                    "should_escape": True,
                    **({"url": url} if told else {}),
                }
            ],
            "assistant_view": {"assistant_description": name[:_NAME]},
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS), **told},
            "interactivity": {"is_enabled": True, **told},
            "org_deploy_enabled": False,
            "socket_mode_enabled": receive == "socket",
            "token_rotation_enabled": False,
        },
    }


def command_of(name: str) -> str:
    """A slash command that no other one of Slack's is called like."""
    plain = "".join(
        mark for mark in name.lower().replace(" ", "-") if mark.isascii() and (mark.isalnum() or mark in "-_")
    )
    word = plain.strip("-_")[: _COMMAND - 1] or "lastword"
    return f"/{word}-bot" if word in _RESERVED else f"/{word}"
