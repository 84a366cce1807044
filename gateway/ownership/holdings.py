"""The partitions that a process holds, and what may be done because of that."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Collection, Mapping

from gateway.abc.adapter import Adapter
from gateway.abc.clock import Clock
from gateway.errors import Uncertain, Unreachable
from gateway.messages import Place
from gateway.ownership.fence import Fenced
from gateway.ownership.layouts import Layouts
from gateway.ownership.queues import bot_of, number_of, partition_of, queue_name
from gateway.ownership.replicas import Stake
from gateway.ownership.tenure import Tenure

__all__ = ["Holdings"]


class Holdings:
    """Partitions by name, each with its lease, and the platform calls that are under way because of it.

    Args:
        clock: The local clock.
        stakes: The bots this process is configured with, read anew each time.
        layouts: Into how many partitions they were ever divided.
    """

    shared = True

    def __init__(self, clock: Clock, stakes: Callable[[], Mapping[str, Stake]], layouts: Layouts) -> None:
        self._clock = clock
        self._stakes = stakes
        self._layouts = layouts
        self._tenures: dict[str, Tenure] = {}
        self._going: set[str] = set()  # about to be given back: nothing of it is begun any more
        self.version = 0
        self._open: dict[str, set[asyncio.Timeout]] = {}

    def queues(self, bot: str) -> tuple[str, ...]:
        """The names of partitions that are held, and of former ones that fall to them."""
        stake = self._stakes().get(bot)
        if stake is None:
            return ()
        count = max(self._layouts.most(bot), stake.partitions)
        names = ((queue_name(bot, k), queue_name(bot, k % stake.partitions)) for k in range(count))
        return tuple(name for name, mine in names if self.holds(mine) and mine not in self._going)

    def queue_of(self, bot: str, place: Place) -> str:
        """The name of the partition of a place's chat."""
        stake = self._stakes().get(bot)
        count = stake.partitions if stake is not None else 1
        return queue_name(bot, partition_of(place.formerly or place.chat, count))

    def holds(self, queue: str) -> bool:
        """Whether the lease holds by the local clock."""
        tenure = self._tenures.get(self._holder(queue))
        return tenure is not None and tenure.holds(self._clock.monotonic())

    def leads(self, bot: str) -> bool:
        """Whether the first partition is held."""
        return self.holds(queue_name(bot, 0))

    def count(self, bot: str) -> int:
        """How many partitions of a bot are held."""
        return sum(bot_of(queue) == bot for queue in self.held())

    def fenced(self, adapter: Adapter, queue: str) -> Adapter:
        """The adapter behind a fence."""
        return Fenced(adapter, self, queue)

    def held(self) -> Collection[str]:
        """The partitions that are held."""
        return tuple(queue for queue in self._tenures if self.holds(queue))

    @contextlib.asynccontextmanager
    async def pass_through(self, queue: str) -> AsyncGenerator[None]:
        """Let one call through; see `Fence`."""
        queue = self._holder(queue)
        tenure, now = self._tenures.get(queue), self._clock.monotonic()
        if tenure is None or not tenure.holds(now):
            raise Unreachable("another replica speaks for this bot", status="standby")
        cut = asyncio.timeout(tenure.until - now)
        under_way = self._open.setdefault(queue, set())
        try:
            async with cut:
                under_way.add(cut)
                try:
                    yield
                finally:
                    under_way.discard(cut)
        except TimeoutError as exc:
            if not cut.expired():
                raise
            raise Uncertain("the lease on this bot ended meanwhile", status="standby") from exc

    def _holder(self, queue: str) -> str:
        """The partition that a name falls to; a former one's name falls to one that is there."""
        stake = self._stakes().get(bot_of(queue))
        if stake is None or queue in self._tenures:
            return queue
        return queue_name(bot_of(queue), number_of(queue) % stake.partitions)

    def _named(self, queue: str) -> Collection[str]:
        """Every name that falls to a partition."""
        bot = bot_of(queue)
        stake = self._stakes().get(bot)
        count = max(self._layouts.most(bot), stake.partitions if stake is not None else 1)
        names = (queue_name(bot, number) for number in range(count))
        return {queue, *(name for name in names if self._holder(name) == queue)}

    def _held_on(self, queue: str, tenure: Tenure) -> None:
        """Let calls that are under way go on as long as the lease does now."""
        ends = asyncio.get_running_loop().time() + tenure.until - self._clock.monotonic()
        self._cut(queue, ends)

    def _end(self, queue: str) -> None:
        """Believe in a lease no more, and cut off what is under way."""
        self._tenures.pop(queue).end(self._clock.monotonic())
        self.version += 1
        self._cut(queue, asyncio.get_running_loop().time())

    def _cut(self, queue: str, when: float) -> None:
        for cut in tuple(self._open.get(queue, ())):
            if not cut.expired():
                cut.reschedule(when)
