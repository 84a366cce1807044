"""Tell a bot's owner that it does not work: once for each incident, and once when it works again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from gateway.abc.adapter import AdapterState
from gateway.abc.clock import Clock
from gateway.abc.store import Entry, Store
from gateway.errors import StoreError
from gateway.messages import Event, Inbound, Person, Place
from gateway.observability import get_logger
from gateway.session.envelope import Telling, seal
from gateway.session.lanes import control_lane

__all__ = ["Alerts", "Watch", "is_alert"]

_LINES = {"auth_failed": "alert.access", "quota_exhausted": "alert.limit"}
_PREFIX, _LANE = "alert/", "alerts:"
_DOWN = frozenset({"deaf", "conflict", "misconfigured"})
_AGAIN = 6 * 3600.0  # seconds after which an incident that goes on is told again
_MOST, _WITHIN = 2, 3600.0  # times in so many seconds that the same incident is told, if it comes and goes


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told.

    Attributes:
        bot: The bot that tells.
        chat: The platform's id of the chat.
    """

    bot: str
    chat: str


def is_alert(lane: str) -> bool:
    """Whether what is said in a lane is an alert; its record's message id is the incident."""
    return lane.partition("/")[2].startswith(_LANE)


class Alerts:
    """Owner alerts.

    An alert goes through the inbox of the bot that tells, so it is delivered like any answer and outlives a
    restart. What is open is kept in the store too, so that a restart tells nothing twice.

    Args:
        watch: Who is told, read anew each time; `None` for nobody.
    """

    def __init__(self, store: Store, *, clock: Clock, watch: Callable[[], Watch | None]) -> None:
        self._store = store
        self._clock = clock
        self._watch = watch
        self._open: dict[str, float] = {}  # incident to when it was told, unix seconds
        self._arrived: set[str] = set()
        self._told: dict[str, deque[float]] = {}  # incident to the times it was told of late
        self._log = get_logger("alerts")

    async def stands(self, bot: str, state: AdapterState) -> None:
        """Tell of a connection that broke, or that holds again."""
        if state in _DOWN:
            await self._begin(f"{bot}/link", bot, "alert.deaf")
        elif state == "up":
            await self._end(f"{bot}/link", bot)

    async def ended(self, bot: str, agent: str, reason: str, ref: str) -> bool:
        """Tell of a turn that ended for something only the owner can put right, or that ended well again.

        Each agent of a bot has its own access, so another's good end says nothing about it.

        Returns:
            Whether the owner really got word of what stands in the way.
        """
        incident = f"{bot}/agent/{agent}"
        line = _LINES.get(reason)
        if line is not None:
            await self._begin(incident, bot, line, ref=ref)
            return incident in self._arrived
        if reason == "completed" and incident in self._open:
            await self._end(incident, bot)
        return False

    async def undelivered(self, bot: str, ref: str) -> None:
        """Tell of an answer that nobody could be given."""
        await self._begin(f"{bot}/delivery", bot, "alert.undelivered", ref=ref)

    async def delivered(self, bot: str) -> None:
        """Note that answers arrive again."""
        if f"{bot}/delivery" in self._open:
            await self._end(f"{bot}/delivery", bot)

    def arrived(self, incident: str) -> None:
        """Note that the word of an incident was delivered."""
        if incident in self._open:
            self._arrived.add(incident)

    async def load(self) -> None:
        """Read what is open, as a process before this one, or beside it, left it."""
        found = await self._store.scan(_PREFIX)
        self._open = {key.removeprefix(_PREFIX): _moment(value) for key, value in found}
        self._arrived &= self._open.keys()

    async def _begin(self, incident: str, bot: str, line: str, *, ref: str = "") -> None:
        """Tell of an incident, unless it was told lately."""
        now = self._clock.time()
        watch = self._watch()
        if watch is None or now - self._open.get(incident, 0.0) < _AGAIN:
            return
        told = self._told.setdefault(incident, deque(maxlen=_MOST))
        if len(told) == _MOST and now - told[0] < _WITHIN:
            return
        self._open[incident] = now
        try:
            if await self._is_first(incident, now):
                told.append(now)
                await self._say(watch, incident, line, {"bot": bot, "ref": ref})
        except StoreError as exc:
            self._open.pop(incident, None)
            self._log.warning("alerts.not_kept", problem=str(exc))

    async def _is_first(self, incident: str, now: float) -> bool:
        """Whether no other process told of it lately, or does this very moment; then it is ours to tell."""
        key = _PREFIX + incident
        before = await self._store.get(key)
        if before is not None and now - _moment(before) < _AGAIN:
            return False
        return await self._store.swap(key, before, str(now).encode())

    async def _end(self, incident: str, bot: str) -> None:
        if self._open.pop(incident, None) is None:
            return
        self._arrived.discard(incident)
        watch = self._watch()
        key = _PREFIX + incident
        try:
            before = await self._store.get(key)
            ended = before is not None and await self._store.swap(key, before, None)
            if ended and watch is not None:
                await self._say(watch, incident, "alert.well", {"bot": bot})
        except StoreError as exc:
            self._log.warning("alerts.not_kept", problem=str(exc))

    async def _say(self, watch: Watch, incident: str, line: str, values: dict[str, str]) -> None:
        # How private a chat is its id tells on one platform only, and a word to nobody by name needs no more.
        place = Place(watch.chat, private=False)
        event = Event(b"", (), Inbound("message", place, Person(""), message_id=incident))
        lane = control_lane(f"{watch.bot}/{_LANE}{watch.chat}")
        body = seal(event, telling=Telling(line, values))
        await self._store.put([Entry(f"{watch.bot}!", lane, (), body, self._clock.time())])
        self._log.info("alerts.told", incident=incident, line=line)


def _moment(value: bytes) -> float:
    """When an incident was told, unix seconds; long ago where that cannot be read."""
    try:
        return float(value)
    except ValueError:
        return 0.0
