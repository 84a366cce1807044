"""Which lane an inbound waits in: conversations in order, controls past them."""

from __future__ import annotations

from gateway.messages import Inbound, Place

__all__ = ["CONTROL_COMMANDS", "bot_of", "control_lane", "conversation_of", "is_control", "lane_of"]

CONTROL_COMMANDS = frozenset({"stop", "status", "help", "whoami", "language", "start", "pair"})
_CONTROL = "!"  # control lanes live under a name of their own, so that a full pool never keeps them waiting


def conversation_of(place: Place) -> str:
    """The key of the conversation: one private chat, one group, or one topic of a group."""
    chat = place.formerly or place.chat
    return f"{chat}:{place.thread}" if place.thread else chat


def is_control(inbound: Inbound) -> bool:
    """Whether it must be answered at once, whatever the conversation's lane does."""
    return inbound.kind == "command" and inbound.command in CONTROL_COMMANDS


def lane_of(bot: str, inbound: Inbound) -> tuple[str, str]:
    """The name it is claimed under and its lane."""
    lane = f"{bot}/{conversation_of(inbound.place)}"
    if is_control(inbound):
        return f"{bot}{_CONTROL}", control_lane(lane)
    return bot, lane


def control_lane(lane: str) -> str:
    """The control lane beside a conversation's lane."""
    bot, _, rest = lane.partition("/")
    return f"{bot}{_CONTROL}/{rest}"


def bot_of(name: str) -> str:
    """The bot behind a name that lanes are claimed under."""
    return name.removesuffix(_CONTROL)
