"""What is told at the next contact: that an answer could not be delivered."""

from __future__ import annotations

import msgspec

from gateway.abc.store import Claim, Entry, Fact, Store
from gateway.messages import Event, Inbound
from gateway.session.bots import Bot
from gateway.session.envelope import Telling, seal
from gateway.session.lanes import bot_of, control_lane, conversation_lane
from gateway.session.record import Record, read

__all__ = ["lost_word", "owed_word", "paid_word", "tell_at_contact"]

_PREFIX = "lost/"
_KEPT = 30 * 86_400.0  # seconds after which nobody is told any more
_LINE = "delivery.expired"


def owed_word(record: Record) -> tuple[Fact, ...]:
    """The fact by which a conversation is told, once somebody writes, that an answer did not arrive."""
    if not _is_answer(record):
        return ()
    return (Fact(_key(record.lane), _subject(record).encode(), _KEPT),)


async def paid_word(store: Store, record: Record) -> tuple[Fact, ...]:
    """The fact that nothing needs to be told any more of an answer that did arrive in the end."""
    key = _key(record.lane)
    return (Fact(key, None),) if await store.get(key) == _subject(record).encode() else ()


async def tell_at_contact(store: Store, bot: Bot, claim: Claim) -> None:
    """Tell somebody who wrote of an answer that did not arrive before they did, once."""
    key = _key(claim.lane)
    turn = await store.get(key)
    if turn is None:
        return
    record = await _lost(store, turn.decode())
    if record is not None and claim.at <= record.delivered:
        return  # it was said before the answer was lost, so nobody came back yet
    if record is not None and (bot.notes.surface or bot.notes.never_silent):
        word = lost_word(record, queue=claim.bot, once=f"{claim.entry}", at=claim.at, heard=claim.at)
        await store.put([word])
    await store.swap(key, turn, None)


async def _lost(store: Store, turn: str) -> Record | None:
    known = await store.turn(turn)
    try:
        return read(known) if known is not None else None
    except msgspec.MsgspecError:
        return None


def lost_word(record: Record, *, queue: str, once: str, at: float, heard: float) -> Entry:
    """The entry that tells of a turn whose answer did not arrive, and offers to try it again.

    Args:
        record: The turn.
        queue: The name that work of its place waits under.
        once: What it is told because of; for that it is told once.
        at: Now.
        heard: When the person was heard last.
    """
    inbound = record.inbound
    said = Inbound("message", inbound.place, inbound.sender, message_id=inbound.message_id)
    event = Event(b"", (f"lost/{record.id}/{once}",), said)
    telling = Telling(_LINE, turn=record.id, ref=record.ref, acted=bool(record.actions), heard=heard)
    name = control_lane(f"{bot_of(queue)}/").removesuffix("/")
    lane = control_lane(conversation_lane(record.lane))
    return Entry(name, lane, event.dedupe, seal(event, telling=telling), at)


def _is_answer(record: Record) -> bool:
    """Whether somebody waits for it: not a command's word, nor one to the owner."""
    return record.inbound.kind in ("message", "action") and bool(record.heard)


def _subject(record: Record) -> str:
    """The turn that is spoken of: its own, or the one that a lost word spoke of."""
    return record.parent if record.how == "told" else record.id


def _key(lane: str) -> str:
    bot, _, rest = conversation_lane(lane).partition("/")
    return f"{_PREFIX}{bot_of(bot)}/{rest}"
