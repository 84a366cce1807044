"""A backup made while gateways work loses nothing that was accepted and lets nothing pass for told."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest

from gateway.abc.store import Claim, Commit, Entry, Letter, PartRow, Store, Turn
from gateway.stores.portable import Buried, Owed, Recorded, Row, Waits
from gateway.stores.redis import RedisStore
from gateway.stores.redis import exporting as module
from gateway.stores.redis.exporting import exported
from gateway.stores.redis.restoring import restore
from tests.emulators.valkey import empty_address

BOT = ["support"]
LANES = [f"support/{number}" for number in range(12)]
_BUSY = 600  # rows
STATES = ("delivered", "undeliverable")


class Traffic:
    """Gateways at work, one random step at a time.

    Attributes:
        delivered: Letters that somebody has read.
        accepted: What was asked, by its text.
    """

    def __init__(self, store: Store, seed: int) -> None:
        self.delivered: set[str] = set()
        self.accepted: list[bytes] = []
        self._random = random.Random(seed)  # noqa: S311  # repeatable, no secret
        self._store = store

    async def step(self) -> None:
        await self._random.choice([self.ask, self.answer, self.answer, self.deliver, self.revive])()

    async def ask(self) -> None:
        body = b"q%d" % len(self.accepted)
        self.accepted.append(body)
        lane = self._random.choice(LANES)
        await self._store.put([Entry("support", lane, (body.decode(),), body, 1.0)])

    async def answer(self) -> None:
        for claim in await self._store.claim("w", bots=BOT, limit=1, lease=60):
            await self._store.commit(claim, answered(claim))

    async def deliver(self) -> None:
        for claim in await self._store.claim_letters("w", bots=BOT, limit=1, lease=60):
            state = self._random.choice(STATES)
            if state == "delivered":
                self.delivered.add(claim.letter.id)
            if not claim.parts:
                await self._store.plan(claim, [PartRow("sending", b"p")])
            await self._store.settle(claim, "delivered" if state == "delivered" else "undeliverable")

    async def revive(self) -> None:
        for letter, _ in await self._store.dead(limit=1):
            await self._store.revive(letter.id, 2.0)


def answered(claim: Claim) -> Commit:
    """What ends an entry."""
    name = claim.body.decode()
    turn = Turn(f"t{claim.entry}", name, "support", claim.lane, claim.entry, "finished", "", "", 1.0, b"{}")
    return Commit(turn=turn, letters=(Letter(turn.id, "support", claim.lane, turn.id, b"mail", 1.0),))


async def _gathered(rows: AsyncIterator[Row], traffic: Traffic) -> list[Row]:
    """All rows; with each of them much happens, for as long as they are not many more than there were."""
    found: list[Row] = []
    async for row in rows:
        found.append(row)
        for _ in range(3 if len(found) < _BUSY else 0):
            await traffic.step()
    return found


@pytest.mark.parametrize("seed", range(8))
async def test_nothing_accepted_is_lost_and_nothing_is_silent(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RECORDS", 200 if seed % 2 else 4)
    source, target = empty_address(), empty_address()
    store = RedisStore(source)
    await store.open()
    try:
        traffic = Traffic(store, seed)
        for _ in range(150):
            await traffic.step()
        accepted = list(traffic.accepted)
        rows = await _gathered(exported(source), traffic)
    finally:
        await store.close()

    await restore(target, rows, leases="bot/")

    waiting = {row.body for row in rows if isinstance(row, Waits)}
    turns = {row.ref for row in rows if isinstance(row, Recorded)}
    ended = {row.id for row in rows if isinstance(row, Recorded)}
    told = {row.id for row in rows if isinstance(row, Owed | Buried)}
    assert set(accepted) <= waiting | turns
    assert not waiting & turns
    assert {name.decode() for name in ended - told} <= traffic.delivered
    await _all_answered(RedisStore(target), waiting)


async def _all_answered(store: RedisStore, waiting: set[bytes]) -> None:
    """Every entry that waits there can be answered: no letter of its name passes for written."""
    await store.open()
    try:
        before = (await store.counts())["outbox"]
        seen: set[bytes] = set()
        while claims := await store.claim("w", bots=BOT, limit=50, lease=60):
            for claim in claims:
                seen.add(claim.body)
                await store.commit(claim, answered(claim))
        assert seen == waiting
        assert (await store.counts())["outbox"] == before + len(waiting)
    finally:
        await store.close()


async def test_records_of_a_busy_conversation_come_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_RECORDS", 7)
    source = empty_address()
    store = RedisStore(source)
    await store.open()
    for number in range(40):
        await store.put([Entry("support", LANES[0], (), b"q%d" % number, 1.0)])
        (claim,) = await store.claim("w", bots=BOT, limit=1, lease=60)
        await store.commit(claim, answered(claim))

    rows = [row async for row in exported(source)]
    await store.close()

    found = [row.ref for row in rows if isinstance(row, Recorded)]
    assert sorted(found) == sorted(b"q%d" % number for number in range(40))
