"""What Slack refuses, and what it demands for what it gives."""

from __future__ import annotations

import html
import json
import re
from typing import Any, cast

Json = dict[str, Any]

# What each method demands of the bot token (method pages, docs.slack.dev); an empty set for any token.
DEMANDS: dict[str, frozenset[str]] = {
    "auth.test": frozenset(),
    "chat.postMessage": frozenset({"chat:write"}),
    "chat.postEphemeral": frozenset({"chat:write"}),
    "chat.update": frozenset({"chat:write"}),
    "chat.delete": frozenset({"chat:write"}),
    "chat.startStream": frozenset({"chat:write"}),
    "chat.appendStream": frozenset({"chat:write"}),
    "chat.stopStream": frozenset({"chat:write"}),
    "users.info": frozenset({"users:read"}),
    "files.info": frozenset({"files:read"}),
    "assistant.threads.setStatus": frozenset({"assistant:write"}),
    "conversations.history": frozenset(),  # by the kind of channel, see HISTORY
    "conversations.replies": frozenset(),
}
HISTORY = {
    "im": "im:history",
    "mpim": "mpim:history",
    "group": "groups:history",
    "channel": "channels:history",
}
# What an app must subscribe to, and be granted, to be told of something.
EVENTS: dict[str, str] = {
    "app_mention": "app_mentions:read",
    "assistant_thread_started": "assistant:write",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "user_change": "users:read",
}
GRANTED = frozenset(
    {scope for scopes in DEMANDS.values() for scope in scopes}
    | set(HISTORY.values())
    | set(EVENTS.values())
    | {"commands", "chat:write.public"}
)
READ_ONLY = ("auth.test", "users.info", "files.info", "conversations.history", "conversations.replies")

TEXT, UPDATE, BLOCKS, MARKDOWN, STREAM = 4_000, 4_000, 13_200, 12_000, 12_000
_PING = re.compile(r"<(?:![a-z]|@[UW]|#C)[^<>]*>|<!subteam[^<>]*>")
_STYLES = {"bold", "italic", "strike", "code"}


class Refused(Exception):
    """Slack says `ok: false`."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.more = more


def need(condition: object, error: str) -> None:
    """Refuse unless something holds."""
    if not condition:
        raise Refused(error)


def pings(text: str) -> list[str]:
    """What a text of mrkdwn would call people by."""
    return _PING.findall(text)


def check_blocks(given: Any) -> None:
    """Refuse what is no list of blocks that Slack knows."""
    need(isinstance(given, list), "invalid_blocks")
    blocks = cast("list[Json]", given)
    need(0 < len(blocks) <= 50, "invalid_blocks")
    need(len(json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))) <= BLOCKS, "msg_blocks_too_long")
    for block in blocks:
        need(block.get("type") in _CHECKS, "invalid_blocks")
        _CHECKS[block["type"]](block)


def _rich_text(block: Json) -> None:
    need(block.get("elements"), "invalid_blocks")
    for element in block["elements"]:
        kind = element.get("type")
        need(kind in ("rich_text_section", "rich_text_preformatted", "rich_text_quote"), "invalid_blocks")
        need(element.get("elements"), "invalid_blocks")
        for run in element["elements"]:
            need(run.get("type") in ("text", "link"), "invalid_blocks")
            need(isinstance(run.get("text"), str) and run["text"], "invalid_blocks")
            need(set(run.get("style", {})) <= _STYLES, "invalid_blocks")
            need(not (kind == "rich_text_preformatted" and run.get("style")), "invalid_blocks")
            if run["type"] == "link":
                need(re.fullmatch(r"(https?://|mailto:)\S{1,3000}", run.get("url", "")), "invalid_blocks")


def _context(block: Json) -> None:
    need(0 < len(block.get("elements", ())) <= 10, "invalid_blocks")
    for element in block["elements"]:
        _text(element, 3000)


def _section(block: Json) -> None:
    _text(block.get("text"), 3000)


def _text(given: Any, longest: int) -> None:
    need(isinstance(given, dict), "invalid_blocks")
    value = cast("Json", given)
    need(value.get("type") in ("mrkdwn", "plain_text"), "invalid_blocks")
    need(isinstance(value.get("text"), str) and 0 < len(value["text"]) <= longest, "invalid_blocks")
    need(value["type"] == "plain_text" or "emoji" not in value, "invalid_blocks")


def _actions(block: Json) -> None:
    elements = block.get("elements", ())
    need(0 < len(elements) <= 25, "invalid_blocks")
    need(len({one.get("action_id") for one in elements}) == len(elements), "invalid_blocks")
    for one in elements:
        need(one.get("type") == "button", "invalid_blocks")
        need(one["text"].get("type") == "plain_text", "invalid_blocks")
        _text(one["text"], 75)
        need(0 < len(one["action_id"]) <= 255 and 0 < len(one["value"]) <= 2000, "invalid_blocks")


_CHECKS = {"rich_text": _rich_text, "context": _context, "section": _section, "actions": _actions}


def check_metadata(given: Any) -> None:
    """Refuse metadata that is not of Slack's form."""
    if given is not None:
        metadata = cast("Json", given if isinstance(given, dict) else {})
        need(
            isinstance(metadata.get("event_type"), str) and isinstance(metadata.get("event_payload"), dict),
            "invalid_metadata_format",
        )


def looks(message: Json) -> str:
    """A message as a person reads it, without buttons and looks."""
    blocks = message.get("blocks")
    if not blocks:
        return html.unescape(message.get("text", ""))
    return "\n\n".join(filter(None, map(_seen, blocks)))


def _seen(block: Json) -> str:
    match block["type"]:
        case "rich_text":
            return "\n".join("".join(run["text"] for run in one["elements"]) for one in block["elements"])
        case "context":
            return "".join(html.unescape(one["text"]).replace("`", "") for one in block["elements"])
        case "section":
            text = block["text"]["text"]
            return html.unescape(text) if block["text"]["type"] == "mrkdwn" else text
        case _:
            return ""
