"""A workspace: channels, people, and what stands written."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import Any

from tests.emulators.slack_rules import looks

Json = dict[str, Any]

APP = "A0EMULATED"
BOT_USER, BOT_ID = "U0BOT", "B0BOT"
_KINDS = {"D": "im", "C": "channel", "G": "mpim"}


@dataclass(slots=True)
class Shown:
    """One message of the bot's as people see it now."""

    ts: str
    text: str
    thread: str
    raw: Json
    buttons: list[Json]


@dataclass(slots=True)
class Channel:
    """A channel.

    Attributes:
        kind: `im`, `mpim`, `group` or `channel`.
        joined: Whether the bot is in it.
        archived: Whether it is closed.
        messages: By timestamp, everybody's, in order.
    """

    id: str
    kind: str
    joined: bool = True
    archived: bool = False
    messages: dict[str, Json] = field(default_factory=dict[str, Json])


class Chats:
    """What is in the workspace.

    Attributes:
        channels: By id; made when somebody speaks there.
        people: Profile and language by id.
        ephemeral: What single people were shown, as `(channel, person, message)`.
        statuses: What stood beside the bot's name, as `(channel, thread, status)`.
        pings: Everything in mrkdwn that called somebody.
        files: Name and content by id.
    """

    def __init__(self, team: str) -> None:
        self.team = team
        self.channels: dict[str, Channel] = {}
        self.people: dict[str, Json] = {}
        self.ephemeral: list[tuple[str, str, Json]] = []
        self.statuses: list[tuple[str, str, str]] = []
        self.pings: list[str] = []
        self.files: dict[str, tuple[Json, bytes]] = {}
        self._counter = itertools.count(1)

    def channel(self, channel: str, *, kind: str = "") -> Channel:
        """A channel, made when it is new."""
        return self.channels.setdefault(channel, Channel(channel, kind or _KINDS.get(channel[:1], "channel")))

    def person(self, user: str, *, name: str = "", locale: str = "en-US") -> Json:
        """Somebody, made when they are new."""
        return self.people.setdefault(
            user,
            {"id": user, "profile": {"display_name": name or f"Person {user}"}, "locale": locale},
        )

    def stamp(self) -> str:
        """A new timestamp, later than every other."""
        return f"{int(time.time())}.{next(self._counter):06d}"

    def put(self, channel: str, **fields: Any) -> Json:
        """Write a message."""
        ts = str(fields.pop("ts", "") or self.stamp())
        message: Json = {"type": "message", "ts": ts, **{k: v for k, v in fields.items() if v is not None}}
        self.channel(channel).messages[ts] = message
        return message

    def bot(self, **fields: Any) -> Json:
        """What marks a message as the bot's."""
        return {"user": BOT_USER, "bot_id": BOT_ID, "app_id": APP, "team": self.team, **fields}

    def shown(self, channel: str, *, thread: str | None = None) -> list[Shown]:
        """The bot's messages in a channel, or in one of its threads, in order."""
        found: list[Shown] = []
        for message in self.channel(channel).messages.values():
            inside = message.get("thread_ts", "")
            if message.get("bot_id") == BOT_ID and thread in (None, inside):
                found.append(Shown(message["ts"], looks(message), inside, message, buttons_of(message)))
        return found


def buttons_of(message: Json) -> list[Json]:
    """The buttons of a message."""
    return [
        button
        for block in message.get("blocks") or ()
        if block["type"] == "actions"
        for button in block["elements"]
    ]
