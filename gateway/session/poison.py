"""Entries that cannot be read, or break whatever handles them: kept, and told of where the place is known."""

from __future__ import annotations

from typing import cast

import msgspec

from gateway.abc.store import Claim, Letter
from gateway.messages import Inbound, Person, Place

__all__ = ["UNREAD", "salvaged", "unread"]

UNREAD = "in."  # begins the id of a dead letter that is an entry of the inbox


def unread(claim: Claim) -> Letter:
    """The entry as a letter that no sender can read, so that it ends among the dead ones."""
    return Letter(f"{UNREAD}{claim.entry:x}", claim.bot, claim.lane, "", claim.body, claim.at)


def salvaged(body: bytes) -> Inbound | None:
    """What can still be read of an entry: who wrote, where and what; `None` without a place."""
    try:
        told = cast("object", msgspec.json.decode(body))
        found = _inside(told, "inbound")
        place = msgspec.convert(_inside(found, "place"), Place)
    except msgspec.MsgspecError:
        return None
    return Inbound(
        "message", place, _person(found), _text(found, "text"), message_id=_text(found, "message_id")
    )


def _inside(value: object, key: str) -> object:
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None


def _person(found: object) -> Person:
    try:
        return msgspec.convert(_inside(found, "sender"), Person)
    except msgspec.MsgspecError:
        return Person("")


def _text(found: object, key: str) -> str:
    value = _inside(found, key)
    return value if isinstance(value, str) else ""
