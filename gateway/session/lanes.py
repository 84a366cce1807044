"""Which lane an inbound waits in: conversations in order, controls past them."""

from __future__ import annotations

from typing import Literal

from gateway.messages import Inbound, Person, Place
from gateway.ownership.queues import CONTROL, NEWS

__all__ = [
    "CONTROL_COMMANDS",
    "STOP",
    "Scope",
    "bot_of",
    "control_lane",
    "control_name",
    "conversation_lane",
    "conversation_of",
    "is_control",
    "lane_of",
    "news_lane",
    "told_lane",
]

Scope = Literal["auto", "user", "chat", "thread"]

CONTROL_COMMANDS = frozenset({"stop", "status", "help", "whoami", "why", "language", "start", "pair"})
STOP = "stop."  # begins the token of a button that stops a turn, followed by the turn's id


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


def lane_of(bot: str, inbound: Inbound, scope: Scope = "auto", *, queue: str = "") -> tuple[str, str]:
    """The name it is claimed under and its lane.

    Args:
        bot: The bot's name.
        inbound: What came in.
        scope: What one conversation is.
        queue: The name that work of its place waits under, where that is not the bot's.
    """
    lane = f"{bot}/{conversation_of(inbound.place, inbound.sender, scope)}"
    if is_control(inbound):
        return control_name(queue or bot), control_lane(lane)
    return queue or bot, lane


def control_name(queue: str) -> str:
    """The name that control commands wait under, so that a full pool never keeps them waiting."""
    return f"{queue}{CONTROL}"


def news_lane(lane: str) -> str:
    """Where word of an arrival in a conversation's lane waits."""
    bot, _, rest = lane.partition("/")
    return f"{bot}{NEWS}/{rest}"


def told_lane(lane: str) -> str:
    """The conversation's lane that such word is of."""
    bot, _, rest = lane.partition("/")
    return f"{bot.removesuffix(NEWS)}/{rest}"


def control_lane(lane: str) -> str:
    """The control lane beside a conversation's lane."""
    bot, _, rest = lane.partition("/")
    return f"{bot}{CONTROL}/{rest}"


def conversation_lane(lane: str) -> str:
    """The conversation's lane beside a control lane."""
    bot, _, rest = lane.partition("/")
    return f"{bot_of(bot)}/{rest}"


def bot_of(name: str) -> str:
    """The name of conversations' work behind one that lanes are claimed under."""
    return name.removesuffix(CONTROL)
