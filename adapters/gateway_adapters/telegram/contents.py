"""What a message holds beside text; pure.

Field names are those of the Bot API 10 (read 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from gateway.messages import Attachment
from gateway_adapters.telegram.shapes import Json
from gateway_adapters.telegram.wording import whole

__all__ = ["attachments", "is_service", "unreadable"]

_FILES = {
    "photo": "image",
    "document": "document",
    "voice": "voice",
    "audio": "audio",
    "video": "video",
    "video_note": "video",
    "animation": "video",
}
_LARGEST = 2**53  # bytes; sizes have at most 52 significant bits
_UNREADABLE = (
    "sticker",
    "poll",
    "venue",  # stands beside the location it is at
    "location",
    "contact",
    "dice",
    "game",
    "story",
    "invoice",
    "checklist",
    "paid_media",
    "giveaway",
)
_SERVICE = frozenset(
    {
        "new_chat_members",
        "left_chat_member",
        "new_chat_title",
        "new_chat_photo",
        "delete_chat_photo",
        "group_chat_created",
        "supergroup_chat_created",
        "channel_chat_created",
        "message_auto_delete_timer_changed",
        "pinned_message",
        "successful_payment",
        "refunded_payment",
        "users_shared",
        "chat_shared",
        "gift",
        "unique_gift",
        "connected_website",
        "write_access_allowed",
        "passport_data",
        "proximity_alert_triggered",
        "boost_added",
        "chat_background_set",
        "chat_owner_left",
        "chat_owner_changed",
        "checklist_tasks_done",
        "checklist_tasks_added",
        "direct_message_price_changed",
        "paid_message_price_changed",
        "giveaway_created",
        "giveaway_completed",
        "giveaway_winners",
        "web_app_data",
    }
)
_SERVICES = ("forum_topic_", "general_forum_topic_", "video_chat_", "suggested_post_")


def is_service(message: Json) -> bool:
    """Whether a message tells of something that happened, and nobody says anything in it."""
    return any(key in _SERVICE or key.startswith(_SERVICES) for key in message)


def unreadable(message: Json) -> str:
    """The kind of a message without text or file; a kind newer than this version is `other`."""
    return next((kind for kind in _UNREADABLE if kind in message), "other")


def attachments(message: Json) -> tuple[Attachment, ...]:
    """The files beside a message; of a photo the largest size."""
    found: list[Attachment] = []
    for key, kind in _FILES.items():
        value = message.get(key)
        if key == "document" and "animation" in message:
            continue  # Telegram sends an animation as both
        if isinstance(value, list) and value:
            value = cast("list[object]", value)[-1]
        if isinstance(value, Mapping):
            found.append(_attachment(cast("Json", value), kind))
    return tuple(found)


def _attachment(file: Json, kind: str) -> Attachment:
    return Attachment(
        whole(file["file_id"]),
        kind,
        mime=whole(file.get("mime_type")),
        name=whole(file.get("file_name")),
        size=_size(file),
    )


def _size(file: Json) -> int:
    """Bytes; what no file can have counts as unknown."""
    size = int(file.get("file_size") or 0)
    return size if 0 <= size < _LARGEST else 0
