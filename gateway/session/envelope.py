"""What an inbox entry holds."""

from __future__ import annotations

import msgspec

from gateway.delivery import encode
from gateway.messages import Event, Inbound

__all__ = ["Envelope", "seal", "unseal"]


class Envelope(msgspec.Struct, omit_defaults=True):
    """An accepted inbound beside the platform's own event."""

    inbound: Inbound | None
    raw: str = ""


_decoder = msgspec.json.Decoder(Envelope)


def seal(event: Event) -> bytes:
    """The entry's body."""
    return encode(Envelope(event.inbound, event.raw.decode("utf-8", "replace")))


def unseal(body: bytes) -> Envelope:
    """Read an entry's body.

    Raises:
        msgspec.MsgspecError: It was written by something else.
    """
    return _decoder.decode(body)
