"""Find, and remove, all that is kept of a person or of a chat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from gateway.abc.store import Erasure, Store, Turn
from gateway.session.envelope import unseal
from gateway.session.fading import oldest_first
from gateway.session.lanes import bot_of, control_lane, conversation_lane, news_lane
from gateway.session.poison import salvaged
from gateway.session.record import Record, read

__all__ = ["Whom", "asked", "find", "forget"]

_EVER = 1e12  # unix seconds that no record reaches
_FACTS = 1_000_000  # facts that are looked through
_BETWEEN = re.compile(r"[/:@!#]")  # what stands between the names in a fact's key


@dataclass(frozen=True, slots=True)
class Whom:
    """Who, or which chat, is to be forgotten by a bot; one of the two is empty."""

    bot: str
    person: str = ""
    chat: str = ""

    def is_of(self, record: Record) -> bool:
        """Whether a turn was theirs."""
        inbound = record.inbound
        return record.bot == self.bot and (
            inbound.sender.id == self.person if self.person else inbound.place.chat == self.chat
        )

    def said(self, body: bytes) -> bool:
        """Whether an entry that waits is theirs."""
        try:
            inbound = unseal(body).inbound
        except msgspec.MsgspecError:
            return False
        if inbound is None:
            return False
        return inbound.sender.id == self.person if self.person else inbound.place.chat == self.chat

    def owns(self, record: Record) -> bool:
        """Whether the conversation of a turn of theirs was nobody else's."""
        return not self.person or record.inbound.place.private or record.lane.endswith(f"@{self.person}")


@dataclass(slots=True)
class _Found:
    turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    lanes: set[str] = field(default_factory=set[str])  # wholly theirs
    shared: set[str] = field(default_factory=set[str])
    open: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def add(self, turn: Turn, record: Record, *, owned: bool) -> None:
        self.turns[turn.id] = turn
        lane = conversation_lane(record.lane)
        for one in (record.lane, lane, control_lane(lane), news_lane(lane)):
            (self.lanes if owned else self.shared).add(one)
        if turn.state == "running":
            self.open.add((record.lane, turn.entry))


async def find(store: Store, whom: Whom) -> Erasure:
    """Everything that is kept of them."""
    found = _Found()
    async for some in oldest_first(store, _EVER):
        for turn in some:
            record = _read(turn) if bot_of(turn.bot) == whom.bot else None
            if record is None:
                continue
            if whom.is_of(record):
                found.add(turn, record, owned=whom.owns(record))
                await _answered_with(store, record, found)
            elif record.parent in found.turns:  # somebody else let it be tried again, or went on with it
                found.add(turn, record, owned=False)
    # What waits in a conversation in which nothing was run yet has no record.
    for lane in {*found.shared, *await store.lanes(f"{whom.bot}/")} - found.lanes:
        found.open |= {(lane, one.entry) for one in await store.waiting(lane) if whom.said(one.body)}
    return Erasure(
        tuple(sorted(found.lanes)),
        tuple(found.turns.values()),
        tuple(sorted(found.open)),
        await _facts(store, whom, found),
    )


async def _answered_with(store: Store, record: Record, found: _Found) -> None:
    """Add the turn that took this one's words in, though somebody else began it."""
    turn = await store.turn(record.parent) if record.state == "covered" else None
    other = _read(turn) if turn is not None else None
    if turn is not None and other is not None and turn.id not in found.turns:
        found.add(turn, other, owned=False)


async def forget(store: Store, whom: Whom) -> int:
    """Remove everything that is kept of them; how many rows. What is being answered ends unanswered."""
    found = await find(store, whom)
    dropped = [await store.drop_letter(name) for name in await _unread(store, whom)]
    return await store.erase(found) + sum(dropped)


async def asked(store: Store, request: Mapping[str, object]) -> int:
    """What a command asks for: how many rows go; with `dry`, would go."""
    whom = Whom(str(request.get("bot", "")), str(request.get("person", "")), str(request.get("chat", "")))
    if not request.get("dry"):
        return await forget(store, whom)
    found = await find(store, whom)
    lines = [len(await store.history(lane, limit=_FACTS)) for lane in found.lanes]
    unread = await _unread(store, whom)
    return len(found.turns) + len(found.facts) + len(found.entries) + sum(lines) + len(unread)


async def _unread(store: Store, whom: Whom) -> list[str]:
    """Dead letters of theirs that no record speaks of, such as messages that nobody could read."""
    first = conversation_lane(f"{whom.bot}/{whom.person or whom.chat}")
    found: list[str] = []
    for letter, _ in await store.dead(limit=_FACTS):
        inbound = salvaged(letter.body)
        theirs = inbound is not None and (
            inbound.sender.id == whom.person if whom.person else inbound.place.chat == whom.chat
        )
        if bot_of(letter.bot) == whom.bot and (theirs or conversation_lane(letter.lane) == first):
            found.append(letter.id)
    return found


def _read(turn: Turn) -> Record | None:
    try:
        return read(turn)
    except msgspec.MsgspecError:
        return None


async def _facts(store: Store, whom: Whom, found: _Found) -> tuple[str, ...]:
    """Keys in which they, their turns or their conversations are named, of this bot."""
    who = whom.person or whom.chat
    own = {lane.partition("/")[2] for lane in found.lanes}
    return tuple(
        key
        for key, _ in await store.scan("", limit=_FACTS)
        if _names(key, whom.bot, who, own) or not found.turns.keys().isdisjoint(_BETWEEN.split(key))
    )


def _names(key: str, bot: str, who: str, own: set[str]) -> bool:
    words = _BETWEEN.split(key)
    return bot in words and (who in words or any(key.endswith(f"/{one}") for one in own))
