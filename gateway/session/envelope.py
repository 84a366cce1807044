"""What an inbox entry holds."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gateway.delivery import encode
from gateway.messages import Event, Inbound
from gateway.session.carrying import FORM, carried, parted, written

__all__ = ["Envelope", "Overheard", "Telling", "seal", "unseal"]


class Overheard(msgspec.Struct, frozen=True):
    """A message of a group that was not for the bot, said before one that is."""

    speaker: str
    text: str


class Telling(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of ours for somebody who asked nothing, such as an alert to the bot's owner.

    Attributes:
        turn: The turn it speaks of, which is offered to be tried again; empty for none.
        ref: The reference of that turn.
        acted: Whether tools with effects had started in it, so that trying again asks first.
        heard: When the person was heard who is told, unix seconds; 0 for one who was not.
    """

    line: str
    values: dict[str, str] = {}
    turn: str = ""
    ref: str = ""
    acted: bool = False
    heard: float = 0.0


class Envelope(msgspec.Struct, omit_defaults=True):
    """An accepted inbound beside the platform's own event.

    Attributes:
        overheard: What was said in the group meanwhile, oldest first.
        refused: The word of the ending with which it is turned away at once; empty to take it.
        telling: What to say at its place instead of handling it.
        version: How it is to be read; grows when an older gateway would read it wrongly.
        form: Of the inbound, see `carrying`.
    """

    inbound: Inbound | None
    raw: str = ""
    overheard: list[Overheard] = []
    refused: str = ""
    telling: Telling | None = None
    version: int = 1
    form: int = 0


_VERSION = 1
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
    envelope = Envelope(event.inbound, raw, list(overheard), refused, telling, form=FORM)
    if event.inbound is None or type(event.inbound) is Inbound:
        return encode(envelope)
    known = msgspec.to_builtins(envelope)
    known["inbound"], known["form"] = written(event.inbound)
    return encode(known)


def unseal(body: bytes) -> Envelope:
    """Read an entry's body.

    Raises:
        msgspec.MsgspecError: It was written by something else, or by a version after this one.
    """
    envelope = _decoder.decode(body)
    if envelope.version > _VERSION:
        told = f"an entry of version {envelope.version}; this gateway reads {_VERSION}"
        raise msgspec.ValidationError(told)
    if envelope.form > FORM and envelope.inbound is not None:
        _, rest = parted(msgspec.json.decode(body), Envelope)
        inside = rest.inside.get("inbound") if rest is not None else None
        envelope.inbound = carried(envelope.inbound, form=envelope.form, rest=inside)
    return envelope
