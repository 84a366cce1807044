"""Run one turn: history in, agent, ending out."""

from __future__ import annotations

from dataclasses import replace

from gateway.abc.agent import TurnRequest, TurnResult
from gateway.abc.clock import Clock
from gateway.abc.store import Claim, Store
from gateway.completion.model import TurnCompletion
from gateway.delivery import UNKNOWN, Presence
from gateway.session.border import received
from gateway.session.bots import Bot
from gateway.session.closing import Closing
from gateway.session.ending import Ending, conclude
from gateway.session.history import Kept, past
from gateway.session.lanes import conversation_of
from gateway.session.origin import Origin
from gateway.session.record import Attempt, Record, Remedied, row
from gateway.session.running import Running, RunningTurns
from gateway.session.supervision import Nursery, Outcome

__all__ = ["TurnRunner"]


class TurnRunner:
    """Runs agents for turns and hands their endings to be committed."""

    def __init__(
        self, store: Store, closing: Closing, *, clock: Clock, running: RunningTurns, nursery: Nursery
    ) -> None:
        self._store = store
        self._closing = closing
        self._clock = clock
        self._running = running
        self._nursery = nursery

    async def run(self, claim: Claim, bot: Bot, record: Record, origin: Origin) -> None:
        """Run the turn and commit how it ended."""
        record.agent = bot.agent_name
        record.attempts.append(Attempt(number=claim.attempts, at=self._clock.time()))
        running = self._open(claim, bot, record)
        self._running.add(running)
        try:
            await self._answer(claim, bot, record, origin, running)
        finally:
            self._running.remove(running)

    def _open(self, claim: Claim, bot: Bot, record: Record) -> Running:
        async def commit_action(name: str) -> None:
            record.actions.append(name)
            record.partial = running.text
            await self._store.record(claim, row(record))

        running = Running(
            turn=record.id,
            lane=claim.lane,
            person=record.inbound.sender.id,
            clock=self._clock,
            deadlines=bot.deadlines,
            commit_action=commit_action,
        )
        running.start()
        return running

    async def _answer(self, claim: Claim, bot: Bot, record: Record, origin: Origin, running: Running) -> None:
        request = await self._request(claim, bot, record, origin)
        presence = self._presence(claim, bot, record, running)
        presence.start()
        try:
            outcome = await self._nursery.run(bot.agent, request, running)
            running.committed = True  # from here on nothing may change the ending, whatever takes long
        finally:
            record.preview = await presence.stop()
        ending, result = _concluded(running, outcome)
        record.remedies = [
            Remedied(kind=one.kind, after=one.after, waited=round(one.waited, 3), detail=one.detail)
            for one in running.remedies
        ]
        alone = ending.completion.reason == "context_overflow" and not request.history
        await self._closing.ended(
            claim,
            bot,
            record,
            ending,
            origin=origin,
            when=("message",) if alone else (),
            kept=Kept(result.data, result.summary),
            usage=dict(result.usage),
        )

    async def _request(self, claim: Claim, bot: Bot, record: Record, origin: Origin) -> TurnRequest:
        lines = await self._store.history(claim.lane, limit=bot.history) if bot.history else ()
        inbound = record.inbound
        parent = origin.parent if origin.how == "retry" else None
        asked = parent.inbound if parent is not None else inbound
        again = parent.asked if parent is not None else ""
        record.asked = again or asked.text or inbound.text or origin.how
        record.resumes = parent.resumes if parent is not None else origin.how == "continue"
        return TurnRequest(
            turn=record.id,
            conversation=f"{bot.name}/{conversation_of(inbound.place)}",
            text=record.asked,
            person=inbound.sender,
            history=past(lines, without=parent.id if parent is not None else ""),
            resume=record.resumes,
            language=record.language,
            attachments=asked.attachments,
        )

    def _presence(self, claim: Claim, bot: Bot, record: Record, running: Running) -> Presence:
        async def save(handle: str) -> None:
            record.preview, record.partial = handle, running.text
            await self._store.record(claim, row(record))

        return Presence(
            bot.adapter,
            record.inbound.place,
            turn=record.id,
            text=lambda: running.text,
            save=save,
            clock=self._clock,
            streaming=bot.streaming,
            handle=self._left_behind(record),
        )

    def _left_behind(self, record: Record) -> str:
        """The preview message of an attempt that died; one whose id was lost may stay beside the answer."""
        if record.preview != UNKNOWN:
            return record.preview
        record.maybe_duplicate = True
        return ""


def _concluded(running: Running, outcome: Outcome) -> tuple[Ending, TurnResult]:
    """The ending and a result of plain values; what breaks while it is read ends the turn as an error."""
    try:
        result = received(outcome.result) if outcome.result is not None else TurnResult()
        plain = replace(outcome, result=result) if outcome.result is not None else outcome
        return conclude(running, plain), result
    except Exception as exc:  # noqa: BLE001  # an agent's own objects may raise anything when they are looked at
        completion = TurnCompletion("error", site="agent.reply", source="exception")
        return Ending(running.text, completion, exc), TurnResult()
