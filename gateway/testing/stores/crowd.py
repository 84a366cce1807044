"""What a store must do when many work at once and some of them die."""

# ruff: noqa: D102  # the name of a test says what it proves
from __future__ import annotations

import asyncio
import random
from collections import defaultdict

from gateway.abc.store import Claim, Commit, Letter, LetterClaim, PartRow, Store
from gateway.errors import LeaseLost
from gateway.testing.clock import ManualClock
from gateway.testing.stores.samples import BOT, LEASE, Sampled, entry, line, turn

__all__ = ["CrowdContract"]

_LANES = 200
_EACH = 5
_WORKERS = 4


class CrowdContract(Sampled):
    """Nothing is lost, doubled or reordered, whatever becomes of the workers."""

    async def test_many_lanes_and_dying_workers_lose_double_and_reorder_nothing(
        self, store: Store, clock: ManualClock
    ) -> None:
        crowd = _Crowd(self, store, clock)
        await crowd.fill()

        await crowd.work()

        wanted = [f"{n}" for n in range(_EACH)]
        assert set(crowd.delivered) == {f"{BOT}/{lane}" for lane in range(_LANES)}
        assert all(delivered == wanted for delivered in crowd.delivered.values())
        for lane in (0, _LANES - 1):
            assert [one.text for one in await store.history(f"{BOT}/{lane}", limit=100)] == wanted
        counts = await store.counts()
        assert (counts["inbox"], counts["outbox"], counts["turns"]) == (0, 0, _LANES * _EACH)
        assert crowd.died > 0

    async def test_workers_side_by_side_never_hold_the_same_lane(self, store: Store) -> None:
        await store.put([entry(lane=f"{BOT}/{lane}") for lane in range(_LANES)])

        taken = await asyncio.gather(
            *(store.claim(f"worker {n}", bots=[BOT], limit=60, lease=LEASE) for n in range(_WORKERS))
        )

        lanes = [claim.lane for claims in taken for claim in claims]
        assert len(lanes) == len(set(lanes)) == _LANES

    async def test_puts_side_by_side_keep_one_of_each_key(self, store: Store) -> None:
        same = [entry(key=str(n), lane=f"{BOT}/{n}") for n in range(20)]

        kept = await asyncio.gather(*(store.put(same) for _ in range(5)))

        assert [sum(fresh) for fresh in zip(*kept, strict=True)] == [1] * 20


class _Crowd:
    """Workers that run, deliver, and now and then leave a claim behind or come back to it too late."""

    def __init__(self, contract: Sampled, store: Store, clock: ManualClock) -> None:
        self._contract = contract
        self._store = store
        self._clock = clock
        self._random = random.Random(7)  # noqa: S311  # a repeatable crowd, no secret
        self._late: list[Claim] = []
        self.died = 0
        self.delivered: defaultdict[str, list[str]] = defaultdict(list)

    async def fill(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for lane in range(_LANES):
                tasks.create_task(self._fill(lane))

    async def _fill(self, lane: int) -> None:
        for n in range(_EACH):
            await self._store.put([entry(str(n), lane=f"{BOT}/{lane}", key=f"{lane}-{n}")])

    async def work(self) -> None:
        """Work until nothing is open."""
        while (counts := await self._store.counts())["inbox"] + counts["outbox"]:
            async with asyncio.TaskGroup() as tasks:
                for n in range(_WORKERS):
                    tasks.create_task(self._round(f"worker {n}"))
            await self._contract.pass_time(self._clock, LEASE / 4)

    async def _round(self, worker: str) -> None:
        claims = await self._store.claim(worker, bots=[BOT], limit=40, lease=LEASE)
        letters = await self._store.claim_letters(worker, bots=[BOT], limit=40, lease=LEASE)
        async with asyncio.TaskGroup() as tasks:
            for claim in claims:
                tasks.create_task(self._run(claim))
            for letter in letters:
                tasks.create_task(self._deliver(letter))
        if self._late:
            await self._come_back(self._late.pop(0))

    async def _run(self, claim: Claim) -> None:
        if self._random.random() < 0.1:
            self.died += 1
            self._late.append(claim)
            return
        await self._store.commit(claim, self._outcome(claim))

    def _outcome(self, claim: Claim) -> Commit:
        name = f"t{claim.entry}"
        text = claim.body.decode()
        letter = Letter(name, BOT, claim.lane, name, claim.body, 1.0)
        return Commit(
            turn=turn(name, entry=claim.entry), history=(line(text, lane=claim.lane),), letters=(letter,)
        )

    async def _deliver(self, claim: LetterClaim) -> None:
        if not claim.parts:
            await self._store.plan(claim, [PartRow("sending", b"")])
        fate = self._random.random()
        if fate < 0.1:
            self.died += 1
        elif fate < 0.2:
            await self._store.retry_letter(claim, delay=LEASE)
        else:
            await self._store.settle(claim, "delivered", changes=[(0, PartRow("sent", b""))])
            self.delivered[claim.letter.lane].append(claim.letter.body.decode())

    async def _come_back(self, claim: Claim) -> None:
        """A worker that was thought dead ends its turn; the store takes it or refuses it, whole."""
        try:
            await self._store.commit(claim, self._outcome(claim))
        except LeaseLost:
            return
