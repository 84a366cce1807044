"""Keep a turn's record in step with the delivery of its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Fact, LetterClaim, LetterState, Store
from gateway.delivery import Aftermath, Mail, Outlet, Result
from gateway.messages import Action, Note
from gateway.observability import Metrics, get_logger
from gateway.session import offers
from gateway.session.alerts import Alerts, is_alert
from gateway.session.bots import Bot
from gateway.session.contact import lost_word, owed_word, paid_word
from gateway.session.lanes import bot_of
from gateway.session.record import Record, read, row

__all__ = ["Afterwards"]

_STATES = {
    "delivered": "delivered",
    "undeliverable": "undeliverable",
    "expired": "expired",
    "dropped": "undeliverable",
}


class Afterwards:
    """The session's `TurnAfter`.

    Args:
        bots: Bots by the names that work waits under, read anew each time.
        alerts: Tells owners what did not arrive; `None` for nobody.
    """

    def __init__(
        self,
        store: Store,
        *,
        bots: Callable[[], Mapping[str, Bot]],
        clock: Clock,
        metrics: Metrics,
        alerts: Alerts | None = None,
    ) -> None:
        self._alerts = alerts
        self._bots = bots
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._log = get_logger("delivery")

    async def leaving(self, outlet: Outlet, claim: LetterClaim, mail: Mail) -> Mail:
        """The mail as it leaves now; an answer that waited long says so, and offers to be asked again."""
        bot = self._bot(claim)
        waited = self._clock.time() - mail.since if mail.since else 0.0
        if bot is None or not bot.notes.surface or waited <= outlet.late_after:
            return mail
        record = await self._record(claim)
        if record is None:
            return mail
        answer = replace(
            mail.answer,
            lead=bot.notebook.line("delivery.late", record.language),
            actions=mail.answer.actions or await self._retry(bot, record),
            reply_to=mail.answer.reply_to or record.inbound.message_id,
        )
        self._log.warning("delivery.late", bot=bot.name, turn=record.id, seconds=round(waited, 1))
        return msgspec.structs.replace(mail, answer=answer)

    async def _retry(self, bot: Bot, record: Record) -> tuple[Action, ...]:
        """A button that asks again; words that stand for one mean what was said since."""
        if not bot.adapter.features.buttons:
            return ()
        actions, (offer, _) = offers.make(
            record.id,
            person=record.inbound.sender.id,
            lane=record.lane,
            kinds=("retry",),
            acted=bool(record.actions),
            label=lambda kind: bot.notebook.label(kind, record.language),
        )
        if offer.value is not None:
            await self._store.set(offer.key, offer.value, ttl=offer.ttl)
        return actions

    async def twice(self, outlet: Outlet, claim: LetterClaim) -> Note | None:
        """What tells that a part may be seen twice; nothing where endings are not told."""
        del outlet
        bot, record = self._bot(claim), await self._record(claim)
        if bot is None or record is None or not bot.notes.surface:
            return None
        text = bot.notebook.line("delivery.maybe_duplicate", record.language)
        return Note(text, "notice", record.language, bot.notebook.direction(record.language))

    async def postponed(self, outlet: Outlet) -> None:
        """Count a send that must be tried again."""
        self._metrics.delivery(bot=outlet.bot, result="retrying")

    async def closed(
        self, outlet: Outlet, claim: LetterClaim, state: LetterState, result: Result
    ) -> Aftermath:
        """The record with its delivery's end, and what the person is told of it later."""
        twice = result.duplicate and state == "delivered"
        self._metrics.delivery(bot=outlet.bot, result="maybe_duplicate" if twice else state)
        if state != "delivered":
            self._log.error(
                "delivery.failed",
                bot=outlet.bot,
                letter=claim.letter.id,
                turn=claim.letter.turn,
                state=state,
                status=result.status,
            )
        record = await self._record(claim)
        if record is None:  # the letter's end stands even so, or it would be sent again
            if state != "delivered" and self._alerts is not None:
                await self._alerts.undelivered(outlet.bot, claim.letter.id)
            return Aftermath()
        before = record.delivery
        self._write_down(record, claim, state, result)
        await self._alert(record, result)
        return Aftermath(row(record), await self._words(claim, record, before))

    def _write_down(self, record: Record, claim: LetterClaim, state: LetterState, result: Result) -> None:
        record.state = _STATES[state]
        record.delivery = state
        record.delivered = self._clock.time()
        record.failure = "" if state == "delivered" else result.status
        record.sends = claim.attempts
        record.skipped = result.skipped
        record.maybe_duplicate = record.maybe_duplicate or result.duplicate

    def _bot(self, claim: LetterClaim) -> Bot | None:
        return self._bots().get(bot_of(claim.letter.bot))

    async def _record(self, claim: LetterClaim) -> Record | None:
        known = await self._store.turn(claim.letter.turn) if claim.letter.turn else None
        if known is None:
            return None
        try:
            return read(known)
        except msgspec.MsgspecError:
            self._log.exception("delivery.record_unreadable", turn=claim.letter.turn)
            return None

    async def _words(self, claim: LetterClaim, record: Record, before: str) -> tuple[Fact, ...]:
        """What the person will be told of an answer that did not arrive; at once where they can be."""
        if is_alert(record.lane):
            return ()
        if record.delivery == "dropped" and record.how != "told":
            now = self._clock.time()
            once = f"{claim.letter.id}/{claim.letter.at}"
            word = lost_word(record, queue=claim.letter.bot, once=once, at=now, heard=record.heard)
            await self._store.put([word])
            return ()
        if record.delivery != "delivered":
            return owed_word(record)
        return await paid_word(self._store, record) if before else ()

    async def _alert(self, record: Record, result: Result) -> None:
        """Let the owner know of what nobody got; an alert's own fate is only noted.

        Whoever left is missed where there was something to explain; all else is a fault in any case.
        """
        if self._alerts is None:
            return
        if is_alert(record.lane):
            if record.delivery == "delivered":
                self._alerts.arrived(record.inbound.message_id)
        elif record.delivery == "delivered":
            await self._alerts.delivered(record.bot)
        elif record.note or not result.gone:
            await self._alerts.undelivered(record.bot, record.ref)
