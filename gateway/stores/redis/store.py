"""The store over its server: each call is one script."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gateway.abc.clock import Clock
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
from gateway.stores.redis import listing, rows
from gateway.stores.redis.address import Address
from gateway.stores.redis.health import examine
from gateway.stores.redis.hints import Hints
from gateway.stores.redis.link import Link
from gateway.stores.redis.rows import Head, encoded
from gateway.stores.wake import Wake

__all__ = ["RedisStore"]

_TRIMMED = 100  # rows that one script removes, so that the server stops for nobody
_FAREWELL = 2.0  # seconds that giving leases back may take


class RedisStore:
    """A `Store` on a Redis or Valkey server, which several gateways may share.

    What a call wrote is as durable as the server's append-only file: with `appendfsync always` it survives
    the death of the host, with `everysec` that of the server, and the host's but for its last second.

    Args:
        address: Where the server is.
        clock: The time of a test; by default everything goes by the server's own, which gateways share.
    """

    def __init__(self, address: Address, *, clock: Clock | None = None) -> None:
        self._address = address
        self._link = Link(address, clock=clock)
        self._wake = Wake()
        self._hints = Hints(self._link, self._wake)
        self._held: dict[str, tuple[bytes, bytes]] = {}
        self._fading = b"0"

    async def open(self) -> None:
        """Reach the server and see whether it can be trusted; see `Store`."""
        self._link.open()
        try:
            await examine(self._link, self._address)
        except BaseException:
            await self._link.close()
            raise
        self._hints.start()

    async def close(self) -> None:
        """Give back what is leased, and let the server go; see `Store`."""
        await self._hints.stop()
        try:
            await self._free()
        finally:
            await self._link.close()
            self._wake.set()

    async def _free(self) -> None:
        """Another gateway need not wait for the leases of one that goes."""
        held = [(*where, token.encode()) for token, where in self._held.items()]
        self._held.clear()
        try:
            await self._link.ask("free", *rows.many(held), patience=_FAREWELL)
        except StoreError:
            return  # they run out by themselves

    async def put(self, entries: Sequence[Entry]) -> tuple[bool, ...]:
        """Keep events; see `Store`."""
        fresh: bytes = await self._link.ask("put", *rows.many(map(rows.entry_args, entries)))
        self._wake.set({entry.bot for entry in entries})
        return tuple(one == ord("1") for one in fresh)

    async def claim(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[Claim, ...]:
        """Lease heads of lanes; see `Store`."""
        claims = tuple(map(rows.claim_of, await self._claim("in", worker, bots, limit, lease, skip)))
        self._held |= {claim.token: (b"in", encoded(claim.lane)) for claim in claims}
        return claims

    async def _claim(
        self, queue: str, worker: str, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str]
    ) -> list[Head]:
        self._wake.look()
        names = list(dict.fromkeys(bots))
        if limit <= 0 or not names:
            return []
        heads: list[Head] = await self._link.ask(
            "claim",
            queue.encode(),
            encoded(worker),
            b"%d" % limit,
            repr(float(lease)).encode(),
            *rows.many([encoded(bot)] for bot in names),
            *rows.many([encoded(lane)] for lane in set(skip)),
        )
        return heads

    async def extend(self, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
        """Renew leases; see `Store`."""
        lost = await self._extend("in", [(one.lane, one.token) for one in claims], lease)
        return tuple(claims[place].lane for place in lost)

    async def _extend(self, queue: str, held: list[tuple[str, str]], lease: float) -> list[int]:
        claims = rows.many((encoded(lane), token.encode()) for lane, token in held)
        lost: list[int] = await self._link.ask("extend", queue.encode(), repr(float(lease)).encode(), *claims)
        for place in lost:
            self._held.pop(held[place][1], None)
        return lost

    async def record(self, claim: Claim, turn: Turn) -> None:
        """Write a running turn's record; see `Store`."""
        await self._fenced("record", claim.lane, claim.token, *rows.turn_args(turn))

    async def commit(self, claim: Claim, commit: Commit) -> None:
        """End an entry; see `Store`."""
        await self._fenced(
            "commit",
            claim.lane,
            claim.token,
            *rows.turn_args(commit.turn),
            b"1" if commit.clear else b"0",
            *rows.many([encoded(turn)] for turn in commit.forget),
            *rows.many(map(rows.line_args, commit.history)),
            *rows.many(map(rows.letter_args, commit.letters)),
            *rows.facts_args(commit.facts),
        )
        self._let_go(claim.token, claim.bot, *(letters_of(letter.bot) for letter in commit.letters))

    async def retry(self, claim: Claim, *, delay: float) -> None:
        """Free a lane for later; see `Store`."""
        await self._put_off("in", claim.lane, claim.token, delay, ())

    async def _put_off(
        self, queue: str, lane: str, token: str, delay: float, changes: Sequence[tuple[int, PartRow]]
    ) -> None:
        later = repr(float(delay)).encode()
        await self._fenced("retry", lane, token, later, *rows.changes_args(changes), queue=queue)
        self._let_go(token)
        self._wake.set()

    async def waiting(self, lane: str) -> tuple[Waiting, ...]:
        """Entries that wait; see `Store`."""
        found: list[bytes] = await self._link.ask("waiting", encoded(lane))
        return tuple(map(rows.waiting_of, found[::2], found[1::2]))

    async def lanes(self, prefix: str) -> tuple[str, ...]:
        """Lanes with something open; see `Store`."""
        return await listing.open_lanes(self._link, prefix)

    async def cover(self, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """End waiting entries; see `Store`."""
        wanted = rows.many((b"%d" % turn.entry, rows.turn_row(turn)) for turn in turns)
        ended: bytes = await self._link.ask("cover", encoded(lane), *wanted)
        self._wake.set()
        return tuple(map(int, ended.split(b","))) if ended else ()

    async def claim_letters(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[LetterClaim, ...]:
        """Lease heads of outboxes; see `Store`."""
        claims = tuple(map(rows.letter_claim_of, await self._claim("out", worker, bots, limit, lease, skip)))
        self._held |= {claim.token: (b"out", encoded(claim.letter.lane)) for claim in claims}
        return claims

    async def extend_letters(self, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
        """Renew letter leases; see `Store`."""
        lost = await self._extend("out", [(one.letter.lane, one.token) for one in claims], lease)
        return tuple(claims[place].letter.id for place in lost)

    async def plan(self, claim: LetterClaim, parts: Sequence[PartRow], *, anew: bool = False) -> None:
        """Keep rendered parts; see `Store`."""
        planned = rows.many([rows.part_row(part)] for part in parts)
        await self._fenced("plan", claim.letter.lane, claim.token, b"1" if anew else b"0", *planned)

    async def advance(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
        """Write the state of parts; see `Store`."""
        await self._fenced("advance", claim.letter.lane, claim.token, *rows.changes_args(changes))

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
        await self._fenced(
            "settle",
            claim.letter.lane,
            claim.token,
            state.encode(),
            *rows.changes_args(changes),
            *rows.turn_args(turn),
            *rows.facts_args(facts),
        )
        self._let_go(claim.token, letters_of(claim.letter.bot))

    async def retry_letter(
        self, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]] = ()
    ) -> None:
        """Free a letter for later; see `Store`."""
        await self._put_off("out", claim.letter.lane, claim.token, delay, changes)

    async def dead(self, *, bot: str = "", limit: int = 100) -> tuple[tuple[Letter, LetterState], ...]:
        """Letters that were not delivered; see `Store`."""
        found: list[bytes] = await self._link.ask("dead", encoded(bot), b"%d" % limit)
        return tuple(map(rows.dead_of, found))

    async def dead_letter(self, name: str) -> DeadLetter | None:
        """A letter that was not delivered; see `Store`."""
        found: list[Any] = await self._link.ask("dead_letter", encoded(name))
        return rows.dead_letter_of(found) if found else None

    async def revive(self, name: str, at: float, *, turn: Turn | None = None) -> bool:
        """Owe a dead letter again; see `Store`."""
        written = rows.turn_args(turn)
        revived = await self._link.ask("revive", encoded(name), repr(float(at)).encode(), *written)
        self._wake.set()
        return bool(revived == b"1")

    async def drop_letter(self, name: str) -> bool:
        """Forget a dead letter; see `Store`."""
        return bool(await self._link.ask("drop", encoded(name)) == b"1")

    async def history(self, lane: str, *, limit: int) -> tuple[Line, ...]:
        """The last lines of a lane; see `Store`."""
        found: list[bytes] = await self._link.ask("history", encoded(lane), b"%d" % limit)
        return tuple(rows.line_of(lane, row) for row in found)

    async def turn(self, key: str) -> Turn | None:
        """A turn by id or reference; see `Store`."""
        row: bytes | None = await self._link.ask("turn", encoded(key))
        return None if row is None else rows.turn_of(row)

    async def turns(
        self, *, bot: str = "", lane: str = "", reason: str = "", state: str = "", limit: int = 50
    ) -> tuple[Turn, ...]:
        """Turns that match; see `Store`.

        A script looks at a thousand records at a time, so one that changes meanwhile may be given as it was.
        """
        words = [encoded(word) for word in (bot, lane, state, reason)]
        found: dict[str, Turn] = {}
        place = 0
        while place >= 0 and len(found) < limit:
            left = limit - len(found)
            place, *some = await self._link.ask("turns_matching", *words, b"%d" % left, b"%d" % place)
            found |= {turn.id: turn for turn in map(rows.turn_of, some)}
        return tuple(found.values())

    async def counts(self) -> dict[str, int]:
        """How many rows wait where; see `Store`."""
        names = ("inbox", "claimed", "outbox", "dead", "turns", "facts")
        return dict(zip(names, await self._link.ask("counts"), strict=True))

    async def get(self, key: str) -> bytes | None:
        """A fact; see `Store`."""
        value: bytes | None = await self._link.ask("get", encoded(key))
        return value

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Write a fact; see `Store`."""
        await self._link.ask("set", *rows.fact_args(Fact(key, value, ttl)))

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        """Write a fact if it is as expected; see `Store`."""
        expected = (b"0", b"") if expect is None else (b"1", expect)
        fact = rows.fact_args(Fact(key, value, ttl))
        return bool(await self._link.ask("swap", encoded(key), *expected, *fact) == b"1")

    async def scan(self, prefix: str, *, limit: int = 1000) -> tuple[tuple[str, bytes], ...]:
        """Facts by prefix; see `Store`."""
        found: list[bytes] = await self._link.ask("scan", encoded(prefix), b"%d" % max(limit, 0))
        keys = [key.decode("utf-8", "surrogatepass") for key in found[::2]]
        return tuple(zip(keys, found[1::2], strict=True))[::-1]

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take or renew a named lease; see `Store`."""
        seconds = repr(float(ttl)).encode()
        return bool(await self._link.ask("lease", encoded(name), encoded(owner), seconds) == b"1")

    async def release(self, name: str, owner: str) -> None:
        """Give a named lease back; see `Store`."""
        await self._link.ask("release", encoded(name), encoded(owner))

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Remove what has grown old; see `Store`."""
        removed = 0
        while removed < limit:
            step = min(_TRIMMED, limit - removed)
            gone = int(await self._link.ask("trim", repr(float(before)).encode(), b"%d" % step))
            removed += gone
            if gone < step:
                break
        return removed

    async def fade(self, before: float, *, limit: int = 1000) -> int:
        """Remove what was said before a time; see `Store`. Lanes are gone through a few at a time."""
        at = repr(float(before)).encode()
        gone = int(await self._link.ask("fade", at, b"%d" % min(limit, _TRIMMED)))
        while gone < limit:
            step = b"%d" % min(_TRIMMED, limit - gone)
            self._fading, some = await self._link.ask("fade_lines", at, step, self._fading)
            gone += some
            if self._fading == b"0":
                break
        return gone

    async def aged(self, before: float, *, after: float = 0.0, limit: int = 100) -> tuple[Turn, ...]:
        """Records between two times; see `Store`."""
        times = [repr(float(time)).encode() for time in (after, before)]
        found: list[bytes] = await self._link.ask("aged", *times, b"%d" % max(limit, 0))
        return tuple(map(rows.turn_of, found))

    async def rewrite(self, turns: Sequence[Turn]) -> None:
        """Write records over; see `Store`."""
        for start in range(0, len(turns), _TRIMMED):
            some = turns[start : start + _TRIMMED]
            await self._link.ask(
                "rewrite", *rows.many((encoded(turn.id), rows.turn_row(turn)) for turn in some)
            )

    async def erase(self, erasure: Erasure) -> int:
        """Remove what is named; see `Store`. The append-only file forgets it when it is next rewritten."""
        gone = 0
        for some in rows.in_steps(erasure):
            gone += int(
                await self._link.ask(
                    "erase",
                    *rows.many([encoded(lane)] for lane in some.lanes),
                    *rows.many([encoded(turn.id), encoded(turn.lane)] for turn in some.turns),
                    *rows.many([encoded(lane), b"%d" % number] for lane, number in some.entries),
                    *rows.many([encoded(key)] for key in some.facts),
                )
            )
        self._wake.set()
        return gone

    async def wait(self, timeout: float, *, of: Collection[str] = ()) -> None:
        """Wait for something to claim; see `Store`."""
        await self._wake.wait(timeout, of)

    def nudge(self, of: Collection[str]) -> None:
        """Let whoever waits look again; see `Store`."""
        self._wake.set(of)

    async def _fenced(self, script: str, lane: str, token: str, *args: bytes, queue: str = "") -> None:
        """Run a script that writes under a lease.

        Raises:
            LeaseLost: The lease is not held any more.
            StoreError: A part there is not was to be changed.
        """
        before = (queue.encode(),) if queue else ()
        answer: bytes = await self._link.ask(script, *before, encoded(lane), encoded(token), *args)
        match answer.split():
            case [b"ok"]:
                return
            case [b"part", place]:
                raise StoreError(f"the letter of lane {lane!r} has no part {int(place)}")
            case [b"planned"]:
                raise LeaseLost(f"the letter of lane {lane!r} is planned already")
            case _:
                self._let_go(token)
                raise LeaseLost(f"the lease on lane {lane!r} ended or was taken over")

    def _let_go(self, token: str, *woken: str) -> None:
        self._held.pop(token, None)
        if woken:
            self._wake.set(woken)
