"""Read Discord's dispatches; pure.

Field names are those of Discord's API 10 (message resource, receiving and responding, read 2026-11).
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from gateway.messages import Event, Inbound, Person, Place
from gateway_adapters.discord.contents import attachments, unreadable, words
from gateway_adapters.discord.library import AppCommandType, InteractionType, MessageType
from gateway_adapters.discord.places import place_of_interaction
from gateway_adapters.discord.shapes import MALFORMED, Json, mapping, mappings, moment, snowflake, whole

__all__ = ["INTERACTION", "MESSAGES", "Me", "guild_of", "handle_of", "read_dispatch"]

MESSAGES = frozenset({"MESSAGE_CREATE", "MESSAGE_UPDATE"})
"""The dispatches in which people say something; they may be committed together."""
INTERACTION = "INTERACTION_CREATE"
"""The dispatch of a press or a slash command."""

_SAID = (MessageType.default.value, MessageType.reply.value)
_COMMAND = re.compile(r"/([A-Za-z0-9_-]{1,32})(?:\s+(.*))?", re.ASCII | re.DOTALL)
_PASSED_ON = 1  # a reference of this type forwards a message, and answers none
_AFTER_A_NAME = " \t\n,:;"


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself.

    Attributes:
        id: Its user's.
        application: Its application's.
    """

    id: str
    application: str


def read_dispatch(kind: str, data: object, raw: bytes, me: Me) -> Event:
    """What a dispatch means.

    Args:
        kind: Its name, one of `MESSAGES` or `INTERACTION`.
        data: What it carries, decoded.
        raw: The dispatch as it came, kept with the event.
        me: Who the bot is, to know what is meant for it.

    Returns:
        An event; one that cannot be read is dropped as `unparsable` and never raises.
    """
    try:
        told = mapping(data)
        if kind == INTERACTION:
            return _interaction(told, raw, me)
        return _edit(told, raw, me) if kind == "MESSAGE_UPDATE" else _message(told, raw, me)
    except MALFORMED:
        return Event(raw, dropped="unparsable")


def guild_of(data: object) -> str:
    """The server that a dispatch comes from; empty for none."""
    try:
        return whole(mapping(data).get("guild_id"))
    except MALFORMED:
        return ""


def handle_of(data: object) -> str:
    """What an interaction is answered by, its id and its token; empty for what is none."""
    try:
        told = mapping(data)
        return f"{snowflake(told['id'])}:{_token(told)}"
    except MALFORMED:
        return ""


def _message(message: Json, raw: bytes, me: Me) -> Event:
    author = mapping(message["author"])
    dropped = _not_a_persons(message, author, me)
    if dropped:
        return Event(raw, dropped=dropped)
    identity, channel = snowflake(message["id"]), snowflake(message["channel_id"])
    place = Place(channel, private=message.get("guild_id") is None)
    text, files = words(message), attachments(message)
    other = "" if text or files else unreadable(message)
    if not (text or files or other):
        return Event(raw, dropped="censored")
    said = _without_mention(text, me)
    addressed = place.private or _mentions(message, text, me) or _answers(message, me)
    command, rest = _command(said)
    inbound = Inbound(
        "command" if command else "message",
        place,
        _person(author, message.get("member")),
        text=rest if command else said,
        message_id=identity,
        at=datetime.fromisoformat(str(message["timestamp"])).timestamp(),
        addressed=addressed,
        command=command,
        reply_to=_replied(message),
        attachments=files,
        unreadable=other,
    )
    return Event(raw, (f"m:{identity}",), inbound)


def _edit(message: Json, raw: bytes, me: Me) -> Event:
    """An earlier message as it reads now, which is no command whatever it begins with.

    A link's picture that was found, a pin, a poll that ended are edits too, in which nobody says anything.
    """
    edited = message.get("edited_timestamp")
    if edited is None:
        return Event(raw, dropped="edited")
    event = _message(message, raw, me)
    said = event.inbound
    if said is None:
        return event
    if said.unreadable:
        return Event(raw, dropped="edited")
    text = _without_mention(words(message), me)
    read = zlib.crc32(repr((text, said.attachments)).encode("utf-8", "replace"))
    at = datetime.fromisoformat(str(edited)).timestamp()
    inbound = replace(said, kind="edit", text=text, command="", at=at)
    return Event(raw, (f"e:{said.message_id}:{at:.3f}:{read:x}",), inbound)


