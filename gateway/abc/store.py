"""The shape of the durable store: inbox, lanes, turns, history, outbox, facts.

Rows carry opaque bodies (JSON bytes) beside the few columns a store selects by, so that every store keeps
the same values. All times are unix seconds. A lane is the FIFO of one conversation of one bot (or its
control lane); its name starts with the bot's name and a slash.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from gateway.abc.rows import (
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
)

__all__ = [
    "Claim",
    "Commit",
    "DeadLetter",
    "Entry",
    "Erasure",
    "Fact",
    "Letter",
    "LetterClaim",
    "LetterState",
    "Line",
    "PartRow",
    "Store",
    "Turn",
    "Waiting",
    "letters_of",
]


class Store(Protocol):
    """Where everything accepted, decided and owed is kept.

    Every call is durable when it returns, and idempotent when a caller repeats it after an unknown result.

    Raises:
        StoreError: From any method, when nothing of the call was kept.
    """

    async def open(self) -> None:
        """Take the store.

        Raises:
            StoreLocked: Another process holds it.
        """
        ...

    async def close(self) -> None:
        """Finish what was begun and let the store go."""
        ...

    async def put(self, entries: Sequence[Entry]) -> tuple[bool, ...]:
        """Keep events, in order, in one commit; `False` marks one that was already there."""
        ...

    async def claim(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[Claim, ...]:
        """Lease the heads of lanes that are free (or whose lease of `lease` seconds ran out), oldest first.

        Args:
            worker: Who claims, for the record.
            bots: Bots whose lanes may be claimed.
            limit: Lanes at most.
            lease: Seconds.
            skip: Lanes to leave alone.
        """
        ...

    async def extend(self, claims: Sequence[Claim], lease: float) -> tuple[str, ...]:
        """Renew leases; returns the lanes that were lost."""
        ...

    async def record(self, claim: Claim, turn: Turn) -> None:
        """Write a running turn's record (action started, preview posted), fenced.

        Raises:
            LeaseLost: The claim no longer holds.
        """
        ...

    async def commit(self, claim: Claim, commit: Commit) -> None:
        """End the claimed entry with everything it produced, all or nothing, fenced; frees the lane.

        Raises:
            LeaseLost: The claim no longer holds; nothing was written.
        """
        ...

    async def retry(self, claim: Claim, *, delay: float) -> None:
        """Free the lane; its head may be claimed again after `delay` seconds, attempts kept."""
        ...

    async def waiting(self, lane: str) -> tuple[Waiting, ...]:
        """Entries that wait in a lane, oldest first, a claimed head not among them."""
        ...

    async def lanes(self, prefix: str) -> tuple[str, ...]:
        """Lanes whose names start so and in which entries are open, in no order."""
        ...

    async def cover(self, lane: str, turns: Sequence[Turn]) -> tuple[int, ...]:
        """End waiting entries without running them, each with the record that says why (`turn.entry`).

        An entry that was claimed or ended meanwhile is left alone, and its record is not written.

        Returns:
            The entry ids that were ended.
        """
        ...

    async def claim_letters(
        self, worker: str, *, bots: Sequence[str], limit: int, lease: float, skip: Sequence[str] = ()
    ) -> tuple[LetterClaim, ...]:
        """Lease the heads of lanes' outboxes that are due, oldest first."""
        ...

    async def extend_letters(self, claims: Sequence[LetterClaim], lease: float) -> tuple[str, ...]:
        """Renew letter leases; returns the letter ids that were lost."""
        ...

    async def plan(self, claim: LetterClaim, parts: Sequence[PartRow], *, anew: bool = False) -> None:
        """Commit a letter's rendered parts, once; a second plan is refused.

        With `anew` it takes the place of one of which certainly nothing was sent: every part is `pending` and
        none has a receipt.

        Raises:
            LeaseLost: The claim no longer holds, or the letter is planned already.
        """
        ...

    async def advance(self, claim: LetterClaim, changes: Sequence[tuple[int, PartRow]]) -> None:
        """Write the new state of parts by index, fenced.

        Raises:
            LeaseLost: The claim no longer holds.
        """
        ...

    async def settle(
        self,
        claim: LetterClaim,
        state: LetterState,
        *,
        changes: Sequence[tuple[int, PartRow]] = (),
        turn: Turn | None = None,
        facts: Sequence[Fact] = (),
    ) -> None:
        """Close a letter, with its last part changes and its turn's record, all or nothing, fenced.

        A letter that is not `delivered` stays listed among the dead letters.

        Raises:
            LeaseLost: The claim no longer holds.
        """
        ...

    async def retry_letter(
        self, claim: LetterClaim, *, delay: float, changes: Sequence[tuple[int, PartRow]] = ()
    ) -> None:
        """Free a letter with these part changes; it is due again after `delay` seconds and its lane waits."""
        ...

    async def dead(self, *, bot: str = "", limit: int = 100) -> tuple[tuple[Letter, LetterState], ...]:
        """Letters that were not delivered, newest first."""
        ...

    async def dead_letter(self, name: str) -> DeadLetter | None:
        """A letter that was not delivered, with its parts; `None` when there is no such one (any more)."""
        ...

    async def revive(self, name: str, at: float, *, turn: Turn | None = None) -> bool:
        """Owe a dead letter again, as if it were written at `at`; `False` when it is not dead (any more).

        It waits behind what its lane owes by now. What was sent of it stays sent, what was skipped is tried
        again. `turn` is written with it.
        """
        ...

    async def drop_letter(self, name: str) -> bool:
        """Forget a dead letter but for its id; `False` when it is not dead (any more)."""
        ...

    async def history(self, lane: str, *, limit: int) -> tuple[Line, ...]:
        """The last `limit` lines of a lane, oldest first."""
        ...

    async def turn(self, key: str) -> Turn | None:
        """A turn by id or by reference."""
        ...

    async def turns(
        self, *, bot: str = "", lane: str = "", reason: str = "", state: str = "", limit: int = 50
    ) -> tuple[Turn, ...]:
        """Turns that match, newest first; empty words match all."""
        ...

    async def counts(self) -> dict[str, int]:
        """How many rows wait where: `inbox`, `claimed`, `outbox`, `dead`, `turns`, `facts`."""
        ...

    async def get(self, key: str) -> bytes | None:
        """A fact that is still kept."""
        ...

    async def set(self, key: str, value: bytes, *, ttl: float | None = None) -> None:
        """Write a fact."""
        ...

    async def swap(
        self, key: str, expect: bytes | None, value: bytes | None, *, ttl: float | None = None
    ) -> bool:
        """Write a fact only if it is `expect` now (`None`: absent); `value=None` removes it."""
        ...

    async def scan(self, prefix: str, *, limit: int = 1000) -> tuple[tuple[str, bytes], ...]:
        """Facts whose keys start so, ordered by key, the last `limit` of them."""
        ...

    async def lease(self, name: str, owner: str, ttl: float) -> bool:
        """Take or renew a named lease for `ttl` seconds; `False` when another owner holds it."""
        ...

    async def release(self, name: str, owner: str) -> None:
        """Give a named lease back, if it is still the owner's."""
        ...

    async def trim(self, before: float, *, limit: int = 1000) -> int:
        """Remove closed entries, letters, records and dedupe keys older than `before`; how many."""
        ...

    async def fade(self, before: float, *, limit: int = 1000) -> int:
        """Remove what people said and were told before a time, where no record holds it; how much.

        Lines of history, the bodies of events that were never run, and dead letters but for their ids.
        """
        ...

    async def aged(self, before: float, *, after: float = 0.0, limit: int = 100) -> tuple[Turn, ...]:
        """Records from `after` on and before a time, oldest first."""
        ...

    async def rewrite(self, turns: Sequence[Turn]) -> None:
        """Write records of what has ended over what is known of them; one that is gone stays gone."""
        ...

    async def erase(self, erasure: Erasure) -> int:
        """Remove, as if it had never been, all that is named; how many rows.

        What is claimed of it is lost to its worker.
        """
        ...

    async def wait(self, timeout: float, *, of: Collection[str] = ()) -> None:
        """Return when something may have become claimable, or after `timeout` seconds.

        Args:
            timeout: Seconds of real time.
            of: What is waited for: names of bots, for entries, and `letters_of` them. Everything by default.
                A store may return for other reasons too.
        """
        ...

    def nudge(self, of: Collection[str]) -> None:
        """Let whoever waits for these in this process look again: there is a place for more work."""
        ...


def letters_of(bot: str) -> str:
    """The name under which a bot's letters are waited for."""
    return f">{bot}"
