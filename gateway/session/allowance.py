"""How much a person and a bot may use: turns in a period, and turns at once."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncGenerator

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.completion.model import TurnCompletion
from gateway.session.bots import Bot, Quota

__all__ = ["Allowance", "Refused"]

_SITE = "access.limits"
_KEPT = 4_096  # counters in memory; an older one is read again


class Refused(Exception):
    """Somebody may not have another turn now.

    Attributes:
        completion: How the turn ends.
        whole: Whether it is the whole bot that may not.
    """

    def __init__(self, completion: TurnCompletion, *, whole: bool = False) -> None:
        super().__init__(completion.code)
        self.completion = completion
        self.whole = whole


class Allowance:
    """Counts the turns of bots that have limits.

    Periods follow each other without a gap, the same for everybody, from the beginning of unix time: a day is
    a day in UTC. Counts are kept in the store, so that a restart forgives nothing.
    """

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._at_once: Counter[tuple[str, str]] = Counter()
        self._used: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def turn(self, bot: Bot, person: str, *, again: bool = False) -> AsyncGenerator[None]:
        """Take one turn for a person, who has it as long as the block runs.

        Args:
            bot: Whose turn.
            person: Whose message.
            again: Whether the turn was counted before, by an attempt that did not come to its end.

        Raises:
            Refused: A limit was reached; nothing is counted.
        """
        whose = (bot.name, person)
        if bot.limits.at_once and self._at_once[whose] >= bot.limits.at_once:
            raise Refused(TurnCompletion("busy", site=_SITE, source="control"))
        self._at_once[whose] += 1
        try:
            if not again:
                await self._take(bot, person)
            yield
        finally:
            self._at_once[whose] -= 1
            if not self._at_once[whose]:
                del self._at_once[whose]

    async def _take(self, bot: Bot, person: str) -> None:
        limits = bot.limits
        quotas = ((limits.person, f"{bot.name}/{person}", False), (limits.bot, bot.name, True))
        counted = [
            (self._key(quota, whose), quota, whole) for quota, whose, whole in quotas if quota is not None
        ]
        used = {key: await self._count(key) for key, _, _ in counted}
        used = {
            key: self._used.get(key, known) for key, known in used.items()
        }  # as of now, while nobody comes between
        for key, quota, whole in counted:
            if used[key] >= quota.count:
                raise Refused(self._exhausted(quota), whole=whole)
        self._used |= {key: count + 1 for key, count in used.items()}
        for key, quota, _ in counted:
            await self._store.set(key, str(used[key] + 1).encode(), ttl=2 * quota.seconds)

    def _key(self, quota: Quota, whose: str) -> str:
        return f"used/{whose}/{quota.seconds:.0f}/{int(self._clock.time() // quota.seconds)}"

    async def _count(self, key: str) -> int:
        if key not in self._used:
            if len(self._used) >= _KEPT:
                self._used.clear()
            known = await self._store.get(key)
            # Another turn may have been counted while we looked.
            self._used.setdefault(key, int(known) if known is not None else 0)
        return self._used[key]

    def _exhausted(self, quota: Quota) -> TurnCompletion:
        wait = quota.seconds - self._clock.time() % quota.seconds
        return TurnCompletion("budget_exhausted", site=_SITE, source="control", retry_after=wait)