def _interaction(told: Json, raw: bytes, me: Me) -> Event:
    kind = int(told["type"])
    if kind not in (InteractionType.application_command.value, InteractionType.component.value):
        return Event(raw, dropped="unsupported")
    if snowflake(told["application_id"]) != me.application:
        return Event(raw, dropped="foreign")
    member = told.get("member")
    user = mapping(mapping(member)["user"] if member is not None else told["user"])
    person = replace(_person(user, member), language=whole(told.get("locale")))
    identity, channel = snowflake(told["id"]), snowflake(told["channel_id"])
    press = f"{identity}:{_token(told)}"
    place = Place(channel, private=told.get("guild_id") is None)
    inbound = Inbound("action", place, person, message_id=identity, at=moment(identity), press=press)
    data = mapping(told["data"])
    if kind == InteractionType.application_command.value:
        return _slash(data, inbound, raw)
    return _press(data, mapping(told["message"]), inbound, raw)


def _slash(data: Json, inbound: Inbound, raw: bytes) -> Event:
    if int(data.get("type", 1)) != AppCommandType.chat_input.value:
        return Event(raw, dropped="unsupported")
    name = data["name"]
    if not (isinstance(name, str) and name):
        raise ValueError("a command has a name")
    given = (option.get("value") for option in mappings(data.get("options")))
    done = replace(
        inbound,
        kind="command",
        place=place_of_interaction(inbound.place, inbound.message_id),
        command=whole(name).lower(),
        text=" ".join(whole(value) for value in given if isinstance(value, str)),
        press="",  # a command is answered by a message, in the place of "thinking"
    )
    return Event(raw, (f"i:{inbound.message_id}",), done)


def _press(data: Json, shown: Json, inbound: Inbound, raw: bytes) -> Event:
    token = data["custom_id"]
    if not isinstance(token, str):
        raise TypeError("a button's id is a string")
    done = replace(inbound, message_id=snowflake(shown["id"]), action=whole(token))
    return Event(raw, (f"i:{inbound.message_id}",), done)


def _token(told: Json) -> str:
    token = told["token"]
    if not (isinstance(token, str) and token and "/" not in token):
        raise ValueError("an interaction has a token")
    return whole(token)


def _not_a_persons(message: Json, author: Json, me: Me) -> str:
    """Why a message is nobody's word to the bot; empty where it is somebody's."""
    if snowflake(author["id"]) == me.id:
        return "own"
    if message.get("webhook_id") is not None:
        return "webhook"
    if author.get("bot"):
        return "bot"
    return "" if int(message["type"]) in _SAID and not author.get("system") else "service"


def _person(user: Json, member: object) -> Person:
    nick = whole(cast("Json", member).get("nick")) if isinstance(member, dict) else ""
    name = nick or whole(user.get("global_name")) or whole(user.get("username"))
    return Person(snowflake(user["id"]), name=name, bot=bool(user.get("bot")))


def _mentions(message: Json, text: str, me: Me) -> bool:
    """Whether the bot is named, which a reply to it does too unless its writer chose otherwise."""
    named = (user.get("id") for user in mappings(message.get("mentions")))
    return me.id in named or re.search(rf"<@!?{me.id}>", text) is not None


def _answers(message: Json, me: Me) -> bool:
    replied = message.get("referenced_message")
    if not isinstance(replied, dict) or not _replied(message):
        return False
    author = cast("Json", replied).get("author")
    return isinstance(author, dict) and cast("Json", author).get("id") == me.id


def _replied(message: Json) -> str:
    reference = message.get("message_reference")
    if not isinstance(reference, dict) or cast("Json", reference).get("type") == _PASSED_ON:
        return ""
    return whole(cast("Json", reference).get("message_id"))


def _without_mention(text: str, me: Me) -> str:
    """The text without a mention at the very start that only says who is spoken to."""
    for name in (f"<@{me.id}>", f"<@!{me.id}>"):
        if text.startswith(name):
            return text.removeprefix(name).lstrip(_AFTER_A_NAME) or text
    return text


def _command(text: str) -> tuple[str, str]:
    """The command that a text begins with, typed rather than chosen, and what follows it."""
    match = _COMMAND.fullmatch(text.strip())
    return (match.group(1).lower(), (match.group(2) or "").strip()) if match else ("", "")
