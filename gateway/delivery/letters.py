"""What an outbox letter holds: where it goes, and the answer before rendering."""

from __future__ import annotations

import msgspec

from gateway.abc.store import PartRow
from gateway.delivery.encoding import encode
from gateway.messages import Answer, Part, Place, Receipt

__all__ = ["Mail", "decode_part", "decode_receipt", "encode_part", "encode_receipt", "fold", "unfold"]


class Mail(msgspec.Struct, omit_defaults=True):
    """An answer on its way.

    Attributes:
        place: Where it goes.
        answer: What goes.
        preview: The handle of a preview message that the first part replaces; empty for none.
        orphan: Whether a preview message may stand in the chat whose handle was lost in a crash.
        heard: When the person was heard whom it answers, unix seconds; 0 for one who asked nothing.
        since: From when its delay counts, unix seconds; 0 for what is never called late.
        version: How it is to be read; grows when an older gateway would read it wrongly.
    """

    place: Place
    answer: Answer
    preview: str = ""
    orphan: bool = False
    heard: float = 0.0
    since: float = 0.0
    version: int = 1


_VERSION = 1
_mail = msgspec.json.Decoder(Mail)
_part = msgspec.json.Decoder(Part)
_receipt = msgspec.json.Decoder(Receipt)


def fold(mail: Mail) -> bytes:
    """A letter's body."""
    return encode(mail)


def unfold(body: bytes) -> Mail:
    """Read a letter's body.

    Raises:
        msgspec.MsgspecError: It was written by something else, or by a version after this one.
    """
    mail = _mail.decode(body)
    if mail.version > _VERSION:
        raise msgspec.ValidationError(f"a letter of version {mail.version}; this gateway reads {_VERSION}")
    return mail


def encode_part(part: Part) -> bytes:
    """A rendered part as it is stored."""
    return encode(part)


def decode_part(row: PartRow) -> Part:
    """The rendered part of a stored row.

    Raises:
        msgspec.MsgspecError: It was written by something else.
    """
    return _part.decode(row.body)


def encode_receipt(receipt: Receipt) -> bytes:
    """A receipt as it is stored."""
    return encode(receipt)


def decode_receipt(row: PartRow) -> Receipt:
    """The receipt of a sent part.

    Raises:
        msgspec.MsgspecError: It was written by something else.
    """
    return _receipt.decode(row.receipt)
