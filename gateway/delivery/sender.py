"""Deliver what the outbox owes: letters of a lane in order, lanes side by side."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import LetterClaim, LetterState, Store, Turn
from gateway.delivery.letters import Mail, unfold
from gateway.delivery.outlet import Outlet
from gateway.delivery.posting import Posting, Result, plan_parts
from gateway.observability import get_logger
from gateway.stores.working import Work

__all__ = ["Sender", "TurnAfter"]

_FIRST, _CEILING = 1.0, 60.0  # seconds of backoff
_LONG = 8_000  # characters from which an answer is rendered beside the event loop


class TurnAfter(Protocol):
    """Keeps the turn's record in step with its letter."""

    async def postponed(self, outlet: Outlet) -> None:
        """Take note of a send that must be tried again."""
        ...

    async def closed(
        self, outlet: Outlet | None, claim: LetterClaim, state: LetterState, result: Result
    ) -> Turn | None:
        """The record to be written with the letter's end; `None` for a letter with no turn."""
        ...


class Sender(Work[LetterClaim]):
    """The work of delivery: the heads of outboxes of some bots.

    Args:
        store: Where letters wait.
        worker: This process, for the record.
        outlets: The ways out by the name letters are claimed under, read anew each round.
        turn_after: Keeps the turn's record in step.
    """

    name = "delivery"

    def __init__(
        self,
        store: Store,
        worker: str,
        *,
        outlets: Callable[[], Mapping[str, Outlet]],
        turn_after: TurnAfter,
        clock: Clock,
    ) -> None:
        self._store = store
        self._worker = worker
        self._outlets = outlets
        self._turn_after = turn_after
        self._clock = clock
        self._log = get_logger("delivery")

    def key(self, claim: LetterClaim) -> str:
        """The letter's id."""
        return claim.letter.id

    async def claim(self, limit: int, lease: float) -> Sequence[LetterClaim]:
        """Heads of outboxes that are due."""
        bots = tuple(self._outlets())
        if not bots:
            return ()
        return await self._store.claim_letters(self._worker, bots=bots, limit=limit, lease=lease)

    async def extend(self, claims: Sequence[LetterClaim], lease: float) -> Sequence[str]:
        """Renew."""
        return await self._store.extend_letters(claims, lease)

    async def give_back(self, claim: LetterClaim, delay: float) -> None:
        """Free the letter for a later try."""
        await self._store.retry_letter(claim, delay=delay)

    def attempts(self, claim: LetterClaim) -> int:
        """How often the letter was claimed."""
        return claim.attempts

    async def do(self, claim: LetterClaim) -> None:
        """Deliver one letter as far as it goes today."""
        outlet = self._outlets().get(claim.letter.bot)
        try:
            mail = unfold(claim.letter.body)
        except msgspec.MsgspecError:
            await self._close(claim, "dropped", Result("undeliverable", status="unreadable letter"))
            return
        if outlet is None:
            await self._store.retry_letter(claim, delay=_CEILING)
            return
        if self._clock.time() - claim.letter.at > outlet.ttl:
            await self._close(claim, "expired", Result("undeliverable", status="expired"), outlet)
            return
        claim, fresh = await self._planned(claim, outlet, mail)
        if not claim.parts:
            await self._finish(claim, outlet, mail, Result("undeliverable", status="nothing rendered"))
            return
        result = await Posting(self._store, outlet, claim, mail, fresh=fresh).run()
        await self._finish(claim, outlet, mail, result)

    async def _planned(self, claim: LetterClaim, outlet: Outlet, mail: Mail) -> tuple[LetterClaim, bool]:
        if claim.parts:
            return claim, False
        if len(mail.answer.text) > _LONG:  # parsing it may take long
            parts = await asyncio.to_thread(plan_parts, outlet, mail, key=claim.letter.id)
        else:
            parts = plan_parts(outlet, mail, key=claim.letter.id)
        if parts:
            await self._store.plan(claim, parts)
        return replace(claim, parts=parts), True

    async def _finish(self, claim: LetterClaim, outlet: Outlet, mail: Mail, result: Result) -> None:
        if result.state == "again":
            await self._again(claim, outlet, result)
            return
        state: LetterState = "delivered" if result.state == "delivered" else "undeliverable"
        if not claim.parts and mail.preview:
            with contextlib.suppress(Exception):
                await outlet.adapter.retract(mail.place, mail.preview)
        await self._close(claim, state, result, outlet)

    async def _again(self, claim: LetterClaim, outlet: Outlet, result: Result) -> None:
        delay = result.delay or _backoff(claim.attempts)
        report = self._log.error if result.alarm else self._log.warning
        report(
            "delivery.postponed",
            bot=outlet.bot,
            turn=claim.letter.turn,
            status=result.status,
            delay=round(delay, 3),
            attempts=claim.attempts,
        )
        await self._turn_after.postponed(outlet)
        await self._store.retry_letter(claim, delay=delay, changes=result.changes)

    async def _close(
        self, claim: LetterClaim, state: LetterState, result: Result, outlet: Outlet | None = None
    ) -> None:
        turn = await self._turn_after.closed(outlet, claim, state, result)
        await self._store.settle(claim, state, changes=result.changes, turn=turn)


def _backoff(attempts: int) -> float:
    """Seconds before the next try: doubling, capped, spread so that many letters do not return at once."""
    return min(_FIRST * 2.0 ** min(attempts - 1, 10), _CEILING) * random.uniform(0.75, 1.25)  # noqa: S311  # spread, no secret
