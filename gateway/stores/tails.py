"""The last lines of lanes that were read lately, for a store that nobody else writes to."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from gateway.abc.store import Line

__all__ = ["Tails"]

_MOST = 32 * 1024 * 1024  # bytes of lines that are kept, about


@dataclass(frozen=True, slots=True)
class _Tail:
    """What a read gave: at most `limit` lines."""

    limit: int
    lines: tuple[Line, ...]
    size: int


class Tails:
    """Spares a lively conversation reading its history anew for each message.

    A lane that is being written to is neither given nor kept, so what is given is never older than what a
    read would give.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._size = 0
        self._tails: OrderedDict[str, _Tail] = OrderedDict()
        self._written: Counter[str] = Counter()
        self._cleared = 0

    def get(self, lane: str, limit: int) -> tuple[Line, ...] | None:
        """The lines a read with this limit would give; `None` when they must be read."""
        tail = self._tails.get(lane)
        if tail is None or tail.limit != limit:
            return None
        self._tails.move_to_end(lane)
        return tail.lines

    def keep(self, lane: str, limit: int, lines: Sequence[Line]) -> None:
        """Keep what was read just now."""
        if self._written[lane] or limit <= 0:
            return
        self._put(lane, _Tail(limit, tuple(lines), sum(map(_size, lines))))

    def _put(self, lane: str, tail: _Tail) -> None:
        self._drop(lane)
        self._tails[lane] = tail
        self._size += tail.size
        while self._size > self._most:
            self._drop(next(iter(self._tails)))

    @contextmanager
    def writing(self, lane: str, added: Sequence[Line], *, anew: bool) -> Generator[None]:
        """Around a write to a lane that adds lines, or with `anew` changes more than that."""
        lanes = {lane, *(line.lane for line in added)}
        tail, cleared = self._tails.get(lane), self._cleared
        for one in lanes:
            self._drop(one)
            self._written[one] += 1
        try:
            yield
        except Exception:
            self._over(lanes)
            raise
        self._over(lanes)  # after a cancellation it may still be written: such a lane is kept no more
        if tail is not None and not anew and lanes == {lane} and cleared == self._cleared:
            self._lengthen(lane, tail, added)

    def _lengthen(self, lane: str, tail: _Tail, added: Sequence[Line]) -> None:
        if self._written[lane]:
            return
        lines = (*tail.lines, *added)
        gone = lines[: max(len(lines) - tail.limit, 0)]
        size = tail.size + sum(map(_size, added)) - sum(map(_size, gone))
        self._put(lane, _Tail(tail.limit, lines[len(gone) :], size))

    def _over(self, lanes: set[str]) -> None:
        for one in lanes:
            self._written[one] -= 1
            if not self._written[one]:
                del self._written[one]

    def clear(self) -> None:
        """Forget everything: lines may have changed in any lane."""
        self._tails.clear()
        self._size = 0
        self._cleared += 1

    def _drop(self, lane: str) -> None:
        tail = self._tails.pop(lane, None)
        if tail is not None:
            self._size -= tail.size


def _size(line: Line) -> int:
    """Bytes that a line takes, about."""
    return len(line.text) + len(line.data) + 200
