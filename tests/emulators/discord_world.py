"""The side of Discord that people see: SimCord's model of servers, channels, messages and commands."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

with warnings.catch_warnings():
    # discord.py, which it stands on, loads a module that newer Pythons do without.
    warnings.filterwarnings("ignore", message="'audioop' is deprecated", category=DeprecationWarning)
    from simcord import intents, interactions
    from simcord._clock import Clock
    from simcord.backend import Backend, serializers
    from simcord.backend.errors import BackendError
    from simcord.backend.models import Message
    from simcord.http import router

__all__ = ["BackendError", "Json", "Shown", "World", "readable"]

Json = dict[str, Any]

_LOADING, _HIDDEN = 1 << 7, 1 << 6


class _Now(Clock):
    """The time of day, and what a test lets pass beyond it."""

    def now(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.elapsed)


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot's as it stands in a channel.

    Attributes:
        content: In Discord's Markdown.
        hidden: Whether one person sees it alone.
        loading: Whether it shows "thinking".
    """

    id: int
    content: str
    buttons: tuple[tuple[str, str], ...] = ()
    hidden: bool = False
    loading: bool = False

    @property
    def text(self) -> str:
        """What is read."""
        return readable(self.content)


class World:
    """One bot, a server, and people.

    Attributes:
        backend: SimCord's model.
    """

    def __init__(self) -> None:
        self.backend = Backend(clock=_Now())
        self.guild = self.backend.create_guild("The server").id
        self.channel = self.backend.create_channel(self.guild, "general").id
        self.person = self.member("ada")
        self.other = self.member("bob")

    @property
    def bot(self) -> int:
        """The bot's id."""
        return self.backend.bot_user.id

    def member(self, name: str) -> int:
        """Somebody on the server; their id."""
        user = self.backend.make_user(name, global_name=name.capitalize())
        self.backend.add_member(self.guild, user.id)
        return user.id

    def dm(self, person: int = 0) -> int:
        """The channel in which a person and the bot are alone."""
        return self.backend.get_dm_channel(person or self.person).id

    def thread(self, name: str = "thread") -> int:
        """A thread in the channel, with the bot in it."""
        made = self.backend.create_thread(self.channel, name, self.person)
        self.backend.add_thread_member(made.id, self.bot)
        return made.id

    def say(self, text: str, *, channel: int = 0, user: int = 0, reply_to: int = 0, **more: Any) -> int:
        """A person writes; the message's id."""
        reference = {"message_id": str(reply_to)} if reply_to else None
        message = self.backend.create_message(
            channel or self.dm(user), user or self.person, text, reference=reference, **more
        )
        return message.id

    def edit(self, message: int, text: str, *, channel: int = 0) -> None:
        """A person edits what they wrote."""
        self.backend.edit_message(channel or self.dm(), message, {"content": text})

    def shown(self, channel: int = 0, *, hidden: bool = False) -> list[Shown]:
        """The bot's messages in a channel as they are now, oldest first."""
        messages = self.backend.messages.get(channel or self.dm(), {}).values()
        mine = [_shown(message) for message in messages if message.author_id == self.bot]
        return [one for one in mine if one.hidden == hidden]

    def press(self, label: str, *, channel: int = 0, user: int = 0) -> Json:
        """Somebody presses the newest button with a label; the interaction as Discord tells it."""
        where = channel or self.dm(user)
        for one in reversed(self.shown(where)):
            token = dict(one.buttons).get(label)
            if token is not None:
                return self.press_token(one.id, token, channel=where, user=user)
        raise AssertionError(f"no button {label!r} in {self.shown(where)}")

    def press_token(self, message: int, token: str, *, channel: int, user: int = 0) -> Json:
        """Somebody presses a button by its id."""
        record, payload = self._interaction(3, channel, user, {"custom_id": token, "component_type": 2})
        record.source_message_id = message
        shown = self.backend.messages[channel].get(message)
        payload["message"] = (
            dict(serializers.message_payload(self.backend, shown)) if shown else {"id": str(message)}
        )
        self.backend.emit("INTERACTION_CREATE", payload)
        return payload

    def slash(
        self, name: str, *, value: str = "", channel: int = 0, user: int = 0, locale: str = "en-US"
    ) -> Json:
        """Somebody chooses a command of the menu; one that was not registered cannot be chosen."""
        command = self.backend.find_command(name, None)
        assert command is not None, f"no command {name!r} in the menu"
        data: Json = {"id": command["id"], "name": name, "type": 1}
        if value:
            option = command["options"][0]
            data["options"] = [{"name": option["name"], "type": option["type"], "value": value}]
        _, payload = self._interaction(2, channel or self.dm(user), user, data)
        payload["locale"] = locale
        self.backend.emit("INTERACTION_CREATE", payload)
        return payload

    def history(self, channel: int, *, after: int, limit: int) -> list[Json]:
        """The messages that follow one, the first so many of them, newest first as Discord lists them."""
        messages = sorted(self.backend.messages[channel].values(), key=lambda message: message.id)
        page = [message for message in messages if message.id > after and not message.is_ephemeral][:limit]
        told = [dict(serializers.message_payload(self.backend, message)) for message in reversed(page)]
        for one in told:
            one.pop("guild_id", None)
        return told

    def call(self, method: str, path: str, *, body: Any, params: Json, content: bool) -> Any:
        """One call of the bot's.

        Raises:
            BackendError: Discord refuses it.
        """
        if "after" in params and re.fullmatch(r"/channels/\d+/messages", path):
            channel = int(path.split("/")[2])
            self.backend.require_permissions(
                self.backend.get_channel(channel).guild_id, self.bot, channel, "read_message_history"
            )
            return self.history(channel, after=int(params["after"]), limit=int(params.get("limit", 50)))
        return router.dispatch(
            self.backend, method, path, json=body, params=params, message_content_access=content
        )

    def as_handed(self, event: str, payload: Json, granted: Any) -> Json | None:
        """A dispatch as a bot with these intents gets it; `None` for one it gets not."""
        needed = intents.required_intent(event, payload)
        if needed is not None and not getattr(granted, needed):
            return None
        told = dict(payload)
        if event.startswith("MESSAGE_") and not granted.message_content and "author" in told:
            intents.censor_message(told, self.bot, backend=self.backend)
        return told

    def guild_payload(self) -> Json:
        """The server as the bot is told of it."""
        return dict(serializers.guild_create_payload(self.backend, self.backend.guilds[self.guild]))

    def _interaction(self, kind: int, channel: int, user: int, data: Json) -> tuple[Any, Json]:
        where = self.backend.get_channel(channel)
        return interactions.base_payload(
            self.backend,
            type=kind,
            channel_id=channel,
            guild_id=where.guild_id,
            user_id=user or self.person,
            data=data,
        )


def readable(content: str) -> str:
    """What a person reads, without the marks."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group(1))
        return f"\0{len(kept) - 1}\0"

    text = re.sub(r"\\([^\w\s])", keep, content)
    text = re.sub(r"(?m)^```[\w+\-.#]*\n", "", text)
    text = re.sub(r"\n?```", "", text)
    text = re.sub(r"(?m)^(-# |> )", "", text)
    text = re.sub(r"\[([^\]]*)\]\((\S+?)\)", r"\1 (\2)", text)
    text = re.sub(r"\*\*|~~|\*|`|[\u2060\u200e\u200f]", "", text)
    return re.sub(r"\0(\d+)\0", lambda found: kept[int(found.group(1))], text)


def _shown(message: Message) -> Shown:
    buttons: list[Json] = [button for row in message.components for button in row.get("components", ())]
    return Shown(
        message.id,
        message.content,
        tuple((button["label"], button["custom_id"]) for button in buttons),
        hidden=bool(message.flags & _HIDDEN),
        loading=bool(message.flags & _LOADING),
    )
