"""A lease is believed in for less long than the store counts it, whatever the line does."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.ownership.tenure import Tenure

TTL, MARGIN = 10.0, 2.0


def test_lease_counts_from_the_asking() -> None:
    tenure = Tenure("token", TTL, MARGIN)
    tenure.granted(100.0)

    assert tenure.holds(107.9)
    assert not tenure.holds(108.0)


def test_answer_to_an_earlier_question_shortens_nothing() -> None:
    tenure = Tenure("token", TTL, MARGIN)
    tenure.granted(103.0)
    tenure.granted(100.0)

    assert tenure.holds(110.9)


def test_answer_that_comes_after_the_end_is_void() -> None:
    tenure = Tenure("token", TTL, MARGIN)
    tenure.granted(100.0)
    tenure.end(104.0)
    tenure.granted(103.0)

    assert not tenure.holds(104.1)


@dataclass(slots=True)
class _Store:
    """The rule of the store: a lease is another's until it has run out."""

    holder: str = ""
    until: float = float("-inf")

    def lease(self, token: str, now: float) -> bool:
        if self.holder not in ("", token) and now < self.until:
            return False
        self.holder, self.until = token, now + TTL
        return True

    def release(self, token: str) -> None:
        if self.holder == token:
            self.holder, self.until = "", float("-inf")


@dataclass(slots=True)
class _World:
    """Processes with clocks of their own, a store, and a line that delays and loses."""

    count: int
    now: float = 0.0
    store: _Store = field(default_factory=_Store)
    tenures: list[Tenure] = field(default_factory=list[Tenure])
    events: list[tuple[float, int, Callable[[], None]]] = field(
        default_factory=list[tuple[float, int, Callable[[], None]]]
    )

    numbers: Iterator[int] = field(default_factory=itertools.count)
    epochs: Counter[int] = field(default_factory=Counter[int])

    def __post_init__(self) -> None:
        self.tenures = [_tenure(who, 0) for who in range(self.count)]

    def local(self, who: int) -> float:
        """A process's own clock, which nobody compares with another's."""
        return self.now + 1000.0 * who

    def at(self, when: float, what: Callable[[], None]) -> None:
        heapq.heappush(self.events, (when, next(self.numbers), what))

    def ask(self, who: int, there: float, back: float, *, arrives: bool, answered: bool) -> None:
        asked, tenure = self.local(who), self.tenures[who]

        def done() -> None:
            granted = self.store.lease(tenure.token, self.now)
            if answered:
                self.at(self.now + back, lambda: self._told(who, tenure, asked, granted=granted))

        if arrives:
            self.at(self.now + there, done)

    def _told(self, who: int, tenure: Tenure, asked: float, *, granted: bool) -> None:
        if granted:
            tenure.granted(asked)
        elif self.tenures[who] is tenure:
            self._end(who)

    def give_back(self, who: int, there: float) -> None:
        token = self.tenures[who].token
        self._end(who)
        self.at(self.now + there, lambda: self.store.release(token))

    def _end(self, who: int) -> None:
        self.tenures[who].end(self.local(who))
        self.epochs[who] += 1
        self.tenures[who] = _tenure(who, self.epochs[who])

    def believers(self) -> int:
        return sum(tenure.holds(self.local(who)) for who, tenure in enumerate(self.tenures))


def _tenure(who: int, epoch: int) -> Tenure:
    return Tenure(f"{who}.{epoch}", TTL, MARGIN)


_DELAY = st.one_of(st.just(0.0), st.floats(0.0, 0.5), st.floats(0.0, 25.0))
_STEPS = st.lists(
    st.tuples(
        st.integers(0, 2),  # who; a process that is not named is asleep
        st.sampled_from(["ask", "ask", "ask", "ask", "back"]),
        st.floats(0.0, 6.0),  # seconds since the step before
        _DELAY,
        _DELAY,
        st.sampled_from(["told", "told", "told", "lost", "untold"]),
    ),
    max_size=40,
)


# A farewell that arrives late, after the same process holds the lease anew, and then another asks.
_LATE = [
    (0, "ask", 0.0, 0.0, 0.0, "told"),
    (0, "back", 1.0, 9.5, 0.0, "told"),
    (0, "ask", 9.2, 0.0, 0.0, "told"),
    (1, "ask", 0.6, 0.0, 0.0, "told"),
    (2, "ask", 0.1, 0.0, 0.0, "told"),
]


@settings(max_examples=300, deadline=None)
@example(_LATE)
@given(_STEPS)
def test_no_two_processes_ever_both_believe_that_they_may_speak(
    steps: list[tuple[int, str, float, float, float, str]],
) -> None:
    """Delays, losses, pauses and hand-overs at random; looked at after everything that happens."""
    world = _World(3)
    for who, what, gap, there, back, fate in steps:
        until = world.now + gap
        while world.events and world.events[0][0] <= until:
            world.now, _, happens = heapq.heappop(world.events)
            happens()
            assert world.believers() <= 1
        world.now = until
        assert world.believers() <= 1
        if what == "ask":
            world.ask(who, there, back, arrives=fate != "lost", answered=fate == "told")
        else:
            world.give_back(who, there)
