"""The record of a turn: what `lastword why` tells, and what a restart reads."""

from __future__ import annotations

from typing import Any

import msgspec

from gateway.abc.store import Claim, Turn
from gateway.delivery import encode
from gateway.messages import Inbound
from gateway.session.carrying import FORM, Rest, carried, joined, parted, plain, written

__all__ = ["Attempt", "Record", "Remedied", "bare", "open_record", "read", "row", "turn_id", "turn_ref"]

_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # 32 characters nobody confuses, I, O, 0 and 1 left out
_SIZE = len(_ALPHABET) ** 5
_STRIDE = 20_478_173  # odd, so multiplying by it permutes the 32^5 references: unique, and not countable


class Attempt(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One run of the turn."""

    number: int
    at: float
    ended: float = 0.0
    code: str = ""


class Remedied(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the runtime did by itself about an ending; see `gateway.abc.agent.Remedy`."""

    kind: str
    after: str
    waited: float = 0.0
    detail: str = ""


class Record(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything kept about one turn.

    Attributes:
        parent: The turn that this one continues or retries; empty for none.
        how: `continue` or `retry` where there is a parent.
        asked: What the agent was asked: the text of the message, or of the one that is tried again.
        resumes: Whether the agent goes on with an answer that ended early.
        actions: Names of tools with effects that had started, in order.
        covers: The entries that are answered with this one.
        stopped_by: The name of who stopped it, where that is somebody else.
        note: The note's text, as it was told.
        partial: Text that was visible when it was last written down; the whole text once finished.
        preview: The handle of a preview message; `?` when one was about to be posted.
        completion: `TurnCompletion.to_dict()`; empty while the turn runs.
        remedies: What was done about endings before anybody was told, in order.
        noted: `yes`, `clean`, `suppressed_by:<key>` or `unclassified`.
        suppressed: The key of the configuration for which nothing was sent; empty otherwise.
        delivery: `delivered`, `retrying`, `undeliverable`, `expired`; empty before the first send.
        failure: The platform's last word on an answer that was not delivered; empty otherwise.
        heard: When the person was heard whom it answers, unix seconds; 0 for one who asked nothing.
        maybe_duplicate: Whether the person may have got a part twice.
        problem: The exception for operators, secrets masked; never shown in a chat.
        form: Of the inbound, see `carrying`.
    """

    id: str
    ref: str
    bot: str
    lane: str
    entry: int
    inbound: Inbound
    at: float
    state: str = "running"
    agent: str = ""
    language: str = ""
    parent: str = ""
    how: str = ""
    asked: str = ""
    resumes: bool = False
    attempts: list[Attempt] = msgspec.field(default_factory=list[Attempt])
    actions: list[str] = msgspec.field(default_factory=list[str])
    covers: list[int] = msgspec.field(default_factory=list[int])
    stopped_by: str = ""
    note: str = ""
    partial: str = ""
    preview: str = ""
    completion: dict[str, object] = msgspec.field(default_factory=dict[str, object])
    noted: str = ""
    group: str = ""
    suppressed: str = ""
    remedies: list[Remedied] = msgspec.field(default_factory=list[Remedied])
    offered: list[str] = msgspec.field(default_factory=list[str])
    usage: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    finished: float = 0.0
    delivery: str = ""
    delivered: float = 0.0
    failure: str = ""
    heard: float = 0.0
    sends: int = 0
    skipped: int = 0
    maybe_duplicate: bool = False
    problem: str = ""
    form: int = 0


class _Later(Record, kw_only=True):
    """One of which not everything is known."""

    rest: Rest | None = None


_decoder = msgspec.json.Decoder(Record)


def turn_id(entry: int) -> str:
    """The id of the turn that an inbox entry becomes."""
    return f"t{entry:x}"


def turn_ref(entry: int, *, salt: int = 0) -> str:
    """The short reference of that turn, five characters; unique for the first 33 million turns.

    The salt is the store's own, so that the same turn of another store has another reference.
    """
    value = (entry * _STRIDE + salt) % _SIZE
    lap = entry // _SIZE
    out = ""
    for _ in range(5):
        value, digit = divmod(value, 32)
        out += _ALPHABET[digit]
    while lap:
        lap, digit = divmod(lap, 32)
        out += _ALPHABET[digit]
    return out


def open_record(claim: Claim, inbound: Inbound, *, bot: str, salt: int = 0) -> Record:
    """A fresh record for a claimed entry."""
    return Record(
        id=turn_id(claim.entry),
        ref=turn_ref(claim.entry, salt=salt),
        bot=bot,
        lane=claim.lane,
        entry=claim.entry,
        inbound=inbound,
        at=claim.at,
        heard=claim.at,
        form=FORM,
    )


def read(turn: Turn) -> Record:
    """The record inside a stored row.

    Raises:
        msgspec.ValidationError: The row was written by something else.
    """
    try:
        record = _decoder.decode(turn.body)
    except msgspec.ValidationError:  # of a later version, perhaps: a field it does not know is refused too
        return _later(turn.body)
    return record if record.form <= FORM else _later(turn.body)


def _later(body: bytes) -> Record:
    known, rest = parted(msgspec.json.decode(body), Record)
    record = msgspec.convert(known, _Later)
    inside = rest.inside.pop("inbound", None) if rest is not None else None
    record.inbound = carried(record.inbound, form=record.form, rest=inside)
    record.rest = rest
    return record


def bare(record: Record) -> Record:
    """A record without what is not known of it."""
    known: dict[str, Any] = msgspec.structs.asdict(record)
    known["inbound"] = plain(record.inbound)
    known.pop("rest", None)
    return Record(**known)


def _encoded(record: Record) -> bytes:
    if type(record) is Record and type(record.inbound) is Inbound:
        return encode(record)
    known = msgspec.to_builtins(bare(record))
    known["inbound"], form = written(record.inbound)
    known["form"] = max(form, record.form)
    return encode(joined(known, record.rest if isinstance(record, _Later) else None))


def row(record: Record) -> Turn:
    """The row that keeps a record."""
    reason = str(record.completion.get("reason", "")) if record.completion else ""
    site = str(record.completion.get("site", "")) if record.completion else ""
    return Turn(
        id=record.id,
        ref=record.ref,
        bot=record.bot,
        lane=record.lane,
        entry=record.entry,
        state=record.state,
        reason=reason,
        code=f"{reason}@{site or 'unknown'}" if reason else "",
        at=record.at,
        body=_encoded(record),
    )
