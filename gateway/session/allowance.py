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
_KEPT = 4_096  # expectations in memory; what is not there is read


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
    a day in UTC. Counts are kept in the store, so that a restart forgives nothing, and the processes that
    share it count together. How many turns somebody has at once, each process counts for itself.
    """

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._at_once: Counter[tuple[str, str]] = Counter()
        self._used: dict[str, int] = {}  # what the store will hold when everything under way is written

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
        wanted = [
            (self._key(quota, whose), quota, whole) for quota, whose, whole in quotas if quota is not None
        ]
        for key, quota, whole in wanted:
            if await self._read(key) >= quota.count:
                raise Refused(self._exhausted(quota), whole=whole)
        taken: list[tuple[str, Quota]] = []
        try:
            for key, quota, whole in wanted:
                await self._count(key, quota, whole=whole)
                taken.append((key, quota))
        except Refused:
            for key, quota in taken:
                await self._give_back(key, quota)
            raise

    async def _count(self, key: str, quota: Quota, *, whole: bool) -> None:
        """Count one turn, however many others do at the same time, here or in another process.

        Each expects what the one before it will have written, so those of one process share a commit; what
        was counted elsewhere meanwhile fails the expectation, and is read.
        """
        while True:
            used = self._used.get(key)
            if used is None or used >= quota.count:
                used = await self._read(key)
            if used >= quota.count:
                raise Refused(self._exhausted(quota), whole=whole)
            self._expect(key, used + 1)
            if await self._swapped(key, used, used + 1, quota):
                return

    async def _give_back(self, key: str, quota: Quota) -> None:
        while (used := await self._read(key)) and not await self._swapped(key, used, used - 1, quota):
            pass

    async def _swapped(self, key: str, before: int, after: int, quota: Quota) -> bool:
        done = False
        try:
            done = await self._store.swap(key, _text(before), _text(after), ttl=2 * quota.seconds)
        finally:
            if not done or after < before:
                self._used.pop(key, None)
        return done

    def _key(self, quota: Quota, whose: str) -> str:
        return f"used/{whose}/{quota.seconds:.0f}/{int(self._clock.time() // quota.seconds)}"

    async def _read(self, key: str) -> int:
        return int(await self._store.get(key) or 0)

    def _expect(self, key: str, used: int) -> None:
        if key not in self._used and len(self._used) >= _KEPT:
            self._used.clear()
        self._used[key] = used

    def _exhausted(self, quota: Quota) -> TurnCompletion:
        wait = quota.seconds - self._clock.time() % quota.seconds
        return TurnCompletion("budget_exhausted", site=_SITE, source="control", retry_after=wait)


def _text(count: int) -> bytes | None:
    """A count as it is kept; nothing for none."""
    return str(count).encode() if count else None
