"""Deliver what the outbox owes: letters of a lane in order, lanes side by side."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Fact, LetterClaim, LetterState, PartRow, Store, letters_of
from gateway.delivery.after import TurnAfter
from gateway.delivery.gone import Gone
from gateway.delivery.letters import Mail, unfold
from gateway.delivery.outlet import Outlet
from gateway.delivery.posting import Posting, Result, plan_parts
from gateway.observability import get_logger
from gateway.stores.working import Work

__all__ = ["Sender"]

_FIRST, _CEILING = 1.0, 60.0  # seconds of backoff
_OVER = 0.1  # seconds after the end of its time at which a letter that waits longer is looked at
_ENDS: Mapping[str, LetterState] = {"delivered": "delivered", "dropped": "dropped"}
_LONG = 8_000  # characters from which an answer is rendered beside the event loop


class Sender(Work[LetterClaim]):
    """The work of delivery: the heads of outboxes of some bots.

    Args:
        store: Where letters wait.
        worker: This process, for the record.
        outlets: The ways out by the name letters are claimed under, read anew each round.
        names: The names to claim for, read anew each round; those of all outlets by default.
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
        names: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._outlets = outlets
        self._names = names or (lambda: tuple(outlets()))
        self._turn_after = turn_after
        self._clock = clock
        self._gone = Gone(store, clock)
        self._log = get_logger("delivery")

    def key(self, claim: LetterClaim) -> str:
        """The letter's id."""
        return claim.letter.id

    def names(self) -> Collection[str]:
        """Letters of the names that are claimed for."""
        return [letters_of(name) for name in self._names()]

    def queue(self, claim: LetterClaim) -> str:
        """The name it was claimed under."""
        return claim.letter.bot

    async def claim(self, limit: int, lease: float) -> Sequence[LetterClaim]:
        """Heads of outboxes that are due."""
        bots = self._names()
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
        if outlet is None:
            await self._store.retry_letter(claim, delay=_CEILING)
            return
        try:
            mail = unfold(claim.letter.body)
        except msgspec.MsgspecError:
            await self._close(claim, "dropped", Result("dropped", status="unreadable letter"), outlet)
            return
        if self._clock.time() - claim.letter.at > outlet.ttl:
            await self._close(claim, "expired", Result("undeliverable", status="expired"), outlet)
        elif await self._gone.holds(outlet.bot, mail):
            gone = Result("undeliverable", status="gone before", gone=True)
            await self._close(claim, "undeliverable", gone, outlet)
        else:
            await self._deliver(claim, outlet, mail)

    async def _deliver(self, claim: LetterClaim, outlet: Outlet, mail: Mail) -> None:
        began = self._clock.time()
        claim, fresh = await self._planned(claim, outlet, mail)
        if not claim.parts:
            await self._finish(claim, outlet, mail, Result("undeliverable", status="nothing rendered"))
            return
        posting = Posting(
            self._store,
            outlet,
            claim,
            mail,
            fresh=fresh,
            twice=lambda: self._turn_after.twice(outlet, claim),
        )
        result = await posting.run()
        facts: tuple[Fact, ...] = ()
        if result.gone:
            facts = (self._gone.died(outlet.bot, mail.place, began),)
        elif result.state == "delivered":
            facts = self._gone.lives(outlet.bot, mail.place)
        await self._finish(claim, outlet, mail, result, facts)

    async def _planned(self, claim: LetterClaim, outlet: Outlet, mail: Mail) -> tuple[LetterClaim, bool]:
        """The claim with its parts, and whether they were planned just now.

        An answer of which nothing was sent yet is planned anew once it is late, so that it says so.
        """
        anew = bool(claim.parts)
        if anew and not await self._grew_late(claim, outlet, mail):
            return claim, False
        leaving = await self._turn_after.leaving(outlet, claim, mail)
        if anew and leaving is mail:
            return claim, False
        parts = await self._rendered(outlet, leaving, claim)
        if parts:
            await self._store.plan(claim, parts, anew=anew)
        return replace(claim, parts=parts), True

    async def _grew_late(self, claim: LetterClaim, outlet: Outlet, mail: Mail) -> bool:
        """Whether a planned letter became late before anything of it was sent."""
        waited = self._clock.time() - mail.since if mail.since else 0.0
        begun = any(row.state != "pending" or row.receipt for row in claim.parts)
        if begun or waited <= outlet.late_after:
            return False
        plain = await self._rendered(outlet, mail, claim)
        return [row.body for row in plain] == [row.body for row in claim.parts]  # else it says so already

    async def _rendered(self, outlet: Outlet, mail: Mail, claim: LetterClaim) -> tuple[PartRow, ...]:
        if len(mail.answer.text) > _LONG:  # parsing it may take long
            return await asyncio.to_thread(plan_parts, outlet, mail, key=claim.letter.id)
        return plan_parts(outlet, mail, key=claim.letter.id)

    async def _finish(
        self,
        claim: LetterClaim,
        outlet: Outlet,
        mail: Mail,
        result: Result,
        facts: tuple[Fact, ...] = (),
    ) -> None:
        if result.state == "again":
            await self._again(claim, outlet, result)
            return
        if not claim.parts and mail.preview:
            with contextlib.suppress(Exception):
                await outlet.adapter.retract(mail.place, mail.preview)
        await self._close(claim, _ENDS.get(result.state, "undeliverable"), result, outlet, facts)

    async def _again(self, claim: LetterClaim, outlet: Outlet, result: Result) -> None:
        wanted = result.delay or _backoff(claim.attempts)
        delay = min(wanted, max(claim.letter.at + outlet.ttl - self._clock.time(), 0.0) + _OVER)
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
        self,
        claim: LetterClaim,
        state: LetterState,
        result: Result,
        outlet: Outlet,
        facts: tuple[Fact, ...] = (),
    ) -> None:
        after = await self._turn_after.closed(outlet, claim, state, result)
        await self._store.settle(
            claim, state, changes=result.changes, turn=after.turn, facts=(*facts, *after.facts)
        )


def _backoff(attempts: int) -> float:
    """Seconds before the next try: doubling, capped, spread so that many letters do not return at once."""
    return min(_FIRST * 2.0 ** min(attempts - 1, 10), _CEILING) * random.uniform(0.75, 1.25)  # noqa: S311  # spread, no secret
