"""What an inbox entry holds."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gateway.delivery import encode
from gateway.messages import Event, Inbound

__all__ = ["Envelope", "Overheard", "Telling", "seal", "unseal"]


class Overheard(msgspec.Struct, frozen=True):
    """A message of a group that was not for the bot, said before one that is."""

    speaker: str
    text: str


class Telling(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of ours for somebody who asked nothing, such as an alert to the bot's owner."""

    line: str
    values: dict[str, str] = {}


class Envelope(msgspec.Struct, omit_defaults=True):
    """An accepted inbound beside the platform's own event.

    Attributes:
        overheard: What was said in the group meanwhile, oldest first.
        refused: The word of the ending with which it is turned away at once; empty to take it.
        telling: What to say at its place instead of handling it.
    """

    inbound: Inbound | None
    raw: str = ""
    overheard: list[Overheard] = []
    refused: str = ""
    telling: Telling | None = None


_decoder = msgspec.json.Decoder(Envelope)


def seal(
    event: Event,
    *,
    overheard: Sequence[Overheard] = (),
    refused: str = "",
    telling: Telling | None = None,
) -> bytes:
    """The entry's body."""
    raw = event.raw.decode("utf-8", "replace")
    return encode(Envelope(event.inbound, raw, list(overheard), refused, telling))


def unseal(body: bytes) -> Envelope:
    """Read an entry's body.

    Raises:
        msgspec.MsgspecError: It was written by something else.
    """
    return _decoder.decode(body)
