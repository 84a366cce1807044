"""Take what belongs together as one message: an album, an edit, what came while the bot still answered."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Claim, Store, Waiting
from gateway.completion.model import TurnCompletion
from gateway.messages import Inbound
from gateway.session.bots import Bot
from gateway.session.envelope import unseal
from gateway.session.record import Record, open_record, row
from gateway.session.running import Forming

__all__ = ["Gathering", "covered"]

_ALBUM = 1.2  # seconds in which the rest of an album comes
_LOOK = 0.1  # seconds between two looks
_LONGEST = 10.0  # seconds that anything is waited for
_MOST = 100  # messages that make one


@dataclass(frozen=True, slots=True)
class _Later:
    """Something that waits behind the message."""

    entry: int
    inbound: Inbound
    at: float


class Gathering:
    """Makes one message of several."""

    def __init__(self, store: Store, *, clock: Clock, salt: int = 0) -> None:
        self._store = store
        self._clock = clock
        self._salt = salt

    async def gather(self, claim: Claim, bot: Bot, record: Record, forming: Forming) -> None:
        """Take what belongs to the claimed message into it; the record then holds all of it.

        What is taken in is written down before it is taken out of the lane, so that a crash between the two
        loses nothing and doubles nothing. A turn that began before a crash takes nothing more in: it may end
        without an answer. Neither does one that is stopped.
        """
        if record.covers:
            await self._cover(claim, bot, record, await self._later(claim))
        if record.covers or record.attempts:
            return
        album, mode = record.inbound.album, bot.mid_turn
        if not album and mode not in ("collect", "interrupt"):
            await self._edited(claim, bot, record)
            return
        quiet = bot.debounce if mode == "collect" else _ALBUM if album else 0.0
        later = await self._settled(claim, quiet, forming)
        if forming.stopped_by is not None:
            return
        taken = _messages(later) if mode in ("collect", "interrupt") else _album(later, album)
        taken = await self._let_in(bot, record, taken)
        edits = _edits(later, [record.inbound, *(one.inbound for one in taken)])
        await self._take(claim, bot, record, taken, edits)

    async def take(self, claim: Claim, bot: Bot, record: Record) -> tuple[str, ...]:
        """Take the messages that wait now into a turn that runs; what they say, oldest first.

        Words alone can be taken in: a message with a file waits for a turn of its own, and so does what comes
        after it.
        """
        later = await self._later(claim)
        taken = await self._let_in(bot, record, _words(_messages(later)))
        if not taken:
            return ()
        edits = _edits(later, [one.inbound for one in taken])
        newest = {one.inbound.message_id: one.inbound for one in edits}
        read = [_as_edited(one.inbound, newest.get(one.inbound.message_id)) for one in taken]
        said = tuple(_said(inbound, several=not inbound.place.private) for inbound in read)
        record.asked = "\n".join((record.asked, *said))
        record.covers = [*record.covers, *(one.entry for one in (*taken, *edits))]
        await self._store.record(claim, row(record))
        await self._cover(claim, bot, record, (*taken, *edits))
        return said

    async def _let_in(self, bot: Bot, record: Record, found: Sequence[_Later]) -> list[_Later]:
        """Those that may speak to the bot; somebody else's message was not judged yet."""
        return [
            one
            for one in found
            if one.inbound.sender.id == record.inbound.sender.id or await _allowed(bot, one.inbound)
        ]

    async def _edited(self, claim: Claim, bot: Bot, record: Record) -> None:
        """Read the message as it was put right while it waited."""
        if claim.attempts > 1 or self._clock.time() - claim.at < _LOOK:
            return
        edits = _edits(await self._later(claim), [record.inbound])
        if edits:
            await self._take(claim, bot, record, (), edits)

    async def _take(
        self, claim: Claim, bot: Bot, record: Record, taken: Sequence[_Later], edits: Sequence[_Later]
    ) -> None:
        if not taken and not edits:
            return
        record.inbound = _merged([record.inbound, *(one.inbound for one in taken)], edits)
        record.covers = [one.entry for one in (*taken, *edits)]
        await self._store.record(claim, row(record))
        await self._cover(claim, bot, record, (*taken, *edits))

    async def _settled(self, claim: Claim, quiet: float, forming: Forming) -> tuple[_Later, ...]:
        """What waits behind the message, once nothing new came for a while or it was stopped."""
        later = await self._later(claim)
        began = self._clock.time()
        while forming.stopped_by is None:
            newest = max((one.at for one in later), default=claim.at)
            now = self._clock.time()
            if now - newest >= quiet or now - began >= _LONGEST or len(later) >= _MOST:
                return later
            await self._clock.sleep(_LOOK)
            later = await self._later(claim)
        return later

    async def _later(self, claim: Claim) -> tuple[_Later, ...]:
        found = [
            one for waiting in await self._store.waiting(claim.lane) if (one := _read(waiting)) is not None
        ]
        return tuple(found[:_MOST])

    async def _cover(self, claim: Claim, bot: Bot, record: Record, later: Sequence[_Later]) -> None:
        turns = [
            row(
                covered(
                    claim.lane, one.entry, one.inbound, one.at, bot=bot.name, by=record.id, salt=self._salt
                )
            )
            for one in later
            if one.entry in record.covers
        ]
        if turns:
            await self._store.cover(claim.lane, turns)


