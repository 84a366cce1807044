"""Conversations that write, workers that run and deliver, and the account of it all at the end."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from gateway.abc.store import Claim, Commit, Entry, Fact, Letter, LetterClaim, Line, PartRow, Store, Turn
from gateway.errors import LeaseLost, StoreError
from gateway.stores.redis import RedisStore
from gateway.stores.redis.address import Address

__all__ = ["BOT", "Load", "opened"]

BOT = "support"
LEASE = 2.0  # seconds


@asynccontextmanager
async def opened(address: Address) -> AsyncGenerator[RedisStore]:
    """A store that is open."""
    store = RedisStore(address)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@dataclass(slots=True)
class Load:
    """What was accepted, and what became of it.

    Attributes:
        accepted: The messages of each lane whose `put` returned.
        begun: The letters of each lane as their delivery ended; again where that was not known.
        delivered: The letters of each lane whose `settle` returned.
        unknown: Letters whose `settle` ended without a known result.
        steps: How often a swap of the counter was said to be won.
        unsure: How often it ended without a known result.
    """

    lanes: int = 12
    accepted: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    begun: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    delivered: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    unknown: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    steps: int = 0
    unsure: int = 0
    troubles: int = 0
    stopping: bool = False

    async def write(self, store: Store, messages: int) -> None:
        """Put the messages of every lane, each again until it was accepted."""
        async with asyncio.TaskGroup() as tasks:
            for number in range(self.lanes):
                tasks.create_task(self._write(store, f"{BOT}/{number}", messages))

    async def _write(self, store: Store, lane: str, messages: int) -> None:
        first = len(self.accepted[lane])
        for n in range(first, first + messages):
            while True:
                try:
                    await store.put([Entry(BOT, lane, (f"{lane}-{n}",), b"%d" % n, 1.0)])
                    break
                except StoreError:
                    self.troubles += 1
                    await asyncio.sleep(0.05)
            self.accepted[lane].append(n)

    async def work(self, store: Store, worker: str) -> None:
        """Run and deliver until stopped."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._run(store, worker))
            tasks.create_task(self._deliver(store, worker))
            tasks.create_task(self._count(store))

    async def _run(self, store: Store, worker: str) -> None:
        while not self.stopping:
            try:
                claims = await store.claim(worker, bots=[BOT], limit=8, lease=LEASE)
                await asyncio.gather(*(self._commit(store, claim) for claim in claims))
                await store.wait(0.05 if not claims else 0.0)
            except StoreError:
                self.troubles += 1
                await asyncio.sleep(0.02)

    async def _commit(self, store: Store, claim: Claim) -> None:
        name = f"{claim.lane}-{claim.body.decode()}"
        turn = Turn(name, name, BOT, claim.lane, claim.entry, "finished", "completed", "", 1.0, b"")
        try:
            await store.record(claim, turn)
            await store.commit(
                claim,
                Commit(
                    turn,
                    (Line(claim.lane, name, "user", claim.body.decode(), 1.0),),
                    letters=(Letter(name, BOT, claim.lane, name, claim.body, 1.0),),
                    facts=(Fact(f"seen/{name}", claim.token.encode()),),
                ),
            )
        except LeaseLost:
            self.troubles += 1

    async def _deliver(self, store: Store, worker: str) -> None:
        while not self.stopping:
            try:
                claims = await store.claim_letters(worker, bots=[BOT], limit=8, lease=LEASE)
                await asyncio.gather(*(self._settle(store, claim) for claim in claims))
                await store.wait(0.05 if not claims else 0.0)
            except StoreError:
                self.troubles += 1
                await asyncio.sleep(0.02)

    async def _settle(self, store: Store, claim: LetterClaim) -> None:
        number = int(claim.letter.body)
        try:
            if not claim.parts:
                await store.plan(claim, [PartRow("pending", b"")])
            await store.advance(claim, [(0, PartRow("sending", b""))])
            self.begun[claim.letter.lane].append(number)
            await store.settle(claim, "delivered", changes=[(0, PartRow("sent", b""))])
        except LeaseLost:
            self.troubles += 1
        except StoreError:
            self.unknown.add((claim.letter.lane, number))
            raise
        else:
            self.delivered[claim.letter.lane].append(number)

    async def _count(self, store: Store) -> None:
        """Count up by swaps: a step done twice, or done and denied, shows in the sum."""
        while not self.stopping:
            try:
                known = await store.get("counter")
                following = b"%d" % (int(known or b"0") + 1)
                won = await store.swap("counter", known, following)
                self.steps += won
            except StoreError:
                self.unsure += 1
            await asyncio.sleep(0.005)

    async def drained(self, store: Store, *, timeout: float = 30.0) -> None:
        """Wait until nothing is open, and let the workers end."""
        async with asyncio.timeout(timeout):
            while (counts := await store.counts())["inbox"] + counts["outbox"]:
                await asyncio.sleep(0.05)
        self.stopping = True

    async def check(self, store: Store) -> None:
        """Everything accepted ran once and in order, and was delivered once and in order."""
        for number in range(self.lanes):
            lane = f"{BOT}/{number}"
            wanted = list(range(len(self.accepted[lane])))
            ran = [int(line.text) for line in await store.history(lane, limit=1_000_000)]
            assert ran == wanted
            told = self.delivered[lane]
            assert len(told) == len(set(told))
            assert self.begun[lane] == sorted(self.begun[lane])
            assert set(told) | {n for at, n in self.unknown if at == lane} == set(wanted)
        assert 0 <= int(await store.get("counter") or b"0") - self.steps <= self.unsure
        assert (await store.counts())["turns"] == sum(map(len, self.accepted.values()))
