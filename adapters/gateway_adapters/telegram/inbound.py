"""Read Telegram's updates; pure.

Field names are those of the Bot API 10 (read 2026-11).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast

from gateway.messages import Event, Inbound, Person, Place
from gateway_adapters.telegram.contents import attachments, is_service, unreadable
from gateway_adapters.telegram.shapes import MALFORMED, Json, mapping
from gateway_adapters.telegram.wording import Wording, whole

__all__ = ["ALLOWED", "Me", "read_update"]

ALLOWED = ["message", "edited_message", "callback_query", "my_chat_member"]

_MOVES = ("migrate_to_chat_id", "migrate_from_chat_id")
_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]{3,64}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself.

    Attributes:
        username: Without the `@`, as Telegram spells it.
    """

    id: int
    username: str


def read_update(update: object, raw: bytes, me: Me) -> Event:
    """What an update means.

    Args:
        update: The update, decoded.
        raw: The update as it came, kept with the event.
        me: Who the bot is, to know what is meant for it.

    Returns:
        An event; one that cannot be read is dropped as `unparsable` and never raises.
    """
    try:
        return _read(mapping(update), raw, me)
    except MALFORMED:
        return Event(raw, dropped="unparsable")


def _read(update: Json, raw: bytes, me: Me) -> Event:
    key = f"u:{int(update['update_id'])}"
    if "message" in update:
        return _message(mapping(update["message"]), key, raw, me)
    if "callback_query" in update:
        return _press(mapping(update["callback_query"]), key, raw)
    if "edited_message" in update:
        return _edit(mapping(update["edited_message"]), key, raw, me)
    return Event(raw, dropped="membership" if "my_chat_member" in update else "unsupported")


def _message(message: Json, key: str, raw: bytes, me: Me) -> Event:
    person = _author(message)
    if person is None:
        return Event(raw, dropped="channel")
    if person.bot:
        return Event(raw, dropped="own" if person.id == str(me.id) else "bot")
    if any(move in message for move in _MOVES):
        return Event(raw, dropped="migrated")
    if is_service(message):
        return Event(raw, dropped="service")
    place = _place(message)
    wording = Wording.of(message)
    words = wording.without_mention(me.id, me.username)
    command, rest, foreign = _command(words, me)
    if foreign and not place.private:
        return Event(raw, dropped="foreign_command")
    files = attachments(message)
    inbound = Inbound(
        "command" if command else "message",
        place,
        person,
        text=rest if command else words.spelt(),
        message_id=str(int(message["message_id"])),
        at=float(int(message.get("date", 0))),
        addressed=place.private
        or bool(command)
        or wording.mentions(me.id, me.username)
        or _is_reply_to(message, me),
        command=command,
        reply_to=_replied(message),
        attachments=files,
        unreadable="" if wording.text or files else unreadable(message),
        album=whole(message.get("media_group_id")),
    )
    return Event(raw, (key, f"m:{place.chat}:{inbound.message_id}"), inbound)


def _edit(message: Json, key: str, raw: bytes, me: Me) -> Event:
    """An earlier message as it reads now, which is no command whatever it begins with.

    A place that moves, and what another bot does to the message a person sent by it, are edits too, in which
    nobody says anything. Two edits of one second differ by their words.
    """
    event = _message(message, key, raw, me)
    said = event.inbound
    if said is None:
        return event
    if said.unreadable or "via_bot" in message or "edit_date" not in message:
        return Event(raw, dropped="edited")
    text = Wording.of(message).without_mention(me.id, me.username).spelt()
    at = int(message["edit_date"])
    read = zlib.crc32(repr((text, said.attachments)).encode("utf-8", "replace"))
    inbound = replace(said, kind="edit", text=text, command="", at=float(at))
    return Event(raw, (key, f"e:{said.place.chat}:{said.message_id}:{at}:{read:x}"), inbound)


def _press(query: Json, key: str, raw: bytes) -> Event:
    """A press; when it happened, Telegram does not say, and its message may be as old as it likes."""
    data, press = query.get("data"), query["id"]
    if query.get("message") is None or not isinstance(data, str):
        return Event(raw, dropped="unsupported")
    if not isinstance(press, str):
        raise TypeError("a query's id is a string")
    shown = mapping(query["message"])
    inbound = Inbound(
        "action",
        _place(shown),
        _person(mapping(query["from"])),
        message_id=str(int(shown["message_id"])),
        action=whole(data),
        press=whole(press),
    )
    return Event(raw, (key, f"q:{inbound.press}"), inbound)


def _author(message: Json) -> Person | None:
    """Who wrote; `None` for a channel's post, also where it stands in the group that discusses it.

    An administrator who stays anonymous writes as the group, behind a bot of Telegram's own.
    """
    sender = message.get("from")
    if sender is None or message.get("is_automatic_forward"):
        return None
    person = _person(mapping(sender))
    behind = message.get("sender_chat")
    if person.bot and behind is not None:
        chat = mapping(behind)
        return Person(str(int(chat["id"])), name=whole(chat.get("title")), language=person.language)
    return person


def _person(user: Json) -> Person:
    names = (whole(user.get("first_name")), whole(user.get("last_name")))
    return Person(
        str(int(user["id"])),
        name=" ".join(filter(None, names)),
        language=whole(user.get("language_code")),
        bot=bool(user.get("is_bot")),
    )


def _place(message: Json) -> Place:
    """The chat, and the topic where the message stands in one; the General topic has none."""
    chat = mapping(message["chat"])
    topic = message.get("message_thread_id") if message.get("is_topic_message") else None
    return Place(
        str(int(chat["id"])),
        thread=str(int(topic)) if topic is not None else "",
        private=chat.get("type") == "private",
    )


def _command(words: Wording, me: Me) -> tuple[str, str, bool]:
    """The command the words begin with: its name, what follows, and whether another bot is meant.

    Telegram marks `/etc` in `/etc/hosts` as a command too; that is none.
    """
    entity = words.first("bot_command")
    if entity is None:
        return "", "", False
    word, rest = words.cut(entity)
    match = _COMMAND.fullmatch(word)
    if match is None or (rest and not rest[0].isspace()):
        return "", "", False
    target = match.group(2)
    if target is not None and target.lower() != me.username.lower():
        return "", "", True
    return match.group(1).lower(), rest.strip(), False


def _is_reply_to(message: Json, me: Me) -> bool:
    """Whether a message answers one of the bot's.

    Every message of a topic answers the topic's own first one, also in a topic that the bot made.
    """
    replied = message.get("reply_to_message")
    if not isinstance(replied, Mapping) or "forum_topic_created" in replied:
        return False
    author = cast("Json", replied).get("from")
    return isinstance(author, Mapping) and cast("Json", author).get("id") == me.id


def _replied(message: Json) -> str:
    replied = message.get("reply_to_message")
    if not isinstance(replied, Mapping) or "forum_topic_created" in replied:
        return ""
    return str(int(cast("Json", replied)["message_id"]))
