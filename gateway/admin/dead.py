"""Dead letters as operators see them: what they are, why they died, and what can be done about them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import DeadLetter, Entry, Letter, LetterState, Store
from gateway.delivery import Mail, forget_gone, unfold
from gateway.errors import LastwordError
from gateway.messages import Inbound, Place
from gateway.session.lanes import bot_of
from gateway.session.poison import UNREAD, salvaged
from gateway.session.record import Record, read, row

__all__ = ["Dead", "Done", "Picked", "find", "listed", "work"]

_MOST = 100_000  # letters that are taken at once
_TOLD = 20  # problems that are told one by one
_NOT_DEAD = frozenset({"finished", "delivered"})


@dataclass(frozen=True, slots=True)
class Dead:
    """One dead letter with what is known of it.

    Attributes:
        record: Its turn's record; `None` for one without, or one that cannot be read.
        mail: What it holds; `None` where that cannot be read.
    """

    kept: DeadLetter
    record: Record | None
    mail: Mail | None

    @property
    def letter(self) -> Letter:
        """The letter itself."""
        return self.kept.letter

    @property
    def bot(self) -> str:
        """The bot's name; a letter's own may be that of a part of it."""
        return _bot(self.letter)

    @property
    def kind(self) -> Literal["message", "answer"]:
        """Whether it is a message that was never answered, or an answer."""
        return "message" if self.letter.id.startswith(UNREAD) else "answer"

    @property
    def inbound(self) -> Inbound | None:
        """The message it answers, or is."""
        if self.kind == "message":
            return salvaged(self.letter.body)
        return self.record.inbound if self.record is not None else None

    @property
    def place(self) -> Place | None:
        """Where it belongs."""
        if self.mail is not None:
            return self.mail.place
        return self.inbound.place if self.inbound is not None else None

    @property
    def why(self) -> str:
        """What stood in its way, in the platform's words where it said any."""
        if self.kind == "message":
            return "it cannot be read, or breaks what handles it"
        if self.record is not None and self.record.failure:
            return self.record.failure
        return "it cannot be read" if self.mail is None else self.kept.state


@dataclass(frozen=True, slots=True)
class Picked:
    """Which letters are meant.

    Attributes:
        key: One by its id or its turn's reference; empty for all.
        bot: Of all, those of one bot; empty for every one's.
        older: Of all, those written at least so many seconds ago.
    """

    key: str = ""
    bot: str = ""
    older: float = 0.0


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it.

    Attributes:
        count: Letters that were requeued or dropped.
        problems: What was left as it is and why, a line each.
    """

    count: int
    problems: tuple[str, ...] = ()


async def listed(store: Store, *, bot: str = "", limit: int = 100) -> list[Dead]:
    """Dead letters, newest first."""
    found = [await _known(store, letter.id) for letter, _ in await _of(store, bot, limit)]
    return [dead for dead in found if dead is not None]


async def find(store: Store, key: str) -> Dead:
    """A dead letter by its id or by the reference of its turn.

    Raises:
        LastwordError: There is none.
    """
    dead = await _known(store, key)
    if dead is None:
        turn = await store.turn(key) or await store.turn(key.upper())
        dead = await _known(store, turn.id) if turn is not None else None
    if dead is None:
        raise LastwordError(f"No dead letter is called {key!r}; `lastword dead list` lists them.")
    return dead


async def work(
    store: Store,
    what: Literal["requeue", "drop"],
    picked: Picked,
    *,
    bots: Collection[str],
    clock: Clock,
) -> Done:
    """Requeue or drop letters, the oldest first.

    Those of a bot that is not among `bots` cannot be delivered.

    Raises:
        LastwordError: The one that is meant is not known, or its bot is not.
    """
    if picked.key and what == "requeue" and await _is_over(store, picked.key):
        return Done(0, (f"{picked.key} is not dead any more; there is nothing to do.",))
    chosen = [await find(store, picked.key)] if picked.key else await _chosen(store, picked, clock)
    count = 0
    problems: list[str] = []
    for dead in chosen:
        try:
            count += await (_requeue(store, dead, bots, clock) if what == "requeue" else _drop(store, dead))
        except LastwordError as exc:
            if picked.key:
                raise
            problems.append(str(exc))
    return Done(count, _in_short(problems))


def _in_short(problems: Sequence[str]) -> tuple[str, ...]:
    more = len(problems) - _TOLD
    return (*problems[:_TOLD], f"… and {more} more like these.") if more > 0 else tuple(problems)


async def _chosen(store: Store, picked: Picked, clock: Clock) -> list[Dead]:
    before = clock.time() - picked.older
    letters = [letter for letter, _ in await _of(store, picked.bot, _MOST) if letter.at <= before]
    found = [await _known(store, letter.id) for letter in reversed(letters)]
    return [dead for dead in found if dead is not None]


async def _of(store: Store, bot: str, limit: int) -> Sequence[tuple[Letter, LetterState]]:
    """Dead letters of a bot, newest first."""
    if not bot:
        return await store.dead(limit=limit)
    return [one for one in await store.dead(limit=_MOST) if _bot(one[0]) == bot][:limit]


def _bot(letter: Letter) -> str:
    return bot_of(letter.lane.partition("/")[0])


async def _known(store: Store, name: str) -> Dead | None:
    kept = await store.dead_letter(name)
    if kept is None:
        return None
    turn = await store.turn(kept.letter.turn) if kept.letter.turn else None
    record = mail = None
    with contextlib.suppress(msgspec.MsgspecError):
        record = read(turn) if turn is not None else None
    with contextlib.suppress(msgspec.MsgspecError):
        mail = unfold(kept.letter.body)
    return Dead(kept, record, mail)


async def _is_over(store: Store, key: str) -> bool:
    """Whether the answer of a turn is owed or was delivered."""
    turn = await store.turn(key) or await store.turn(key.upper())
    return turn is not None and turn.state in _NOT_DEAD and await store.dead_letter(turn.id) is None


async def _requeue(store: Store, dead: Dead, bots: Collection[str], clock: Clock) -> bool:
    letter, now = dead.letter, clock.time()
    if dead.bot not in bots:
        raise LastwordError(f"{letter.id} belongs to the bot {dead.bot!r}, which there is not any more.")
    if dead.kind == "message":
        await store.put([Entry(letter.bot, letter.lane, (f"requeued/{letter.id}",), letter.body, now)])
        return await store.drop_letter(letter.id)
    if dead.mail is not None:
        await forget_gone(store, dead.bot, dead.mail.place)
    record = dead.record
    if record is None:
        return await store.revive(letter.id, now)
    record.state, record.delivery, record.failure, record.delivered = "finished", "retrying", "", 0.0
    return await store.revive(letter.id, now, turn=row(record))


async def _drop(store: Store, dead: Dead) -> bool:
    return await store.drop_letter(dead.letter.id)
