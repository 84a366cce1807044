"""Keep a turn's record in step with the delivery of its answer."""

from __future__ import annotations

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import LetterClaim, LetterState, Store, Turn
from gateway.delivery import Outlet, Result
from gateway.observability import Metrics, get_logger
from gateway.session.alerts import Alerts, is_alert
from gateway.session.record import Record, read, row

__all__ = ["Afterwards"]

_STATES = {
    "delivered": "delivered",
    "undeliverable": "undeliverable",
    "expired": "expired",
    "dropped": "undeliverable",
}


class Afterwards:
    """The session's `TurnAfter`."""

    def __init__(self, store: Store, *, clock: Clock, metrics: Metrics, alerts: Alerts | None = None) -> None:
        self._alerts = alerts
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._log = get_logger("delivery")

    async def postponed(self, outlet: Outlet) -> None:
        """Count a send that must be tried again."""
        self._metrics.delivery(bot=outlet.bot, result="retrying")

    async def closed(
        self, outlet: Outlet | None, claim: LetterClaim, state: LetterState, result: Result
    ) -> Turn | None:
        """The record with its delivery's end."""
        bot = outlet.bot if outlet is not None else claim.letter.bot
        self._metrics.delivery(bot=bot, result="maybe_duplicate" if result.duplicate else state)
        if state != "delivered":
            self._log.error(
                "delivery.failed", bot=bot, turn=claim.letter.turn, state=state, status=result.status
            )
        known = await self._store.turn(claim.letter.turn) if claim.letter.turn else None
        if known is None:
            return None
        try:
            record = read(known)
        except msgspec.MsgspecError:  # the letter's end stands even so, or it would be sent again
            self._log.exception("delivery.record_unreadable", turn=claim.letter.turn)
            return None
        record.state = _STATES[state]
        record.delivery = state
        record.delivered = self._clock.time()
        record.sends = claim.attempts
        record.skipped = result.skipped
        record.maybe_duplicate = record.maybe_duplicate or result.duplicate
        await self._alert(record)
        return row(record)

    async def _alert(self, record: Record) -> None:
        """Let the owner know of a note that nobody got; an alert's own fate is only noted."""
        if self._alerts is None:
            return
        if is_alert(record.lane):
            if record.delivery == "delivered":
                self._alerts.arrived(record.inbound.message_id)
        elif record.delivery == "delivered":
            await self._alerts.delivered(record.bot)
        elif record.note:
            await self._alerts.undelivered(record.bot, record.ref)
