"""Where on Discord something is said; pure.

A thread is a channel with an id of its own and the same calls, so a place is a channel, whichever kind it is.
What answers a command is said in the channel under a passing name, which holds the interaction's id: so the
answer, and nothing else that is said there meanwhile, takes the place of "thinking".
"""

from __future__ import annotations

from dataclasses import replace

from gateway.messages import Place

__all__ = ["channel_of", "interaction_of", "place_of_interaction"]

_SIGN = "~"


def place_of_interaction(place: Place, interaction: str) -> Place:
    """The place of a command's answer; its conversation is the channel's."""
    return replace(place, chat=f"{place.chat}{_SIGN}{interaction}", formerly=place.chat)


def channel_of(place: Place) -> str:
    """The id of the channel."""
    return place.chat.partition(_SIGN)[0]


def interaction_of(place: Place) -> str:
    """The id of the interaction that is answered there; empty for none."""
    return place.chat.partition(_SIGN)[2]
