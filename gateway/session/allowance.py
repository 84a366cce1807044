"""How much a person and a bot may use: turns in a period, and turns at once."""

from __future__ import annotations

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.completion.model import TurnCompletion
from gateway.session.bots import Bot, Quota
from gateway.session.running import RunningTurns

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

    def __init__(self, store: Store, *, clock: Clock, running: RunningTurns) -> None:
        self._store = store
        self._clock = clock
        self._running = running
        self._used: dict[str, int] = {}

    async def take(self, bot: Bot, person: str, *, again: bool = False) -> None:
        """Take one turn for a person.

        Args:
            bot: Whose turn.
            person: Whose message.
            again: Whether the turn was counted before, by an attempt that did not come to its end.

        Raises:
            Refused: A limit was reached; nothing is counted.
        """
        limits = bot.limits
        if limits.at_once and self._running.of(bot.name, person) >= limits.at_once:
            raise Refused(TurnCompletion("busy", site=_SITE, source="control"))
        if again:
            return
        quotas = ((limits.person, f"{bot.name}/{person}", False), (limits.bot, bot.name, True))
        counted = [
            (self._key(quota, whose), quota, whole) for quota, whose, whole in quotas if quota is not None
        ]
        for key, quota, whole in counted:
            if await self._count(key) >= quota.count:
                raise Refused(self._exhausted(quota), whole=whole)
        for key, quota, _ in counted:
            self._used[key] = await self._count(key) + 1
            await self._store.set(key, str(self._used[key]).encode(), ttl=2 * quota.seconds)

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
