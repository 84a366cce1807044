"""What people said leaves the records in time; how their turns ended stays."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace

import msgspec

from gateway.abc.store import Store, Turn
from gateway.messages import Inbound, Person
from gateway.session.record import Record, bare, read, row

__all__ = ["fade_records", "oldest_first"]

_MARK = "faded"  # the fact that says up to when records hold nothing any more
_STEP = 100  # records at a time


async def fade_records(store: Store, before: float, *, pause: Callable[[], Awaitable[object]]) -> int:
    """Take what was said out of the records from before a time, a few at a time; how many were changed."""
    changed = 0
    async for found in oldest_first(store, before, after=float(await store.get(_MARK) or b"0")):
        bare = [turn for turn in map(_bare, found) if turn is not None]
        await store.rewrite(bare)
        changed += len(bare)
        await store.set(_MARK, repr(found[-1].at).encode())
        await pause()
    return changed


async def oldest_first(
    store: Store, before: float, *, after: float = 0.0
) -> AsyncGenerator[tuple[Turn, ...]]:
    """All records between two times, a few at a time; those of one instant may come twice."""
    step = _STEP
    while found := await store.aged(before, after=after, limit=step):
        yield found
        if len(found) < step:
            return
        # Records of one instant may be more than a step: then it grows until it reaches beyond them.
        step = step * 2 if found[-1].at == after else _STEP
        after = found[-1].at


def _bare(turn: Turn) -> Turn | None:
    """The record without what was said; `None` for one that holds nothing, or that nobody can read."""
    try:
        record = read(turn)
    except msgspec.MsgspecError:
        return None
    silent = _without_words(record)
    return None if silent == record else row(silent)


def _without_words(record: Record) -> Record:
    known = bare(record)  # what a later version wrote may be what somebody said
    return msgspec.structs.replace(
        known,
        inbound=_silent(known.inbound),
        asked="",
        partial="",
        problem="",
        stopped_by="",
        preview="",
    )


def _silent(inbound: Inbound) -> Inbound:
    person = Person(inbound.sender.id, language=inbound.sender.language, bot=inbound.sender.bot)
    return replace(inbound, sender=person, text="", attachments=(), press="")
