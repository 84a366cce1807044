"""What happens the moment something arrives, before its lane comes to it."""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gateway.abc.clock import Clock
from gateway.abc.store import Entry, Store, Turn
from gateway.completion.model import TurnCompletion
from gateway.errors import AdapterError, StoreError
from gateway.messages import Event, Inbound
from gateway.notes import typed
from gateway.ownership import Ownership, Sole
from gateway.ownership.queues import NEWS
from gateway.session.bots import Bot
from gateway.session.envelope import Overheard, seal, unseal
from gateway.session.gathering import covered
from gateway.session.lanes import control_lane, control_name, conversation_lane, lane_of, news_lane
from gateway.session.record import row
from gateway.session.running import Running, RunningTurns
from gateway.session.signs import Signs

__all__ = ["Arrivals"]

_CHATS = 1_000  # group chats whose last words are kept in memory
_LANES = 10_000  # lanes whose messages are counted; they are few again once it is more
_ALBUM = 10  # messages of one album
_LONGEST = 500  # characters of a message that was overheard
_BUSY_COMMANDS = frozenset({"continue", "retry"})
_HEARD = _BUSY_COMMANDS | {"new"}  # commands that may disturb a turn that runs


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where something goes."""

    name: str
    lane: str
    inbound: Inbound
    refused: str = ""


class Arrivals:
    """Places what arrives in its lane, and lets it disturb the turn that runs there where it should.

    Args:
        running: The turns of this process.
        signs: Tells people who wait that they do.
        salt: The store's own number, from which references derive.
        ownership: Who runs the turns of a place; this process alone by default.
        bots: Bots by the names that work waits under, read anew each time.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        running: RunningTurns,
        signs: Signs,
        salt: int = 0,
        ownership: Ownership | None = None,
        bots: Callable[[], Mapping[str, Bot]] = dict,
    ) -> None:
        self._ownership = ownership or Sole()
        self._bots = bots
        self._store = store
        self._clock = clock
        self._running = running
        self._signs = signs
        self._salt = salt
        self._queued: Counter[str] = Counter()  # messages since a lane was last seen, at most those that wait
        self._placed: Counter[str] = Counter()  # entries on their way into the store
        self._overheard: OrderedDict[str, deque[Overheard]] = OrderedDict()

    async def entry(self, bot: Bot, event: Event, inbound: Inbound) -> Entry | None:
        """The inbox entry of something that happened; `None` for what the bot does not take."""
        if not bot.wants(inbound):
            self._overhear(bot, inbound)
            return None
        placed = await self._place(bot, inbound)
        body = seal(
            replace(event, inbound=placed.inbound),
            overheard=self._told(bot, inbound),
            refused=placed.refused,
        )
        self._placed[placed.lane] += 1
        return Entry(placed.name, placed.lane, event.dedupe, body, self._clock.time(), scope=bot.name)

    def kept(self, entries: Sequence[Entry]) -> None:
        """Note that entries are in the store now, or never will be."""
        for entry in entries:
            self._placed[entry.lane] -= 1
            if self._placed[entry.lane] <= 0:
                del self._placed[entry.lane]

    async def arrived(self, bot: Bot, inbound: Inbound, lane: str, *, queue: str = "") -> None:
        """Let what was kept disturb the turn that runs in its lane; nothing here is owed to anybody.

        What was turned away, and a word that became a command, wait in the control lane: they replace no
        answer.

        Args:
            bot: Whose it is.
            inbound: What arrived.
            lane: Where it waits.
            queue: The name it waits under.
        """
        with contextlib.suppress(StoreError):
            await self._disturb(self._bots().get(queue, bot), inbound, lane)

    def news(self, event: Event, entry: Entry) -> Sequence[Entry]:
        """Word of an arrival for the process that runs its lane, where that is another one."""
        inbound = event.inbound
        if inbound is None or self._ownership.holds(entry.bot) or conversation_lane(entry.lane) != entry.lane:
            return ()
        if inbound.kind == "edit" or (inbound.kind == "command" and inbound.command not in _HEARD):
            return ()
        keys = tuple(f"news/{key}" for key in entry.dedupe)
        body = seal(Event(b"", (), inbound))
        return (Entry(f"{entry.bot}{NEWS}", news_lane(entry.lane), keys, body, entry.at),)

    async def heard(self, bot: Bot, inbound: Inbound, lane: str, *, queue: str, again: bool = False) -> None:
        """Do for an arrival that another process kept what would have been done for one of our own.

        Args:
            bot: Whose it is.
            inbound: What arrived.
            lane: Where it waits.
            queue: The name it waits under.
            again: Whether this may have been begun before.
        """
        placed = self._redirected(bot, inbound, queue, lane)
        if placed is None:
            await self._disturb(bot, inbound, lane)
            return
        if await self._taken_out(bot, inbound, lane) or again:
            key = f"moved/{inbound.place.chat}/{inbound.message_id}"
            body = seal(Event(b"", (), placed.inbound))
            await self._store.put([Entry(placed.name, placed.lane, (key,), body, self._clock.time())])

    async def _taken_out(self, bot: Bot, inbound: Inbound, lane: str) -> bool:
        """Whether something that waits was taken out of its lane."""
        for one in await self._store.waiting(lane):
            said = unseal(one.body).inbound
            if said is not None and (said.kind, said.message_id) == (inbound.kind, inbound.message_id):
                record = covered(lane, one.entry, said, one.at, bot=bot.name, by="", salt=self._salt)
                return bool(await self._store.cover(lane, [row(record)]))
        return False

    async def _place(self, bot: Bot, inbound: Inbound) -> _Placed:
        queue = self._ownership.queue_of(bot.name, inbound.place)
        name, lane = lane_of(bot.name, inbound, bot.scope, queue=queue)
        redirected = self._redirected(bot, inbound, queue, lane)
        if redirected is not None:
            return redirected
        if inbound.kind == "message" and await self._is_full(bot, inbound, lane):
            return _Placed(control_name(queue), control_lane(lane), inbound, "busy")
        return _Placed(name, lane, inbound)

    def _redirected(self, bot: Bot, inbound: Inbound, queue: str, lane: str) -> _Placed | None:
        """Where something goes that must not wait behind the turn that runs in its lane."""
        running = self._running.at(lane)
        under_way = running is not None or self._running.forming(lane) is not None
        if under_way and self._says_stop(bot, inbound):
            inbound = replace(inbound, kind="command", command="stop", text="")
            return _Placed(control_name(queue), control_lane(lane), inbound)
        if running is not None and inbound.kind == "command" and inbound.command in _BUSY_COMMANDS:
            return _Placed(control_name(queue), control_lane(lane), inbound)
        return None

    def _says_stop(self, bot: Bot, inbound: Inbound) -> bool:
        meant = inbound.place.private or bool(inbound.reply_to)
        return inbound.kind == "message" and meant and typed(inbound.text, bot.negotiated(inbound)) == "stop"

    async def _is_full(self, bot: Bot, inbound: Inbound, lane: str) -> bool:
        """Whether as many messages wait in a lane as may; the store is asked only when that may be."""
        if len(self._queued) > _LANES:
            self._queued.clear()
        self._queued[lane] += 1
        most = bot.limits.queue + (_ALBUM if inbound.album else 0)  # an album is one message, and stays whole
        if self._queued[lane] <= most and self._ownership.alone():  # others may have let in more
            return False
        waiting = sum(_is_message(one.body) for one in await self._store.waiting(lane)) + self._placed[lane]
        self._queued[lane] = waiting + 1
        return waiting >= most

    async def _disturb(self, bot: Bot, inbound: Inbound, lane: str) -> None:
        running = self._running.at(lane)
        if running is None:
            return
        if inbound.kind == "action":
            await self._acknowledge(bot, inbound)
        elif inbound.kind == "command" and inbound.command == "new" and _theirs(running, inbound):
            await self._start_over(bot, inbound, lane, running)
        elif inbound.kind == "message" and _theirs(running, inbound) and bot.mid_turn == "interrupt":
            running.decide(TurnCompletion("superseded", site="session.queue", source="control"))
        elif inbound.kind == "message" and not inbound.album:
            self._signs.waits(bot, inbound, lane)

    async def _start_over(self, bot: Bot, inbound: Inbound, lane: str, running: Running) -> None:
        """End what runs and what waits of the same person before a new chat begins."""
        running.decide(TurnCompletion("superseded", site="session.queue", source="control"))
        turns: list[Turn] = []
        for one in await self._store.waiting(lane):
            said = unseal(one.body).inbound
            if said is None or said.message_id == inbound.message_id:
                break
            if said.kind == "message" and (said.place.private or said.sender.id == inbound.sender.id):
                record = covered(lane, one.entry, said, one.at, bot=bot.name, by="", salt=self._salt)
                turns.append(row(record))
        if turns:
            await self._store.cover(lane, turns)

    async def _acknowledge(self, bot: Bot, inbound: Inbound) -> None:
        """Let the platform stop showing a press as pending while a turn is under way."""
        if inbound.press:
            with contextlib.suppress(AdapterError):
                await bot.adapter.answer_press(inbound)

    def _overhear(self, bot: Bot, inbound: Inbound) -> None:
        """Keep what a group says among itself, for the next turn that is asked for there."""
        if not bot.overhears or inbound.kind != "message" or not inbound.text.strip() or inbound.sender.bot:
            return
        key = f"{bot.name}/{inbound.place.formerly or inbound.place.chat}:{inbound.place.thread}"
        said = self._overheard.setdefault(key, deque(maxlen=bot.overhears))
        said.append(Overheard(inbound.sender.name or inbound.sender.id, inbound.text[:_LONGEST]))
        self._overheard.move_to_end(key)
        if len(self._overheard) > _CHATS:
            self._overheard.popitem(last=False)

    def _told(self, bot: Bot, inbound: Inbound) -> Sequence[Overheard]:
        """What was overheard since the bot was last asked there."""
        if inbound.place.private or inbound.kind != "message":
            return ()
        key = f"{bot.name}/{inbound.place.formerly or inbound.place.chat}:{inbound.place.thread}"
        return tuple(self._overheard.pop(key, ()))


def _theirs(running: Running, inbound: Inbound) -> bool:
    """Whether somebody may replace a turn: their own, or any in a private chat."""
    return inbound.place.private or running.person == inbound.sender.id


def _is_message(body: bytes) -> bool:
    inbound = unseal(body).inbound
    return inbound is not None and inbound.kind == "message"
