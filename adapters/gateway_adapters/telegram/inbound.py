"""Read Telegram's updates; pure.

Field names are those of the Bot API 10 (read 2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from gateway.messages import Attachment, Event, Inbound, Person, Place

__all__ = ["ALLOWED", "Me", "read_update"]

Json = Mapping[str, Any]
ALLOWED = ["message", "edited_message", "callback_query", "my_chat_member"]

_FILES = {
    "photo": "image",
    "document": "document",
    "voice": "voice",
    "audio": "audio",
    "video": "video",
    "video_note": "video",
    "animation": "video",
}
_UNREADABLE = (
    "sticker",
    "poll",
    "location",
    "venue",
    "contact",
    "dice",
    "game",
    "story",
    "invoice",
    "checklist",
    "paid_media",
)
_COMMAND = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@([A-Za-z0-9_]{3,64}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Me:
    """The bot itself.

    Attributes:
        username: Without the `@`, as Telegram spells it.
    """

    id: int
    username: str


def read_update(update: Json, raw: bytes, me: Me) -> Event:
    """What an update means.

    Args:
        update: The update, decoded.
        raw: The update as it came, kept with the event.
        me: Who the bot is, to know what is meant for it.

    Returns:
        An event; one that cannot be read is dropped as `unparsable` and never raises.
    """
    try:
        return _read(update, raw, me)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return Event(raw, dropped="unparsable")


def _read(update: Json, raw: bytes, me: Me) -> Event:
    key = f"u:{int(update['update_id'])}"
    if "message" in update:
        return _message(_object(update["message"]), key, raw, me)
    if "callback_query" in update:
        return _press(_object(update["callback_query"]), key, raw)
    for kind in ("edited_message", "my_chat_member"):
        if kind in update:
            return Event(raw, dropped=kind)
    return Event(raw, dropped="unsupported")


def _object(value: object) -> Json:
    if not isinstance(value, Mapping):
        raise TypeError("not an object")
    return cast("Json", value)


def _message(message: Json, key: str, raw: bytes, me: Me) -> Event:
    sender = message.get("from")
    if sender is None:
        return Event(raw, dropped="channel")
    person = _person(_object(sender))
    if person.bot:
        return Event(raw, dropped="own" if person.id == str(me.id) else "bot")
    chat = _object(message["chat"])
    place = _place(message, chat)
    text, entities = _text(message)
    attachments = _attachments(message)
    unreadable = "" if text or attachments else next((kind for kind in _UNREADABLE if kind in message), "")
    if not text and not attachments and not unreadable:
        return Event(raw, dropped="service")
    command, argument, foreign = _command(text, entities, me)
    if foreign:
        return Event(raw, dropped="foreign_command")
    inbound = Inbound(
        "command" if command else "message",
        place,
        person,
        text=argument if command else text,
        message_id=str(int(message["message_id"])),
        at=float(message.get("date", 0)),
        addressed=place.private or bool(command) or _is_meant(message, text, entities, me),
        command=command,
        reply_to=_replied(message),
        attachments=attachments,
        unreadable=unreadable,
    )
    return Event(raw, (key, f"m:{place.chat}:{inbound.message_id}"), inbound)


def _press(query: Json, key: str, raw: bytes) -> Event:
    message = query.get("message")
    data = query.get("data")
    if message is None or not isinstance(data, str):
        return Event(raw, dropped="unsupported")
    shown = _object(message)
    inbound = Inbound(
        "action",
        _place(shown, _object(shown["chat"])),
        _person(_object(query["from"])),
        message_id=str(int(shown["message_id"])),
        at=float(shown.get("date", 0)),
        action=data,
        press=str(query["id"]),
    )
    return Event(raw, (key, f"q:{query['id']}"), inbound)


def _person(user: Json) -> Person:
    name = " ".join(str(user[part]) for part in ("first_name", "last_name") if user.get(part))
    return Person(
        str(int(user["id"])),
        name=name,
        language=str(user.get("language_code") or ""),
        bot=bool(user.get("is_bot")),
    )


def _place(message: Json, chat: Json) -> Place:
    """The chat, and the topic where the message stands in one; the General topic has none."""
    topic = message.get("message_thread_id") if message.get("is_topic_message") else None
    return Place(
        str(int(chat["id"])),
        thread=str(int(topic)) if topic is not None else "",
        private=chat.get("type") == "private",
    )


def _text(message: Json) -> tuple[str, list[Json]]:
    for text_key, entities_key in (("text", "entities"), ("caption", "caption_entities")):
        text = message.get(text_key)
        if isinstance(text, str):
            return text, [_object(entity) for entity in message.get(entities_key) or ()]
    return "", []


def _slice(text: str, entity: Json) -> str:
    """What an entity covers; its offsets are UTF-16 code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    start = int(entity["offset"]) * 2
    return units[start : start + int(entity["length"]) * 2].decode("utf-16-le", "replace")


def _command(text: str, entities: list[Json], me: Me) -> tuple[str, str, bool]:
    """The command at the very start: its name, what follows, and whether another bot is meant."""
    first = next(
        (one for one in entities if one.get("type") == "bot_command" and one.get("offset") == 0), None
    )
    if first is None:
        return "", "", False
    word = _slice(text, first)
    match = _COMMAND.fullmatch(word)
    if match is None:
        return "", "", False
    target = match.group(2)
    if target is not None and target.lower() != me.username.lower():
        return "", "", True
    return match.group(1).lower(), text[len(word) :].strip(), False


def _is_meant(message: Json, text: str, entities: list[Json], me: Me) -> bool:
    """Whether a group's message is for the bot: a reply to it, or a mention of it."""
    replied = message.get("reply_to_message")
    if isinstance(replied, Mapping):
        author = cast("Json", replied).get("from")
        if isinstance(author, Mapping) and cast("Json", author).get("id") == me.id:
            return True
    handle = f"@{me.username}".lower()
    for entity in entities:
        if entity.get("type") == "mention" and _slice(text, entity).lower() == handle:
            return True
        if entity.get("type") == "text_mention" and _object(entity["user"]).get("id") == me.id:
            return True
    return False


def _replied(message: Json) -> str:
    replied = message.get("reply_to_message")
    return str(cast("Json", replied).get("message_id", "")) if isinstance(replied, Mapping) else ""


def _attachments(message: Json) -> tuple[Attachment, ...]:
    found: list[Attachment] = []
    for key, kind in _FILES.items():
        value = message.get(key)
        if key == "document" and "animation" in message:
            continue  # Telegram sends an animation as both
        if isinstance(value, list) and value:
            value = cast("list[object]", value)[-1]  # the largest size of a photo
        if isinstance(value, Mapping):
            file = cast("Json", value)
            found.append(
                Attachment(
                    str(file["file_id"]),
                    kind,
                    mime=str(file.get("mime_type") or ""),
                    name=str(file.get("file_name") or ""),
                    size=int(file.get("file_size") or 0),
                )
            )
    return tuple(found)
