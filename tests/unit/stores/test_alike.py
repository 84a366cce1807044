"""The two stores give the same answers to the same calls, whatever the calls."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from gateway.abc.store import (
    Claim,
    Commit,
    Entry,
    Fact,
    Letter,
    LetterClaim,
    LetterState,
    Line,
    PartRow,
    Store,
    Turn,
)
from gateway.errors import LeaseLost, StoreError
from gateway.stores.memory import MemoryStore
from gateway.stores.sqlite import SqliteStore
from gateway.testing.clock import ManualClock

T = TypeVar("T")

BOTS = ("a", "b")
LANES = ("a/1", "a/2", "b/1")
NAMES = ("x", "y", "z")

_bot_sets = st.sets(st.sampled_from(BOTS), min_size=1).map(sorted)
_lanes = st.sampled_from(LANES)
_few = st.integers(0, 3)
_keys = st.sampled_from(("", "k", "k1", "ké", "k\U0010ffff", "z"))
_values = st.binary(max_size=3)
_times = st.floats(0.0, 100.0).map(float)
_facts = st.lists(
    st.builds(Fact, _keys, st.none() | _values, st.none() | st.sampled_from((5.0, 50.0))), max_size=2
)


def _entry(lane: str, keys: list[str], body: bytes, record: int, at: float) -> Entry:
    return Entry(lane[0], "" if record == 0 else lane, tuple(keys), body, at)


def _turn(name: str, lane: str, state: str, reason: str, at: float) -> Turn:
    return Turn(name, name.upper(), lane[0], lane, 1, state, reason, "", at, b"r")


def _letter(name: int, lane: str, turn: str) -> Letter:
    return Letter(str(name), lane[0], lane, turn, b"body", 1.0)


_some_keys = st.lists(st.sampled_from("12345678"), max_size=2)
_entries = st.lists(st.builds(_entry, _lanes, _some_keys, _values, _few, _times), min_size=1, max_size=4)
_turns = st.builds(
    _turn,
    st.sampled_from(NAMES),
    _lanes,
    st.sampled_from(("running", "finished", "delivered")),
    st.sampled_from(("", "completed", "refused")),
    _times,
)
_letters = st.builds(_letter, st.integers(0, 20), _lanes, st.sampled_from(("", *NAMES)))
_lines = st.builds(
    Line, _lanes, st.sampled_from(NAMES), st.sampled_from(("user", "assistant")), st.text(max_size=3), _times
)
_commits = st.builds(
    Commit,
    st.none() | _turns,
    st.lists(_lines, max_size=3).map(tuple),
    st.lists(st.sampled_from(NAMES), max_size=2).map(tuple),
    st.booleans(),
    st.lists(_letters, max_size=3).map(tuple),
    _facts.map(tuple),
)
_rows = st.builds(PartRow, st.sampled_from(("pending", "sending", "sent", "skipped")), _values, _values)
_changes = st.lists(st.tuples(_few, _rows), max_size=2)
_states = st.sampled_from(("delivered", "undeliverable", "expired", "dropped"))
_delays = st.sampled_from((0.0, 10.0, 40.0))


class _Pair(RuleBasedStateMachine):
    """One store of each kind, asked the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.clock = ManualClock()
        self.memory: Store = MemoryStore(clock=self.clock)
        self.sqlite: Store = SqliteStore(
            Path(self.folder.name) / "store.db", clock=self.clock, synchronous="NORMAL"
        )
        self.runner.run(self.sqlite.open())
        self.claims: list[tuple[Claim, Claim]] = []
        self.posts: list[tuple[LetterClaim, LetterClaim]] = []

    def teardown(self) -> None:
        self.runner.run(self.sqlite.close())
        self.runner.close()
        self.folder.cleanup()

    def run(self, calls: Iterable[Awaitable[T]]) -> list[T]:
        """Await calls of different stores side by side; `Runner.run` costs more than most of them."""

        async def run() -> list[T]:
            return list(await asyncio.gather(*calls))

        return self.runner.get_loop().run_until_complete(run())

    def both(
        self, ask: Callable[[Store, int], Awaitable[T]], same: Callable[[T], object] = lambda answer: answer
    ) -> tuple[T, T] | None:
        """Ask both; the two answers, or `None` when both refused."""

        async def outcome(store: Store, which: int) -> tuple[str, T | None]:
            try:
                return "answer", await ask(store, which)
            except LeaseLost:
                return "lost", None
            except StoreError:
                return "refused", None

        (kind, one), (other_kind, two) = self.run(
            outcome(store, which) for which, store in enumerate((self.memory, self.sqlite))
        )
        assert kind == other_kind
        if one is None or two is None:
            assert one is two
            return None
        assert same(one) == same(two)
        return one, two

    @rule(entries=_entries)
    def put(self, entries: list[Entry]) -> None:
        self.both(lambda store, _: store.put(entries))

    @rule(bots=_bot_sets, limit=_few, lease=st.sampled_from((5.0, 30.0)), skip=st.sets(_lanes, max_size=1))
    def claim(self, bots: list[str], limit: int, lease: float, skip: set[str]) -> None:
        def known(claims: Sequence[Claim]) -> object:
            return [(one.bot, one.lane, one.attempts, one.body, one.at) for one in claims]

        claimed = self.both(
            lambda store, _: store.claim("w", bots=bots, limit=limit, lease=lease, skip=sorted(skip)), known
        )
        assert claimed is not None
        self.claims += zip(*claimed, strict=True)

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), commit=_commits)
    def commit(self, data: st.DataObject, commit: Commit) -> None:
        claims = data.draw(st.sampled_from(self.claims))
        self.both(lambda store, which: store.commit(claims[which], self._of(commit, claims[which])))

    def _of(self, commit: Commit, claim: Claim) -> Commit:
        """Numbers of entries differ between the stores, in steps but not in order."""
        turn = commit.turn
        return commit if turn is None else replace(commit, turn=replace(turn, entry=claim.entry))

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), turn=_turns)
    def record(self, data: st.DataObject, turn: Turn) -> None:
        claims = data.draw(st.sampled_from(self.claims))
        self.both(lambda store, which: store.record(claims[which], replace(turn, entry=claims[which].entry)))

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), delay=_delays)
    def retry(self, data: st.DataObject, delay: float) -> None:
        claims = data.draw(st.sampled_from(self.claims))
        self.both(lambda store, which: store.retry(claims[which], delay=delay))

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), lease=st.sampled_from((5.0, 30.0)))
    def extend(self, data: st.DataObject, lease: float) -> None:
        claims = data.draw(st.lists(st.sampled_from(self.claims), max_size=3))
        self.both(lambda store, which: store.extend([pair[which] for pair in claims], lease))

    @rule(lane=_lanes, turn=_turns, places=st.lists(_few, max_size=3))
    def cover(self, lane: str, turn: Turn, places: list[int]) -> None:
        async def cover(store: Store, _: int) -> int:
            waiting = await store.waiting(lane)
            turns = [
                replace(turn, id=f"{turn.id}{place}", entry=waiting[place].entry)
                for place in places
                if place < len(waiting)
            ]
            return len(await store.cover(lane, turns))

        self.both(cover)

    @rule(bots=_bot_sets, limit=_few, lease=st.sampled_from((5.0, 30.0)), skip=st.sets(_lanes, max_size=1))
    def claim_letters(self, bots: list[str], limit: int, lease: float, skip: set[str]) -> None:
        def known(claims: Sequence[LetterClaim]) -> object:
            return [(one.letter, one.attempts, one.parts) for one in claims]

        claimed = self.both(
            lambda store, _: store.claim_letters("w", bots=bots, limit=limit, lease=lease, skip=sorted(skip)),
            known,
        )
        assert claimed is not None
        self.posts += zip(*claimed, strict=True)

    @precondition(lambda self: self.posts)
    @rule(data=st.data(), parts=st.lists(_rows, max_size=3), anew=st.booleans())
    def plan(self, data: st.DataObject, parts: list[PartRow], *, anew: bool) -> None:
        posts = data.draw(st.sampled_from(self.posts))
        self.both(lambda store, which: store.plan(posts[which], parts, anew=anew))

    @precondition(lambda self: self.posts)
    @rule(data=st.data(), changes=_changes)
    def advance(self, data: st.DataObject, changes: list[tuple[int, PartRow]]) -> None:
        posts = data.draw(st.sampled_from(self.posts))
        self.both(lambda store, which: store.advance(posts[which], changes))

    @precondition(lambda self: self.posts)
    @rule(data=st.data(), state=_states, changes=_changes, turn=st.none() | _turns, facts=_facts)
    def settle(
        self,
        data: st.DataObject,
        state: LetterState,
        changes: list[tuple[int, PartRow]],
        turn: Turn | None,
        facts: list[Fact],
    ) -> None:
        posts = data.draw(st.sampled_from(self.posts))
        written = None if turn is None else replace(turn, entry=1_000_000)
        self.both(
            lambda store, which: store.settle(posts[which], state, changes=changes, turn=written, facts=facts)
        )

    @precondition(lambda self: self.posts)
    @rule(data=st.data(), delay=_delays, changes=_changes)
    def retry_letter(self, data: st.DataObject, delay: float, changes: list[tuple[int, PartRow]]) -> None:
        posts = data.draw(st.sampled_from(self.posts))
        self.both(lambda store, which: store.retry_letter(posts[which], delay=delay, changes=changes))

    @precondition(lambda self: self.posts)
    @rule(data=st.data(), lease=st.sampled_from((5.0, 30.0)))
    def extend_letters(self, data: st.DataObject, lease: float) -> None:
        posts = data.draw(st.lists(st.sampled_from(self.posts), max_size=3))
        self.both(lambda store, which: store.extend_letters([pair[which] for pair in posts], lease))

    @rule(name=st.integers(0, 40).map(str), at=_times, turn=st.none() | _turns)
    def revive(self, name: str, at: float, turn: Turn | None) -> None:
        written = None if turn is None else replace(turn, entry=1_000_000)
        self.both(lambda store, _: store.revive(name, at, turn=written))

    @rule(name=st.integers(0, 40).map(str))
    def drop_letter(self, name: str) -> None:
        self.both(lambda store, _: store.dead_letter(name))
        self.both(lambda store, _: store.drop_letter(name))

    @rule(key=_keys, value=_values, ttl=st.none() | _delays)
    def set(self, key: str, value: bytes, ttl: float | None) -> None:
        self.both(lambda store, _: store.set(key, value, ttl=ttl))

    @rule(key=_keys, expect=st.none() | _values, value=st.none() | _values)
    def swap(self, key: str, expect: bytes | None, value: bytes | None) -> None:
        self.both(lambda store, _: store.swap(key, expect, value))

    @rule(name=st.sampled_from(NAMES), owner=st.sampled_from(NAMES), ttl=_delays)
    def lease(self, name: str, owner: str, ttl: float) -> None:
        self.both(lambda store, _: store.lease(name, owner, ttl))

    @rule(name=st.sampled_from(NAMES), owner=st.sampled_from(NAMES))
    def release(self, name: str, owner: str) -> None:
        self.both(lambda store, _: store.release(name, owner))

    @rule(age=st.sampled_from((0.0, 20.0, 90_000.0)))
    def trim(self, age: float) -> None:
        before = self.clock.time() - age
        self.both(lambda store, _: store.trim(before, limit=10_000))

    @rule(seconds=st.sampled_from((1.0, 11.0, 31.0, 90_000.0)))
    def advance_time(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule(prefix=_keys, limit=_few)
    def look_up(self, prefix: str, limit: int) -> None:
        self.both(lambda store, _: store.scan(prefix, limit=limit))
        self.both(lambda store, _: store.get(prefix))
        self.both(lambda store, _: store.dead(bot="a", limit=limit))
        for lane in LANES:
            self.both(partial(_history, lane=lane, limit=limit))

    @invariant()
    def alike(self) -> None:
        self.both(lambda store, _: store.counts())
        self.both(lambda store, _: store.turns(limit=100), _without_entries)
        self.both(lambda store, _: store.turns(bot="a", state="finished", limit=2), _without_entries)
        self.both(lambda store, _: store.dead())
        for lane in LANES:
            self.both(partial(_waiting, lane=lane))


async def _history(store: Store, _: int, *, lane: str, limit: int) -> tuple[Line, ...]:
    return await store.history(lane, limit=limit)


async def _waiting(store: Store, _: int, *, lane: str) -> list[tuple[bytes, float]]:
    return [(one.body, one.at) for one in await store.waiting(lane)]


def _without_entries(turns: Sequence[Turn]) -> object:
    return [replace(turn, entry=0) for turn in turns]


@pytest.mark.parametrize("examples", [20, pytest.param(400, marks=pytest.mark.slow)])
def test_both_stores_answer_alike(examples: int) -> None:
    run_state_machine_as_test(
        _Pair,
        settings=settings(
            max_examples=examples,
            stateful_step_count=50,
            deadline=None,
            database=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
