"""Claim the heads of lanes for the session manager, fairly between bots."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence

from gateway.abc.store import Claim, Store
from gateway.errors import StoreError
from gateway.stores.working import Work

__all__ = ["Lanes"]


class Lanes(Work[Claim]):
    """The work of the session: the heads of lanes of some bots.

    Args:
        store: Where lanes wait.
        worker: This process, for the record.
        bots: The names to claim for, read anew each round.
        handle: Ends a claim (commit or retry).
        holds: Whether this process may still act on what waits under a name.
        share: How many claims of a bot are worked on at once, at most, so that a busy bot leaves places.
        waited: Told how long an entry had waited when it was claimed.
    """

    name = "session"

    def __init__(
        self,
        store: Store,
        worker: str,
        *,
        bots: Callable[[], Sequence[str]],
        handle: Callable[[Claim], Awaitable[None]],
        holds: Callable[[str], bool] = lambda _: True,
        share: Callable[[str], int] = lambda _: 256,
        waited: Callable[[Claim], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._bots = bots
        self._handle = handle
        self._holds = holds
        self._share = share
        self._waited = waited
        self._count: Counter[str] = Counter()

    def key(self, claim: Claim) -> str:
        """The lane."""
        return claim.lane

    def names(self) -> Collection[str]:
        """The names it is claimed under."""
        return self._bots()

    def queue(self, claim: Claim) -> str:
        """The name it was claimed under."""
        return claim.bot

    async def claim(self, limit: int, lease: float) -> Sequence[Claim]:
        """Heads of free lanes of bots that have a place left."""
        left = {bot: self._share(bot) - self._count[bot] for bot in self._bots()}
        bots = [bot for bot, places in left.items() if places > 0]
        self.short = len(bots) < len(left)
        if not bots:
            return ()
        most = min(limit, sum(left[bot] for bot in bots))
        claims = await self._store.claim(self._worker, bots=bots, limit=most, lease=lease)
        ours = [claim for claim in claims if self._holds(claim.bot)]
        for claim in ours:
            self._count[claim.bot] += 1
            self._waited(claim)
        for claim in claims:
            if claim not in ours:
                with contextlib.suppress(StoreError):  # its lease runs out by itself
                    await self._store.retry(claim, delay=0.0)
        return ours

    async def extend(self, claims: Sequence[Claim], lease: float) -> Sequence[str]:
        """Renew."""
        return await self._store.extend(claims, lease)

    async def do(self, claim: Claim) -> None:
        """Run the entry to its end."""
        await self._handle(claim)

    def over(self, claim: Claim) -> None:
        """Give the bot its place back."""
        self._count[claim.bot] -= 1

    async def give_back(self, claim: Claim, delay: float) -> None:
        """Free the lane for a later try."""
        await self._store.retry(claim, delay=delay)

    def attempts(self, claim: Claim) -> int:
        """How often the entry was claimed."""
        return claim.attempts
