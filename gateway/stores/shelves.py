"""Turn records and facts in plain dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence

from gateway.abc.clock import Clock
from gateway.abc.store import Fact, Line, Turn

__all__ = ["Facts", "Lines", "Turns"]


class Turns:
    """Turn records by id and by reference, in the order they were first written."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._refs: dict[str, dict[str, None]] = {}

    def __len__(self) -> int:
        return len(self._turns)

    def write(self, turn: Turn) -> None:
        """Write a record over what is known of it."""
        known = self._turns.get(turn.id)
        if known is not None and known.ref != turn.ref:
            self._unlink(known)
        self._turns[turn.id] = turn
        self._refs.setdefault(turn.ref, {})[turn.id] = None

    def find(self, key: str) -> Turn | None:
        """A turn by id, or the newest with this reference."""
        if key in self._turns:
            return self._turns[key]
        named = (self._turns[turn] for turn in reversed(self._refs.get(key, {})))
        return max(named, key=_age, default=None)

    def matching(self, **words: str) -> tuple[Turn, ...]:
        """Turns whose columns are these words, newest first; empty words match all."""
        wanted = {column: word for column, word in words.items() if word}
        found = (
            turn
            for turn in reversed(self._turns.values())
            if all(getattr(turn, column) == word for column, word in wanted.items())
        )
        return tuple(sorted(found, key=_age, reverse=True))

    def trim(self, before: float, limit: int, *, entries: Container[int], owed: Container[str]) -> int:
        """Remove old records of what has ended and is not owed; how many."""
        old = [
            turn
            for turn in self._turns.values()
            if turn.at < before and turn.entry not in entries and turn.id not in owed
        ][: max(limit, 0)]
        for turn in old:
            del self._turns[turn.id]
            self._unlink(turn)
        return len(old)

    def remove(self, name: str) -> bool:
        """Remove a record by its id; whether there was one."""
        turn = self._turns.pop(name, None)
        if turn is not None:
            self._unlink(turn)
        return turn is not None

    def _unlink(self, turn: Turn) -> None:
        del self._refs[turn.ref][turn.id]
        if not self._refs[turn.ref]:
            del self._refs[turn.ref]


class Lines:
    """The history of lanes."""

    def __init__(self) -> None:
        self._lines: dict[str, list[Line]] = {}

    def append(self, lines: Sequence[Line]) -> None:
        """Add lines, each to its lane."""
        for line in lines:
            self._lines.setdefault(line.lane, []).append(line)

    def last(self, lane: str, limit: int) -> tuple[Line, ...]:
        """The last lines of a lane, oldest first."""
        return tuple(self._lines.get(lane, ())[-limit:]) if limit > 0 else ()

    def clear(self, lane: str) -> int:
        """Remove a lane's lines; how many."""
        return len(self._lines.pop(lane, ()))

    def forget(self, turns: Collection[str], lane: str = "") -> int:
        """Remove the lines of some turns, of one lane or of all; how many."""
        lanes = [lane] if lane else list(self._lines)
        return sum(self._keep(one, lambda line: line.turn not in turns) for one in lanes)

    def fade(self, before: float, limit: int) -> int:
        """Remove lines older than a time; how many."""
        left = max(limit, 0)
        for lane in list(self._lines):
            old = [line for line in self._lines[lane] if line.at < before][:left]
            left -= self._keep(lane, _other_than(old))
        return max(limit, 0) - left

    def _keep(self, lane: str, wanted: Callable[[Line], bool]) -> int:
        lines = self._lines.get(lane, [])
        kept = list(filter(wanted, lines))
        if kept:
            self._lines[lane] = kept
        else:
            self._lines.pop(lane, None)
        return len(lines) - len(kept)


class Facts:
    """Small named values, some for a time only."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._facts: dict[str, tuple[bytes, float | None]] = {}

    def __len__(self) -> int:
        return sum(self._kept(until) for _, until in self._facts.values())

    def get(self, key: str) -> bytes | None:
        """A fact that is still kept."""
        value, until = self._facts.get(key, (None, None))
        return value if self._kept(until) else None

    def write(self, facts: Sequence[Fact]) -> None:
        """Write facts, or remove those without a value."""
        for fact in facts:
            if fact.value is None:
                self._facts.pop(fact.key, None)
            else:
                until = None if fact.ttl is None else self._clock.time() + fact.ttl
                self._facts[fact.key] = (fact.value, until)

    def scan(self, prefix: str, limit: int) -> tuple[tuple[str, bytes], ...]:
        """The last facts whose keys start so, ordered by key."""
        found = sorted(
            (key, value)
            for key, (value, until) in self._facts.items()
            if key.startswith(prefix) and self._kept(until)
        )
        return tuple(found[-limit:]) if limit > 0 else ()

    def trim(self, limit: int) -> int:
        """Remove facts whose time is over; how many."""
        over = [key for key, (_, until) in self._facts.items() if not self._kept(until)][: max(limit, 0)]
        for key in over:
            del self._facts[key]
        return len(over)

    def _kept(self, until: float | None) -> bool:
        return until is None or until > self._clock.time()


def _age(turn: Turn) -> float:
    return turn.at


def _other_than(lines: Sequence[Line]) -> Callable[[Line], bool]:
    gone = frozenset(map(id, lines))
    return lambda line: id(line) not in gone
