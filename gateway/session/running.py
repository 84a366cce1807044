"""A turn while it runs: its text so far, its deadlines, and the one decision that ends it early."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field, replace

from gateway.abc.agent import Remedy
from gateway.abc.clock import Clock
from gateway.completion.model import TurnCompletion
from gateway.messages import Person
from gateway.session.border import plain_text

__all__ = ["Deadlines", "Forming", "Running", "RunningTurns"]


_MOST_REMEDIES = 64  # kept of one turn
_LONGEST_DETAIL = 200  # characters


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a turn may take.

    Attributes:
        whole: Seconds for the whole turn.
        idle: Seconds with no sign of life.
        grace: Seconds a cancelled agent may take to clean up before it is abandoned.
    """

    whole: float = 300.0
    idle: float = 120.0
    grace: float = 5.0


@dataclass(slots=True)
class Running:
    """One turn under way; also the `TurnContext` its agent sees.

    The first decision wins (stop, deadline, shutdown): a later one, and whatever the agent returns after it,
    change nothing.
    """

    turn: str
    lane: str
    person: str
    clock: Clock
    deadlines: Deadlines
    commit_action: Callable[[str], Awaitable[None]]
    take_newer: Callable[[], Awaitable[tuple[str, ...]]] | None = None
    text: str = ""
    actions: list[str] = field(default_factory=list[str])
    remedies: list[Remedy] = field(default_factory=list[Remedy])
    decided: TurnCompletion | None = None
    decided_at: float = 0.0
    stopped_by: Person | None = None
    committed: bool = False
    task: asyncio.Task[object] | None = None
    on_text: Callable[[], None] | None = None
    on_decided: Callable[[], None] | None = None
    started: float = 0.0
    _alive: float = 0.0

    def start(self) -> None:
        """Begin to count time."""
        self.started = self._alive = self.clock.monotonic()

    async def emit(self, text: str) -> None:
        """Take a piece of the answer; see `TurnContext`."""
        self._alive = self.clock.monotonic()
        if self.decided is not None or self.committed or not text:
            return
        self.text += plain_text(text)
        if self.on_text is not None:
            self.on_text()

    async def restate(self, text: str) -> None:
        """Take back what was emitted; see `TurnContext`."""
        self._alive = self.clock.monotonic()
        if self.decided is not None or self.committed:
            return
        self.text = plain_text(text)
        if self.on_text is not None:
            self.on_text()

    async def before_action(self, name: str) -> None:
        """Commit that a tool is about to start; see `TurnContext`."""
        self._alive = self.clock.monotonic()
        if self.decided is not None:
            raise asyncio.CancelledError
        action = plain_text(name)
        self.actions.append(action)
        await self.commit_action(action)
        self._alive = self.clock.monotonic()

    def progress(self) -> None:
        """Restart the idle time-out; see `TurnContext`."""
        self._alive = self.clock.monotonic()

    async def newer(self) -> tuple[str, ...]:
        """Take what the person said meanwhile into this turn; see `TurnContext`."""
        if self.decided is not None or self.committed or self.take_newer is None:
            return ()
        return await self.take_newer()

    def remaining(self) -> float:
        """Seconds until the deadline; see `TurnContext`."""
        return self.started + self.deadlines.whole - self.clock.monotonic()

    def remedied(self, remedy: Remedy) -> None:
        """Put a remedy on the record; see `TurnContext`."""
        self._alive = self.clock.monotonic()
        if len(self.remedies) < _MOST_REMEDIES:
            self.remedies.append(replace(remedy, detail=plain_text(remedy.detail)[:_LONGEST_DETAIL]))

    def decide(self, completion: TurnCompletion, *, by: Person | None = None) -> bool:
        """End the turn now; `False` when it was decided or committed before."""
        if self.decided is not None or self.committed:
            return False
        self.decided, self.decided_at, self.stopped_by = completion, self.clock.monotonic(), by
        if self.task is not None:
            self.task.cancel()
        if self.on_decided is not None:
            self.on_decided()
        return True

    def patience(self) -> float:
        """Seconds until the next deadline; negative once it passed."""
        now = self.clock.monotonic()
        if self.decided is not None:
            return self.decided_at + self.deadlines.grace - now
        return min(self.started + self.deadlines.whole, self._alive + self.deadlines.idle) - now

    def which(self) -> str:
        """The deadline that passed: `whole` or `idle`."""
        late = self.clock.monotonic() - self.started >= self.deadlines.whole
        return "whole" if late else "idle"


@dataclass(slots=True)
class Forming:
    """A message of which more may come, before its turn begins.

    Attributes:
        stopped_by: Who stopped it; `None` while nobody did.
    """

    person: str
    stopped_by: Person | None = None


class RunningTurns:
    """The turns this process runs, by lane."""

    def __init__(self) -> None:
        self._by_lane: dict[str, Running] = {}
        self._forming: dict[str, Forming] = {}

    def __len__(self) -> int:
        return len(self._by_lane)

    def add(self, running: Running) -> None:
        """Enter a turn."""
        self._by_lane[running.lane] = running

    def remove(self, running: Running) -> None:
        """Take a turn out."""
        if self._by_lane.get(running.lane) is running:
            del self._by_lane[running.lane]

    @contextlib.contextmanager
    def form(self, lane: str, person: str) -> Generator[Forming]:
        """Note that the rest of somebody's message is waited for."""
        forming = self._forming[lane] = Forming(person)
        try:
            yield forming
        finally:
            if self._forming.get(lane) is forming:
                del self._forming[lane]

    def forming(self, lane: str) -> Forming | None:
        """The message whose rest is waited for in a lane."""
        return self._forming.get(lane)

    def at(self, lane: str) -> Running | None:
        """The turn that runs in a lane."""
        return self._by_lane.get(lane)

    def of_bot(self, bot: str) -> int:
        """How many turns of a bot are under way."""
        return sum(running.lane.startswith(f"{bot}/") for running in self._by_lane.values())

    def now(self) -> frozenset[str]:
        """The ids of the turns under way."""
        return frozenset(running.turn for running in self._by_lane.values())

    def decide_all(self, completion: TurnCompletion) -> int:
        """End every turn; how many were not decided before."""
        return sum(running.decide(completion) for running in tuple(self._by_lane.values()))
