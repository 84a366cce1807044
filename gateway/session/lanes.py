"""Which lane an inbound waits in: conversations in order, controls past them."""

from __future__ import annotations

from typing import Literal

from gateway.messages import Inbound, Person, Place

__all__ = [
    "CONTROL_COMMANDS",
    "STOP",
    "Scope",
    "bot_of",
    "control_lane",
    "conversation_lane",
    "conversation_of",
    "is_control",
    "lane_of",
]

Scope = Literal["auto", "user", "chat", "thread"]

CONTROL_COMMANDS = frozenset({"stop", "status", "help", "whoami", "why", "language", "start", "pair"})
STOP = "stop."  # begins the token of a button that stops a turn, followed by the turn's id
_CONTROL = "!"  # control lanes live under a name of their own, so that a full pool never keeps them waiting


def conversation_of(place: Place, person: Person, scope: Scope = "auto") -> str:
    """The key of the conversation.

    `auto` and `thread`: one private chat, one group, or one topic of a group; `chat`: a group with all its
    topics; `user`: what one person says in one of those.
    """
    chat = place.formerly or place.chat
    key = f"{chat}:{place.thread}" if place.thread and scope != "chat" else chat
    return f"{key}@{person.id}" if scope == "user" and not place.private else key


def is_control(inbound: Inbound) -> bool:
    """Whether it must be answered at once, whatever the conversation's lane does."""
    if inbound.kind == "action":
        return inbound.action.startswith(STOP)
    return inbound.kind == "command" and inbound.command in CONTROL_COMMANDS


def lane_of(bot: str, inbound: Inbound, scope: Scope = "auto") -> tuple[str, str]:
    """The name it is claimed under and its lane."""
    lane = f"{bot}/{conversation_of(inbound.place, inbound.sender, scope)}"
    if is_control(inbound):
        return f"{bot}{_CONTROL}", control_lane(lane)
    return bot, lane


def control_lane(lane: str) -> str:
    """The control lane beside a conversation's lane."""
    bot, _, rest = lane.partition("/")
    return f"{bot}{_CONTROL}/{rest}"


def conversation_lane(lane: str) -> str:
    """The conversation's lane beside a control lane."""
    bot, _, rest = lane.partition("/")
    return f"{bot_of(bot)}/{rest}"


def bot_of(name: str) -> str:
    """The bot behind a name that lanes are claimed under."""
    return name.removesuffix(_CONTROL)