def covered(lane: str, entry: int, inbound: Inbound, at: float, *, bot: str, by: str, salt: int) -> Record:
    """The record of an entry that another turn answers."""
    record = open_record(Claim(entry, bot, lane, "", 1, b"", at), inbound, bot=bot, salt=salt)
    record.state, record.parent, record.how = "covered", by, "answered with"
    record.completion = TurnCompletion("superseded", site="session.queue", source="control").to_dict()
    record.noted, record.finished = "clean", at
    return record


def _read(waiting: Waiting) -> _Later | None:
    try:
        inbound = unseal(waiting.body).inbound
    except msgspec.MsgspecError:
        return None
    return _Later(waiting.entry, inbound, waiting.at) if inbound is not None else None


def _messages(later: Sequence[_Later]) -> list[_Later]:
    """The messages that wait, up to the first that is something else than a message or an edit."""
    taken: list[_Later] = []
    for one in later:
        if one.inbound.kind == "message":
            taken.append(one)
        elif one.inbound.kind != "edit":
            break
    return taken


def _words(later: Sequence[_Later]) -> list[_Later]:
    """The messages of words alone, up to the first that holds something else."""
    return list(
        itertools.takewhile(
            lambda one: (
                one.inbound.text.strip() and not one.inbound.attachments and not one.inbound.unreadable
            ),
            later,
        )
    )


async def _allowed(bot: Bot, inbound: Inbound) -> bool:
    verdict = await bot.door.decide(inbound)
    return verdict.allowed and not verdict.say


def _album(later: Sequence[_Later], album: str) -> list[_Later]:
    return [one for one in later if one.inbound.kind == "message" and one.inbound.album == album]


def _edits(later: Sequence[_Later], of: Sequence[Inbound]) -> list[_Later]:
    ids = {inbound.message_id for inbound in of if inbound.message_id}
    return [one for one in later if one.inbound.kind == "edit" and one.inbound.message_id in ids]


def _merged(inbounds: Sequence[Inbound], edits: Sequence[_Later]) -> Inbound:
    """One message that says and holds everything, as it reads after the edits."""
    newest = {one.inbound.message_id: one.inbound for one in edits}
    read = [_as_edited(inbound, newest.get(inbound.message_id)) for inbound in inbounds]
    first, last = read[0], read[-1]
    several = len({inbound.sender.id for inbound in read}) > 1
    texts = [_said(inbound, several=several) for inbound in read if inbound.text.strip()]
    return replace(
        last if first.sender.id == last.sender.id else first,
        text="\n".join(texts),
        addressed=any(inbound.addressed for inbound in read),
        attachments=tuple(file for inbound in read for file in inbound.attachments),
        unreadable=next((inbound.unreadable for inbound in read if inbound.unreadable), "")
        if not texts
        else "",
        album=first.album,
    )


def _as_edited(inbound: Inbound, edit: Inbound | None) -> Inbound:
    return inbound if edit is None else replace(inbound, text=edit.text, attachments=edit.attachments)


def _said(inbound: Inbound, *, several: bool) -> str:
    return f"{inbound.sender.name}: {inbound.text}" if several and inbound.sender.name else inbound.text
