"""A store that lives as long as its process: for tests and for callers who keep nothing."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from gateway.abc.clock import Clock, SystemClock
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
    Turn,
    Waiting,
)
from gateway.errors import LeaseLost
from gateway.stores.wake import Wake

__all__ = ["MemoryStore"]


@dataclass(slots=True)
class _Waiting:
    """An entry or a letter at its place in a lane."""

    number: int
    bot: str
    at: float
    due: float = 0.0
    attempts: int = 0
    token: str = ""
    until: float = 0.0


@dataclass(slots=True)
class _Inbox(_Waiting):
    body: bytes = b""


@dataclass(slots=True)
class _Outbox(_Waiting):
    letter: Letter | None = None
    parts: list[PartRow] = field(default_factory=list[PartRow])


_W = TypeVar("_W", bound=_Waiting)


class MemoryStore:
    """A `Store` in plain dictionaries; nothing survives the process."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock: Clock = clock or SystemClock()
        self._numbers = 0
        self._known: dict[tuple[str, str], float] = {}
        self._lanes: dict[str, deque[_Inbox]] = {}
        self._out: dict[str, deque[_Outbox]] = {}
        self._dead: list[tuple[Letter, LetterState]] = []
        self._turns: dict[str, Turn] = {}
        self._refs: dict[str, str] = {}
        self._lines: dict[str, list[Line]] = {}
        self._facts: dict[str, tuple[bytes, float | None]] = {}
        self._leases: dict[str, tuple[str, float]] = {}
        self._wake = Wake()

    async def open(self) -> None:
        """Take the store; see `Store`."""

    async def close(self) -> None:
        """Let the store go; see `Store`."""
        self._wake.set()

    async def put(self, entries: Sequence[Entry]) -> tuple[bool, ...]:
        """Keep events; see `Store`."""
        fresh = tuple(self._put(entry) for entry in entries)
        self._wake.set()
        return fresh

    def _put(self, entry: Entry) -> bool:
        keys = [(entry.bot, key) for key in entry.dedupe]
        if any(key in self._known for key in keys):
            return False
        self._known.update((key, entry.at) for key in keys)
        if entry.lane:
            self._numbers += 1
            lane = self._lanes.setdefault(entry.lane, deque())
            lane.append(_Inbox(self._numbers, entry.bot, entry.at, body=entry.body))
        return True

    async def claim(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[Claim, ...]:
        """Lease heads of lanes; see `Store`."""
        until = self._clock.time() + lease
        claims: list[Claim] = []
        for lane, head in _free(self._lanes, bots, skip, self._clock.time())[:limit]:
            _lease(head, until)
            claims.append(Claim(head.number, head.bot, lane, head.token, head.attempts, head.body, head.at))
        return tuple(claims)

    async def extend(self, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
        """Renew leases; see `Store`."""
        now = self._clock.time()
        return tuple(
            claim.lane for claim in claims if not _renew(self._lanes.get(claim.lane), claim.token, now, lease)
        )

    async def record(self, claim: Claim, turn: Turn) -> None:
        """Write a running turn; see `Store`."""
        self._held(claim)
        self._write_turn(turn)

    async def commit(self, claim: Claim, commit: Commit) -> None:
        """End an entry; see `Store`."""
        self._held(claim)
        self._pop(self._lanes, claim.lane)
        self._apply(claim.lane, commit)
        self._wake.set()

    async def retry(self, claim: Claim, *, delay: float) -> None:
        """Free a lane for later; see `Store`."""
        _release(self._held(claim), self._clock.time() + delay)
        self._wake.set()

    async def waiting(self, lane: str) -> tuple[Waiting, ...]:
        """Entries that wait; see `Store`."""
        now = self._clock.time()
        rows = self._lanes.get(lane, ())
        return tuple(Waiting(row.number, row.body, row.at) for row in rows if row.until <= now)

    async def cover(self, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """End waiting entries; see `Store`."""
        free = {one.entry for one in await self.waiting(lane)}
        ended = [turn for turn in turns if turn.entry in free]
        gone = {turn.entry for turn in ended}
        rows = self._lanes.get(lane)
        if rows is not None and gone:
            self._lanes[lane] = deque(row for row in rows if row.number not in gone)
            if not self._lanes[lane]:
                del self._lanes[lane]
        for turn in ended:
            self._write_turn(turn)
        self._wake.set()
        return tuple(turn.entry for turn in ended)

    async def claim_letters(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[LetterClaim, ...]:
        """Lease heads of outboxes; see `Store`."""
        until = self._clock.time() + lease
        claims: list[LetterClaim] = []
        for _, head in _free(self._out, bots, skip, self._clock.time())[:limit]:
            _lease(head, until)
            if head.letter is not None:
                claims.append(LetterClaim(head.letter, head.token, head.attempts, tuple(head.parts)))
        return tuple(claims)

    async def extend_letters(self, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
        """Renew letter leases; see `Store`."""
        now = self._clock.time()
        return tuple(
            claim.letter.id
            for claim in claims
            if not _renew(self._out.get(claim.letter.lane), claim.token, now, lease)
        )

    async def plan(self, claim: LetterClaim, parts: Sequence[PartRow]) -> None:
        """Keep rendered parts; see `Store`."""
        row = self._held_letter(claim)
        if row.parts:
            raise LeaseLost(f"letter {claim.letter.id!r} is planned already")
        row.parts = list(parts)

    async def advance(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
        """Write parts; see `Store`."""
        _change(self._held_letter(claim), changes)

    async def settle(
        self,
        claim: LetterClaim,
        state: LetterState,
        *,
        changes: Sequence[tuple[int, PartRow]] = (),
        turn: Turn | None = None,
        facts: Sequence[Fact] = (),
    ) -> None:
        """Close a letter; see `Store`."""
        _change(self._held_letter(claim), changes)
        self._pop(self._out, claim.letter.lane)
        if state != "delivered":
            self._dead.append((claim.letter, state))
        if turn is not None:
            self._write_turn(turn)
        self._write_facts(facts)
        self._wake.set()

    async def retry_letter(
        self, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]] = ()
    ) -> None:
        """Free a letter for later; see `Store`."""
        row = self._held_letter(claim)
        _change(row, changes)
        _release(row, self._clock.time() + delay)
        self._wake.set()

    async def dead(self, *, bot: str = "", limit: int = 100) -> tuple[tuple[Letter, LetterState], ...]:
        """Letters that were not delivered; see `Store`."""
        found = [pair for pair in reversed(self._dead) if bot in ("", pair[0].bot)]
        return tuple(found[:limit])

    async def history(self, lane: str, *, limit: int) -> tuple[Line, ...]:
        """The last lines; see `Store`."""
        return tuple(self._lines.get(lane, ())[-limit:]) if limit > 0 else ()

    async def turn(self, key: str) -> Turn | None:
        """A turn; see `Store`."""
        return self._turns.get(key) or self._turns.get(self._refs.get(key, ""))

    async def turns(
        self, *, bot: str = "", lane: str = "", reason: str = "", state: str = "", limit: int = 50
    ) -> tuple[Turn, ...]:
        """Turns that match; see `Store`."""
        wanted = (bot, lane, reason, state)
        found = [
            turn
            for turn in self._turns.values()
            if all(
                word in ("", have)
                for word, have in zip(wanted, (turn.bot, turn.lane, turn.reason, turn.state), strict=True)
            )
        ]
        return tuple(sorted(found, key=lambda turn: turn.entry, reverse=True)[:limit])

    async def counts(self) -> dict[str, int]:
        """How many rows; see `Store`."""
        now = self._clock.time()
        rows = [row for lane in self._lanes.values() for row in lane]
        return {
            "inbox": len(rows),
            "claimed": sum(row.until > now for row in rows),
            "outbox": sum(len(lane) for lane in self._out.values()),
            "dead": len(self._dead),
            "turns": len(self._turns),
            "facts": len(self._facts),
        }

    async def get(self, key: str) -> bytes | None:
        """A fact; see `Store`."""
        value, until = self._facts.get(key, (None, None))
        return None if until is not None and until <= self._clock.time() else value

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Write a fact; see `Store`."""
        self._write_facts([Fact(key, value, ttl)])

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        """Write a fact if it is as expected; see `Store`."""
        if await self.get(key) != expect:
            return False
        self._write_facts([Fact(key, value, ttl)])
        return True

    async def scan(self, prefix: str, *, limit: int = 1000) -> tuple[tuple[str, bytes], ...]:
        """Facts by prefix; see `Store`."""
        now = self._clock.time()
        found = sorted(
            (key, value)
            for key, (value, until) in self._facts.items()
            if key.startswith(prefix) and (until is None or until > now)
        )
        return tuple(found[-limit:]) if limit > 0 else ()

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take a named lease; see `Store`."""
        holder, until = self._leases.get(name, ("", 0.0))
        now = self._clock.time()
        if holder not in ("", owner) and until > now:
            return False
        self._leases[name] = (owner, now + ttl)
        return True

    async def release(self, name: str, owner: str) -> None:
        """Give a named lease back; see `Store`."""
        if self._leases.get(name, ("", 0.0))[0] == owner:
            del self._leases[name]

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Remove what is old; see `Store`."""
        owed = {row.letter.turn for lane in self._out.values() for row in lane if row.letter is not None}
        old = [
            turn
            for turn in self._turns.values()
            if turn.at < before and turn.state != "running" and turn.id not in owed
        ][:limit]
        for turn in old:
            del self._turns[turn.id]
            self._refs.pop(turn.ref, None)
        keys = [key for key, at in self._known.items() if at < before][: limit - len(old)]
        for key in keys:
            del self._known[key]
        return len(old) + len(keys)

    async def wait(self, timeout: float) -> None:
        """Wait for work; see `Store`."""
        await self._wake.wait(timeout)

    def _held(self, claim: Claim) -> _Inbox:
        rows = self._lanes.get(claim.lane)
        if not rows or rows[0].number != claim.entry or rows[0].token != claim.token:
            raise LeaseLost(f"entry {claim.entry} is no longer ours")
        return rows[0]

    def _held_letter(self, claim: LetterClaim) -> _Outbox:
        rows = self._out.get(claim.letter.lane)
        head = rows[0] if rows else None
        if head is None or head.letter is None or head.token != claim.token:
            raise LeaseLost(f"letter {claim.letter.id!r} is no longer ours")
        return head

    def _pop(self, lanes: dict[str, deque[_W]], lane: str) -> None:
        lanes[lane].popleft()
        if not lanes[lane]:
            del lanes[lane]

    def _apply(self, lane: str, commit: Commit) -> None:
        if commit.turn is not None:
            self._write_turn(commit.turn)
        if commit.clear:
            self._lines.pop(lane, None)
        if commit.forget and lane in self._lines:
            self._lines[lane] = [line for line in self._lines[lane] if line.turn not in commit.forget]
        if commit.history:
            self._lines.setdefault(lane, []).extend(commit.history)
        for letter in commit.letters:
            lane_rows = self._out.setdefault(letter.lane, deque())
            if all(row.letter is None or row.letter.id != letter.id for row in lane_rows):
                self._numbers += 1
                lane_rows.append(_Outbox(self._numbers, letter.bot, letter.at, letter=letter))
        self._write_facts(commit.facts)

    def _write_turn(self, turn: Turn) -> None:
        self._turns[turn.id] = turn
        self._refs[turn.ref] = turn.id

    def _write_facts(self, facts: Sequence[Fact]) -> None:
        now = self._clock.time()
        for fact in facts:
            if fact.value is None:
                self._facts.pop(fact.key, None)
            else:
                self._facts[fact.key] = (fact.value, None if fact.ttl is None else now + fact.ttl)


def _free(
    lanes: dict[str, deque[_W]], bots: Sequence[str], skip: Sequence[str], now: float
) -> list[tuple[str, _W]]:
    """Heads that may be claimed, oldest first."""
    heads = [
        (lane, rows[0])
        for lane, rows in lanes.items()
        if rows[0].due <= now and rows[0].until <= now and rows[0].bot in bots and lane not in skip
    ]
    return sorted(heads, key=lambda pair: pair[1].number)


def _lease(row: _Waiting, until: float) -> None:
    row.token, row.until, row.attempts = secrets.token_hex(8), until, row.attempts + 1


def _release(row: _Waiting, due: float) -> None:
    row.token, row.until, row.due = "", 0.0, due


def _renew(rows: deque[_W] | None, token: str, now: float, lease: float) -> bool:
    if not rows or rows[0].token != token:
        return False
    rows[0].until = now + lease
    return True


def _change(row: _Outbox, changes: Sequence[tuple[int, PartRow]]) -> None:
    for index, part in changes:
        row.parts[index] = part
