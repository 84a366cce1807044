"""What updates tell of a chat itself, though nobody says anything in it; pure.

Field names are those of the Bot API 10 (read 2026-11).
"""

from __future__ import annotations

from dataclasses import dataclass

from gateway_adapters.telegram.shapes import MALFORMED, mapping

__all__ = ["Membership", "membership", "migration"]


@dataclass(frozen=True, slots=True)
class Membership:
    """What became of the bot in a chat.

    Attributes:
        now: Telegram's word: `member`, `administrator`, `restricted`, `left`, or `kicked`, which in a
            private chat is a person who blocked the bot.
    """

    chat: str
    private: bool
    before: str
    now: str


def membership(update: object) -> Membership | None:
    """What an update says of the bot's place in a chat; `None` for every other update."""
    try:
        change = mapping(mapping(update)["my_chat_member"])
        chat = mapping(change["chat"])
        before, now = (_status(change[key]) for key in ("old_chat_member", "new_chat_member"))
        return Membership(str(int(chat["id"])), chat.get("type") == "private", before, now)
    except MALFORMED:
        return None


def migration(update: object) -> tuple[str, str] | None:
    """The old and the new id of a group that an update says became a supergroup; told in either of them."""
    try:
        message = mapping(mapping(update)["message"])
        here = str(int(mapping(message["chat"])["id"]))
        if "migrate_to_chat_id" in message:
            return here, str(int(message["migrate_to_chat_id"]))
        return str(int(message["migrate_from_chat_id"])), here
    except MALFORMED:
        return None


def _status(member: object) -> str:
    status = mapping(member)["status"]
    if not isinstance(status, str):
        raise TypeError("a status is a word")
    return status[:16]
