"""What a message holds beside its words; pure.

Field names are those of Discord's API 10 (message resource, read 2026-11).
"""

from __future__ import annotations

from gateway.messages import Attachment
from gateway_adapters.discord.shapes import Json, mapping, mappings, snowflake, whole

__all__ = ["attachments", "unreadable", "words"]

_VOICE = 1 << 13  # flag of a voice message
_LARGEST = 2**53  # bytes
_KINDS = ("image", "audio", "video")


def words(message: Json) -> str:
    """What a person wrote, or what they passed on of somebody else's."""
    own = whole(message.get("content"))
    if own:
        return own
    passed = (mapping(one["message"]) for one in mappings(message.get("message_snapshots")))
    return "\n".join(filter(None, (whole(one.get("content")) for one in passed)))


def attachments(message: Json) -> tuple[Attachment, ...]:
    """The files beside a message.

    Their addresses end after a day, so each is kept by where it can be asked for again.
    """
    home = f"{snowflake(message['channel_id'])}/{snowflake(message['id'])}"
    voice = bool(int(message.get("flags") or 0) & _VOICE)
    return tuple(_attachment(one, home, voice=voice) for one in mappings(message.get("attachments")))


def _attachment(file: Json, home: str, *, voice: bool) -> Attachment:
    mime = whole(file.get("content_type")).partition(";")[0]
    broad = mime.partition("/")[0]
    size = int(file.get("size") or 0)
    return Attachment(
        f"{home}/{snowflake(file['id'])}",
        "voice" if voice else broad if broad in _KINDS else "document",
        mime=mime,
        name=whole(file.get("filename")),
        size=size if 0 <= size < _LARGEST else 0,
    )


def unreadable(message: Json) -> str:
    """The kind of a message without words and files; empty where Discord keeps back what it says."""
    if message.get("sticker_items"):
        return "sticker"
    if message.get("poll"):
        return "poll"
    return "other" if message.get("embeds") or message.get("components") else ""
