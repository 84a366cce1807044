"""A store that lives as long as its process: for tests, and for bots that may forget."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from gateway.abc.clock import Clock, SystemClock
from gateway.abc.store import (
    Claim,
    Commit,
    DeadLetter,
    Entry,
    Erasure,
    Fact,
    Letter,
    LetterClaim,
    LetterState,
    Line,
    PartRow,
    Turn,
    Waiting,
    letters_of,
)
from gateway.errors import LeaseLost, StoreError
from gateway.stores.drawers import Closed, Post, drop_old, untried
from gateway.stores.named import NamedLeases
from gateway.stores.queue import Queue
from gateway.stores.shelves import Facts, Lines, Turns
from gateway.stores.wake import Wake

__all__ = ["MemoryStore"]

_KEY_AGE = 24 * 3600.0  # seconds; platforms redeliver within a day, whatever the retention of content is


class MemoryStore:
    """A `Store` in plain dictionaries; nothing survives the process."""

    def __init__(self, *, clock: Clock | None = None) -> None:
        self._clock: Clock = clock or SystemClock()
        self._number = 0
        self._known: dict[tuple[str, str], float] = {}
        self._inbox: Queue[Entry] = Queue(self._clock)
        self._ended: dict[int, float] = {}
        self._outbox: Queue[Post] = Queue(self._clock)
        self._open_letters: set[str] = set()
        self._closed: dict[str, Closed] = {}
        self._lines = Lines()
        self._turns = Turns()
        self._facts = Facts(self._clock)
        self._leases = NamedLeases(self._clock)
        self._wake = Wake()

    async def open(self) -> None:
        """Take the store; see `Store`."""

    async def close(self) -> None:
        """Let the store go; see `Store`."""
        self._wake.set()

    async def put(self, entries: Sequence[Entry]) -> tuple[bool, ...]:
        """Keep events; see `Store`."""
        fresh = tuple(self._put(entry) for entry in entries)
        self._wake.set({entry.bot for entry in entries})
        return fresh

    def _put(self, entry: Entry) -> bool:
        keys = [(entry.scope or entry.bot, key) for key in entry.dedupe]
        if any(key in self._known for key in keys):
            return False
        self._known.update((key, self._clock.time()) for key in keys)
        self._number += 1
        if entry.lane:
            self._inbox.enter(entry.lane, entry.bot, self._number, entry)
        else:
            self._ended[self._number] = self._clock.time()
        return True

    async def claim(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[Claim, ...]:
        """Lease heads of lanes; see `Store`."""
        _ = worker  # there is no record to keep it in
        self._wake.look()
        return tuple(
            Claim(head.number, entry.bot, entry.lane, head.token, head.attempts, entry.body, entry.at)
            for head in self._inbox.claim(bots=bots, limit=limit, lease=lease, skip=skip)
            for entry in (head.row,)
        )

    async def extend(self, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
        """Renew leases; see `Store`."""
        return tuple(one.lane for one in claims if not self._inbox.renew(one.lane, one.token, lease))

    async def record(self, claim: Claim, turn: Turn) -> None:
        """Write a running turn's record; see `Store`."""
        self._inbox.held(claim.lane, claim.token)
        self._turns.write(turn)

    async def commit(self, claim: Claim, commit: Commit) -> None:
        """End an entry; see `Store`."""
        number, _ = self._inbox.held(claim.lane, claim.token)
        self._end(claim.lane, number)
        if commit.turn is not None:
            self._turns.write(commit.turn)
        if commit.clear:
            self._lines.clear(claim.lane)
        elif commit.forget:
            self._lines.forget(frozenset(commit.forget), claim.lane)
        self._lines.append(commit.history)
        for letter in commit.letters:
            self._post(letter)
        self._facts.write(commit.facts)
        self._wake.set({claim.bot, *(letters_of(letter.bot) for letter in commit.letters)})

    def _end(self, lane: str, number: int) -> bool:
        if self._inbox.close(lane, number) is None:
            return False
        self._ended[number] = self._clock.time()
        return True

    def _post(self, letter: Letter, parts: list[PartRow] | None = None) -> None:
        if letter.id in self._open_letters or letter.id in self._closed:
            return
        self._open_letters.add(letter.id)
        self._number += 1
        self._outbox.enter(letter.lane, letter.bot, self._number, Post(letter, parts or []))

    async def retry(self, claim: Claim, *, delay: float) -> None:
        """Free a lane for later; see `Store`."""
        self._inbox.held(claim.lane, claim.token)
        self._inbox.put_off(claim.lane, delay)
        self._wake.set()

    async def waiting(self, lane: str) -> tuple[Waiting, ...]:
        """Entries that wait; see `Store`."""
        return tuple(Waiting(number, entry.body, entry.at) for number, entry in self._inbox.waiting(lane))

    async def lanes(self, prefix: str) -> tuple[str, ...]:
        """Lanes with something open; see `Store`."""
        return tuple(dict.fromkeys(entry.lane for _, entry in self._inbox if entry.lane.startswith(prefix)))

    async def cover(self, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """End waiting entries; see `Store`."""
        leased = self._inbox.leased(lane)
        ended: list[int] = []
        for turn in turns:
            if turn.entry != leased and self._end(lane, turn.entry):
                self._turns.write(turn)
                ended.append(turn.entry)
        self._wake.set()
        return tuple(ended)

    async def claim_letters(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[LetterClaim, ...]:
        """Lease heads of outboxes; see `Store`."""
        _ = worker  # there is no record to keep it in
        self._wake.look()
        return tuple(
            LetterClaim(head.row.letter, head.token, head.attempts, tuple(head.row.parts))
            for head in self._outbox.claim(bots=bots, limit=limit, lease=lease, skip=skip)
        )

    async def extend_letters(self, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
        """Renew letter leases; see `Store`."""
        return tuple(
            one.letter.id for one in claims if not self._outbox.renew(one.letter.lane, one.token, lease)
        )

    async def plan(self, claim: LetterClaim, parts: Sequence[PartRow], *, anew: bool = False) -> None:
        """Keep rendered parts; see `Store`."""
        _, post = self._outbox.held(claim.letter.lane, claim.token)
        if any(not anew or part.state != "pending" or part.receipt for part in post.parts):
            raise LeaseLost(f"letter {claim.letter.id!r} is planned already")
        post.parts = list(parts)

    async def advance(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
        """Write the state of parts; see `Store`."""
        self._change(claim, changes)

    def _change(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> int:
        """Write parts under a lease; the letter's number."""
        number, post = self._outbox.held(claim.letter.lane, claim.token)
        for place, _ in changes:
            if place not in range(len(post.parts)):
                raise StoreError(f"letter {claim.letter.id!r} has no part {place}")
        for place, part in changes:
            post.parts[place] = part
        return number

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
        if state == "waiting":
            raise StoreError(f"letter {claim.letter.id!r} cannot be closed as 'waiting'")
        number = self._change(claim, changes)
        post = self._outbox.close(claim.letter.lane, number)
        letter = claim.letter if post is None else post.letter
        self._open_letters.discard(letter.id)
        now = self._clock.time()
        parts = () if post is None else tuple(post.parts)
        self._closed[letter.id] = Closed(
            now, None if state == "delivered" else DeadLetter(letter, state, now, parts)
        )
        if turn is not None:
            self._turns.write(turn)
        self._facts.write(facts)
        self._wake.set({letters_of(letter.bot)})

    async def retry_letter(
        self, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]] = ()
    ) -> None:
        """Free a letter for later; see `Store`."""
        self._change(claim, changes)
        self._outbox.put_off(claim.letter.lane, delay)
        self._wake.set()

    async def dead(self, *, bot: str = "", limit: int = 100) -> tuple[tuple[Letter, LetterState], ...]:
        """Letters that were not delivered; see `Store`."""
        dead = [one.dead for one in self._closed.values() if one.dead is not None]
        found = [one for one in reversed(dead) if bot in ("", one.letter.bot)]
        return tuple((one.letter, one.state) for one in found[: max(limit, 0)])

    async def dead_letter(self, name: str) -> DeadLetter | None:
        """A letter that was not delivered; see `Store`."""
        closed = self._closed.get(name)
        return closed.dead if closed is not None else None

    async def revive(self, name: str, at: float, *, turn: Turn | None = None) -> bool:
        """Owe a dead letter again; see `Store`."""
        dead = await self.dead_letter(name)
        if dead is None:
            return False
        del self._closed[name]
        self._post(replace(dead.letter, at=at), [untried(part) for part in dead.parts])
        if turn is not None:
            self._turns.write(turn)
        self._wake.set()
        return True

    async def drop_letter(self, name: str) -> bool:
        """Forget a dead letter; see `Store`."""
        closed = self._closed.get(name)
        if closed is None or closed.dead is None:
            return False
        closed.dead = None
        return True

    async def history(self, lane: str, *, limit: int) -> tuple[Line, ...]:
        """The last lines of a lane; see `Store`."""
        return self._lines.last(lane, limit)

    async def turn(self, key: str) -> Turn | None:
        """A turn by id or reference; see `Store`."""
        return self._turns.find(key)

    async def turns(
        self, *, bot: str = "", lane: str = "", reason: str = "", state: str = "", limit: int = 50
    ) -> tuple[Turn, ...]:
        """Turns that match; see `Store`."""
        return self._turns.matching(bot=bot, lane=lane, reason=reason, state=state)[: max(limit, 0)]

    async def counts(self) -> dict[str, int]:
        """How many rows wait where; see `Store`."""
        return {
            "inbox": len(self._inbox),
            "claimed": self._inbox.count_leased(),
            "outbox": len(self._outbox),
            "dead": sum(one.dead is not None for one in self._closed.values()),
            "turns": len(self._turns),
            "facts": len(self._facts),
        }

    async def get(self, key: str) -> bytes | None:
        """A fact; see `Store`."""
        return self._facts.get(key)

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Write a fact; see `Store`."""
        self._facts.write((Fact(key, value, ttl),))

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        """Write a fact if it is as expected; see `Store`."""
        if self._facts.get(key) != expect:
            return False
        self._facts.write((Fact(key, value, ttl),))
        return True

    async def scan(self, prefix: str, *, limit: int = 1000) -> tuple[tuple[str, bytes], ...]:
        """Facts by prefix; see `Store`."""
        return self._facts.scan(prefix, limit)

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take or renew a named lease; see `Store`."""
        return self._leases.take(name, owner, ttl)

    async def release(self, name: str, owner: str) -> None:
        """Give a named lease back; see `Store`."""
        self._leases.release(name, owner)

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Remove what has grown old; see `Store`."""
        now = self._clock.time()
        left = limit - drop_old(self._ended, before, limit)
        letters = {name: closed.at for name, closed in self._closed.items()}
        left -= drop_old(letters, before, left)
        self._closed = {name: self._closed[name] for name in letters}
        owed = {post.letter.turn for _, post in self._outbox}
        left -= self._turns.trim(before, left, entries=dict(self._inbox), owed=owed)
        left -= drop_old(self._known, min(before, now - _KEY_AGE), left)
        return limit - left + self._facts.trim(left)

    async def fade(self, before: float, *, limit: int = 1000) -> int:
        """Remove what was said before a time; see `Store`."""
        faded = self._lines.fade(before, limit)
        dead = [one for one in self._closed.values() if one.dead is not None and one.at < before]
        for closed in dead[: max(limit - faded, 0)]:
            closed.dead, faded = None, faded + 1
        return faded

    async def aged(self, before: float, *, after: float = 0.0, limit: int = 100) -> tuple[Turn, ...]:
        """Records between two times; see `Store`."""
        found = [turn for turn in self._turns.matching() if after <= turn.at < before]
        return tuple(reversed(found))[: max(limit, 0)]

    async def rewrite(self, turns: Sequence[Turn]) -> None:
        """Write records over; see `Store`."""
        for turn in turns:
            if self._turns.find(turn.id) is not None:
                self._turns.write(turn)

    async def erase(self, erasure: Erasure) -> int:
        """Remove what is named; see `Store`."""
        turns, lanes = {turn.id for turn in erasure.turns}, frozenset(erasure.lanes)
        gone = sum(self._erase_lane(lane) for lane in lanes)
        gone += sum(self._inbox.close(lane, number) is not None for lane, number in erasure.entries)
        for number, post in list(self._outbox):
            if post.letter.turn in turns and self._outbox.close(post.letter.lane, number) is not None:
                gone += self._forget_letter(post.letter.id)
        for closed in self._closed.values():
            if closed.dead is not None and (
                closed.dead.letter.turn in turns or closed.dead.letter.lane in lanes
            ):
                closed.dead, gone = None, gone + 1
        gone += self._lines.forget(turns)
        self._facts.write([Fact(key, None) for key in erasure.facts])
        self._wake.set()
        return gone + sum(map(self._turns.remove, turns)) + len(erasure.facts)

    def _erase_lane(self, lane: str) -> int:
        entries = [number for number, entry in self._inbox if entry.lane == lane]
        letters = [(number, post.letter) for number, post in self._outbox if post.letter.lane == lane]
        for number in entries:
            self._inbox.close(lane, number)
        for number, letter in letters:
            self._outbox.close(lane, number)
            self._forget_letter(letter.id)
        return len(entries) + len(letters) + self._lines.clear(lane)

    def _forget_letter(self, name: str) -> int:
        """Keep a letter's id alone, so that it is not kept again."""
        self._open_letters.discard(name)
        self._closed[name] = Closed(self._clock.time(), None)
        return 1

    async def wait(self, timeout: float, *, of: Collection[str] = ()) -> None:
        """Wait for something to claim; see `Store`."""
        await self._wake.wait(timeout, of)

    def nudge(self, of: Collection[str]) -> None:
        """Let whoever waits look again; see `Store`."""
        self._wake.set(of)
