"""Ownership among processes that share a store: leases taken, renewed, given away and lost."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Store
from gateway.errors import StoreError
from gateway.observability import get_logger
from gateway.ownership.holdings import Holdings
from gateway.ownership.layouts import Layouts
from gateway.ownership.queues import bot_of, queue_name
from gateway.ownership.replicas import PREFIX, Peers, Replica, Stake
from gateway.ownership.rules import fair_share, obstacle, spare
from gateway.ownership.tenure import Tenure

__all__ = ["LEASES", "Leases"]

LEASES = "bot/"  # begins the names of leases
_LOOK = 0.5  # seconds between two looks at who holds what
_SIXTH = 6  # looks in a lease, at least
_MARGIN = 0.2  # of a lease: nothing is begun in its last fifth
_PATIENCE = 1.0  # seconds a process that has its share leaves what is free to others
_QUIET = 0.25  # seconds without work after which a partition counts as idle
_STEP = 0.05  # seconds between two looks at that
_FAREWELL = 2.0  # seconds that giving a lease back may take
_decoder = msgspec.json.Decoder(Replica)


class Leases(Holdings):
    """Ownership by leases; see `Ownership`.

    Args:
        store: Where leases are, and where processes tell of themselves.
        clock: The local clock.
        stakes: The bots this process is configured with, read anew each time.
        busy: Whether work of these names is being done here.
        changed: Told of partitions that were gained and of those that were lost.
        ttl: Seconds of a lease.
        name: What operators know this process by.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        stakes: Callable[[], Mapping[str, Stake]],
        busy: Callable[[Collection[str]], bool],
        changed: Callable[[Sequence[str], Sequence[str]], None],
        ttl: float,
        name: str,
    ) -> None:
        super().__init__(clock, stakes, Layouts(store))
        self._store = store
        self._busy = busy
        self._changed = changed
        self._ttl = ttl
        self._name = name
        self._token = secrets.token_hex(16)
        self._peers = Peers(self._token, ttl=ttl)
        self._given: dict[str, float] = {}  # given away, and until when it is left to others
        self._free: dict[str, float] = {}  # since when nobody seems to hold it
        self._epochs: Counter[str] = Counter()  # how often each was held before
        self._refusals: dict[str, str] = {}
        self._beat = 0
        self._renewed = float("-inf")
        self._spared = clock.monotonic()
        self._leaving = False
        self._ill = False
        self._log = get_logger("ownership")

    def why_not(self, bot: str) -> str:
        """Who holds the bot, or what stands in the way."""
        if self.leads(bot):
            return ""
        if bot in self._refusals:
            return self._refusals[bot]
        queue = queue_name(bot, 0)
        names = [one.name for one in self._peers.known() if queue in one.held]
        return f"held by {names[0]}" if names else ""

    def alone(self) -> bool:
        """Whether no other process was seen alive of late."""
        return not self._peers.alive(self._clock.monotonic())

    async def run(self) -> None:
        """Hold what falls to this process, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch(), name="ownership watch")
            while True:
                await self._round()
                await self._clock.sleep(min(_LOOK, self._ttl / _SIXTH))

    async def leave(self) -> None:
        """Take nothing more, and give back each partition once its work is done."""
        self._leaving = True
        try:
            await self._told()
            await self._emptied()
        except StoreError as exc:
            self._log.warning("ownership.leases_left", problem=str(exc))

    async def _emptied(self) -> None:
        quiet: dict[str, float] = {}
        while self._tenures:
            now = self._clock.monotonic()
            for queue in tuple(self._tenures):
                if self._busy(self._named(queue)):
                    quiet.pop(queue, None)
                elif now - quiet.setdefault(queue, now) >= _QUIET:
                    await self._release(queue)
            await self._clock.sleep(_STEP)

    async def close(self) -> None:
        """Give everything back that is held still, and be forgotten."""
        self._leaving = True
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(_FAREWELL):
                for queue in tuple(self._tenures):
                    await self._release(queue, tell=False)
                replica = self._replica()
                await self._store.swap(replica.key, await self._store.get(replica.key), None)

    async def _watch(self) -> None:
        """Notice in time that a lease was not renewed."""
        while True:
            await self._clock.sleep(min(self._ttl * _MARGIN / 4, 0.1))
            self.expire()

    def expire(self) -> None:
        """Step down from what the local clock says is over."""
        now = self._clock.monotonic()
        for queue, tenure in tuple(self._tenures.items()):
            if not tenure.holds(now):
                self._lose(queue, "not renewed in time")

    async def _round(self) -> None:
        try:
            async with asyncio.timeout(self._ttl / 2):
                await self._renew()
                await self._look()
                await self._take()
                await self._share()
        except (StoreError, TimeoutError) as exc:
            if not self._ill:
                self._log.error("ownership.store_failed", problem=str(exc) or type(exc).__name__)
            self._ill = True
        else:
            self._ill = False

    async def _renew(self) -> None:
        now = self._clock.monotonic()
        if now - self._renewed < self._ttl / 3:
            return
        self._beat += 1
        results = await asyncio.gather(*map(self._renewed_one, tuple(self._tenures)), return_exceptions=True)
        await self._told()
        await self._layouts.read(self._stakes())
        for problem in results:
            if isinstance(problem, BaseException):
                raise problem
        self._renewed = now

    async def _renewed_one(self, queue: str) -> None:
        asked, tenure = self._clock.monotonic(), self._tenures.get(queue)
        if tenure is None:  # it ran out between the round's beginning and here, as after a sleep
            return
        granted = await self._store.lease(_lease(queue), tenure.token, self._ttl)
        if self._tenures.get(queue) is not tenure:
            return
        if granted:
            tenure.granted(asked)
            self._held_on(queue, tenure)
        else:
            self._lose(queue, "another replica took it")

    async def _told(self) -> None:
        """Show this process to the others."""
        replica = self._replica()
        await self._store.set(replica.key, msgspec.json.encode(replica), ttl=self._ttl * replica.remembered)

    def _replica(self) -> Replica:
        return Replica(
            self._token, self._name, self._beat, dict(self._stakes()), list(self.held()), self._leaving
        )

    async def _look(self) -> None:
        found: list[Replica] = []
        for _, value in await self._store.scan(PREFIX):
            with contextlib.suppress(msgspec.MsgspecError):  # of a version that tells more
                found.append(_decoder.decode(value))
        self._peers.look(found, self._clock.monotonic())

    async def _take(self) -> None:
        """Ask for what seems to be free and may be taken."""
        if self._leaving:
            return
        took = False
        for bot, stake in self._stakes().items():
            why = obstacle(bot, stake, alive=self._alive(), known=self._peers.known())
            self._refuse(bot, why)
            for partition in range(0 if why else stake.partitions):
                queue = queue_name(bot, partition)
                if queue not in self._tenures and self._is_ours(queue):
                    took = await self._asked(queue) or took
        if took:
            await self._told()

    def _alive(self) -> list[Replica]:
        return self._peers.alive(self._clock.monotonic())

    def _refuse(self, bot: str, why: str) -> None:
        before = self._refusals.get(bot, "")
        if why == before:
            return
        if why:
            self._refusals[bot] = why
            self._log.warning("ownership.stood_by", bot=bot, why=why)
        else:
            del self._refusals[bot]

    def _is_ours(self, queue: str) -> bool:
        """Whether to ask for a partition that seems free: at once below our share, else a little later."""
        now = self._clock.monotonic()
        if self._peers.keeps(queue, now):
            self._free.pop(queue, None)
            return False
        since = self._free.setdefault(queue, now)
        if now < self._given.get(queue, now):
            return False
        total = sum(stake.partitions for stake in self._stakes().values())
        at_work = [one for one in self._alive() if not one.leaving]
        return len(self._tenures) < fair_share(total, len(at_work) + 1) or now - since >= _PATIENCE

    async def _asked(self, queue: str) -> bool:
        tenure = Tenure(f"{self._token}.{self._epochs[queue]}", self._ttl, self._ttl * _MARGIN)
        asked = self._clock.monotonic()
        if not await self._store.lease(_lease(queue), tenure.token, self._ttl):
            return False
        tenure.granted(asked)
        if not tenure.holds(self._clock.monotonic()):
            return False
        self._tenures[queue] = tenure
        self.version += 1
        self._free.pop(queue, None)
        self._log.info("ownership.taken", bot=bot_of(queue), queue=queue)
        self._changed([queue], [])
        return True

    async def _share(self) -> None:
        """Give back what is configured here no more, and give a part away to whoever holds far less."""
        stakes = dict(self._stakes())
        wanted = {queue_name(bot, k) for bot, one in stakes.items() for k in range(one.partitions)}
        for queue in [queue for queue in self._tenures if queue not in wanted]:
            await self._given_back(queue)
        now = self._clock.monotonic()
        if self._leaving or now - self._spared < self._ttl:
            return
        idle = [queue for queue in self._tenures if not self._busy(self._named(queue))]
        alive = [one for one in self._alive() if not one.leaving]
        queue = spare(idle, len(self._tenures), stakes, alive=alive)
        if queue:
            self._spared = now
            await self._given_back(queue)

    async def _given_back(self, queue: str) -> None:
        """Give a partition back between two turns, or keep it when work came in between."""
        self._going.add(queue)
        self.version += 1
        try:
            await self._clock.sleep(_QUIET)
            if not self._busy(self._named(queue)):
                self._given[queue] = self._clock.monotonic() + self._ttl
                await self._release(queue)
        finally:
            self._going.discard(queue)
            self.version += 1

    async def _release(self, queue: str, *, tell: bool = True) -> None:
        """Stop believing in a lease, and only then let others have it."""
        tenure = self._tenures.get(queue)
        if tenure is None:
            return
        self._stepped_down(queue)
        self._log.info("ownership.given_back", bot=bot_of(queue), queue=queue)
        await self._store.release(_lease(queue), tenure.token)
        if tell:
            await self._told()

    def _lose(self, queue: str, why: str) -> None:
        self._stepped_down(queue)
        self._log.warning("ownership.lost", bot=bot_of(queue), queue=queue, why=why)

    def _stepped_down(self, queue: str) -> None:
        self._end(queue)
        self._epochs[queue] += 1
        self._changed([], [queue])


def _lease(queue: str) -> str:
    return f"{LEASES}{queue}"
