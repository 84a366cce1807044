"""The session manager: the straight line from a claimed message to a committed ending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from gateway.abc.clock import Clock
from gateway.abc.store import Claim, Commit, Store
from gateway.completion.model import TurnCompletion
from gateway.errors import LeaseLost, StoreError
from gateway.messages import ActionKind, Inbound
from gateway.notes import typed
from gateway.observability import Metrics, bound, get_logger, redact
from gateway.session import commands, offers, restart
from gateway.session.alerts import Alerts
from gateway.session.allowance import Allowance, Refused
from gateway.session.bots import Bot
from gateway.session.closing import Closing
from gateway.session.contact import tell_at_contact
from gateway.session.ending import Ending
from gateway.session.envelope import Envelope, Telling, unseal
from gateway.session.gathering import Gathering
from gateway.session.lanes import STOP, bot_of, conversation_lane
from gateway.session.origin import Origin
from gateway.session.poison import salvaged, unread
from gateway.session.record import Record, open_record, read, turn_id
from gateway.session.running import RunningTurns
from gateway.session.signs import Signs
from gateway.session.supervision import Nursery
from gateway.session.turns import TurnRunner

__all__ = ["SessionManager"]

_LONG_WAIT = 120.0  # seconds; a retry that makes sense later than that is not waited for
_DISARM = 5.0  # seconds that taking buttons off may take
_MOST_ATTEMPTS = 4  # claims of one entry; the next one ends it as an error instead of running it


@dataclass(frozen=True, slots=True)
class _Case:
    """One claimed entry on its way."""

    claim: Claim
    bot: Bot
    envelope: Envelope
    record: Record

    @property
    def inbound(self) -> Inbound:
        """What happened, with everything that was taken into it."""
        return self.record.inbound


class SessionManager:
    """Ends every claimed entry with exactly one outcome.

    Args:
        bots: Bots by name, read anew for each entry.
        running: The turns under way, shared with whoever may stop them.
        signs: Tells people that a turn takes long; `None` for no such signs.
        alerts: Tells owners what they must put right; `None` for nobody.
        salt: The store's own number, from which references to its turns derive.
    """

    def __init__(
        self,
        store: Store,
        *,
        bots: Callable[[], Mapping[str, Bot]],
        clock: Clock,
        running: RunningTurns,
        nursery: Nursery,
        metrics: Metrics,
        signs: Signs | None = None,
        alerts: Alerts | None = None,
        salt: int = 0,
    ) -> None:
        self._store = store
        self._bots = bots
        self._running = running
        self._salt = salt
        self._metrics = metrics
        self._clock = clock
        self._closing = Closing(store, clock=clock, metrics=metrics, alerts=alerts)
        self._gathering = Gathering(store, clock=clock, salt=salt)
        self._allowance = Allowance(store, clock=clock)
        self._runner = TurnRunner(
            store,
            self._closing,
            clock=clock,
            running=running,
            nursery=nursery,
            gathering=self._gathering,
            signs=signs,
        )
        self._log = get_logger("session")

    async def handle(self, claim: Claim) -> None:
        """Take one entry to its end.

        Raises:
            LeaseLost: Another process took the lane over; nothing was written.
            StoreError: The ending could not be written; the entry is claimed again later.
        """
        bot = self._bots().get(bot_of(claim.bot))
        envelope = self._envelope(claim)
        if bot is None:
            await self._drop(claim)
            return
        if envelope is None or envelope.inbound is None:
            await self._unreadable(claim, bot)
            return
        with bound(bot=bot.name, conversation=claim.lane, turn=turn_id(claim.entry)):
            case = _Case(claim, bot, envelope, await self._record(claim, bot, envelope.inbound))
            try:
                await self._go(case)
            except (LeaseLost, StoreError):
                raise
            except Exception as exc:
                if claim.attempts < _MOST_ATTEMPTS:
                    raise
                await self._give_up(case, exc)

    async def _give_up(self, case: _Case, problem: Exception) -> None:
        """End an entry that breaks whatever handles it, even where telling of it breaks too."""
        try:
            await self._closing.give_up(case.claim, case.bot, case.record, problem)
        except (LeaseLost, StoreError):
            raise
        except Exception:  # noqa: BLE001  # what was left of the turn may be what breaks
            self._log.exception("session.giving_up_broke")
            await self._start_over(case)

    async def _start_over(self, case: _Case) -> None:
        """Tell of an entry as if nothing of it were known; close it untold only when even that breaks."""
        fresh = open_record(case.claim, case.inbound, bot=case.bot.name, salt=self._salt)
        try:
            await self._closing.give_up(
                case.claim, case.bot, fresh, RuntimeError("the turn could not be kept")
            )
        except (LeaseLost, StoreError):
            raise
        except Exception:  # noqa: BLE001  # the lane behind it must go on
            self._log.exception("session.giving_up_broke")
            await self._drop(case.claim)

    async def _drop(self, claim: Claim) -> None:
        """Close an entry that nobody can be told about; it is kept among the dead letters."""
        self._metrics.silent(bot=bot_of(claim.bot))
        await self._store.commit(claim, Commit(letters=(unread(claim),)))

    async def _unreadable(self, claim: Claim, bot: Bot) -> None:
        """Keep an entry that cannot be read for the operator, and tell whoever can be told."""
        inbound = salvaged(claim.body) if claim.attempts <= _MOST_ATTEMPTS else None
        verdict = await bot.door.decide(inbound) if inbound is not None else None
        if inbound is None or verdict is None or not verdict.allowed or verdict.say:
            await self._store.commit(claim, Commit(letters=(unread(claim),)))
            return
        record = open_record(claim, inbound, bot=bot.name, salt=self._salt)
        record.language = bot.negotiated(
            inbound, chosen=await commands.chosen_language(self._store, bot, inbound)
        )
        with bound(bot=bot.name, conversation=claim.lane, turn=record.id):
            await self._closing.give_up(claim, bot, record, ValueError("the entry cannot be read"))

    def _envelope(self, claim: Claim) -> Envelope | None:
        try:
            return unseal(claim.body)
        except msgspec.MsgspecError as exc:
            self._log.error("session.entry_unreadable", entry=claim.entry, problem=redact(str(exc)))
            return None

    async def _record(self, claim: Claim, bot: Bot, inbound: Inbound) -> Record:
        """The record that an earlier attempt left, or a fresh one."""
        if claim.attempts > 1:
            known = await self._store.turn(turn_id(claim.entry))
            try:
                if known is not None:
                    return read(known)
            except msgspec.MsgspecError as exc:
                self._log.error("session.record_unreadable", entry=claim.entry, problem=redact(str(exc)))
        return open_record(claim, inbound, bot=bot.name, salt=self._salt)

    async def _go(self, case: _Case) -> None:
        if case.envelope.telling is not None:
            await self._tell(case, case.envelope.telling)
            return
        verdict = await case.bot.door.decide(case.inbound)
        case.record.language = case.bot.negotiated(
            case.inbound, chosen=await commands.chosen_language(self._store, case.bot, case.inbound)
        )
        if not verdict.allowed or verdict.say:
            await self._closing.at_the_door(case.claim, case.bot, case.record, verdict)
            return
        await tell_at_contact(self._store, case.bot, case.claim)
        if case.envelope.refused:
            completion = TurnCompletion(case.envelope.refused, site="session.queue", source="control")
            await self._end(case, completion)
        elif case.inbound.kind == "edit":
            await self._closing.silently(case.claim, case.bot, case.record, why="edited")
        elif case.inbound.kind == "action":
            await self._press(case, case.inbound.action)
        elif case.inbound.kind == "command":
            await self._command(case)
        else:
            await self._message(case)

    async def _tell(self, case: _Case, telling: Telling) -> None:
        """Say a line of ours to somebody who asked nothing."""
        person = case.inbound.sender
        chosen = await commands.chosen_language(self._store, case.bot, case.inbound) if person.id else ""
        case.record.language = case.bot.negotiated(case.inbound, chosen=chosen)
        case.record.parent, case.record.how, case.record.heard = telling.turn, "told", telling.heard
        told = commands.Told(
            telling.line,
            telling.values,
            retry=telling.turn,
            acted=telling.acted,
            ref=telling.ref,
            answers=case.inbound.message_id if telling.turn else "",
        )
        await self._closing.notice(case.claim, case.bot, case.record, told)

    async def _end(self, case: _Case, completion: TurnCompletion, *when: str) -> None:
        """End a turn that no agent is asked about."""
        await self._closing.ended(
            case.claim, case.bot, case.record, Ending("", completion), origin=Origin(), when=when
        )

    async def _command(self, case: _Case) -> None:
        waits = case.claim.lane == conversation_lane(case.claim.lane)
        if case.inbound.command in ("continue", "retry") and waits:
            kind: ActionKind = "continue" if case.inbound.command == "continue" else "retry"
            token = await offers.open_word(self._store, case.claim.lane, kind, entry=case.claim.entry)
            await self._press(case, token)
            return
        told = await commands.run(self._asked(case))
        if told is None:
            await self._message(case)
        else:
            await self._closing.notice(case.claim, case.bot, case.record, told)

    def _asked(self, case: _Case) -> commands.Asked:
        return commands.Asked(
            case.inbound,
            case.claim.entry,
            case.bot,
            self._store,
            self._running,
            case.claim.lane,
            case.record.language,
            self._salt,
        )

    async def _message(self, case: _Case) -> None:
        if case.inbound.kind == "message" and await self._is_stopped(case):
            await self._end(case, TurnCompletion("cancelled", site="session.stop", source="control"))
            return
        kind = typed(case.inbound.text, case.record.language)
        if kind == "stop":
            kind = None
        if kind is not None and (case.inbound.place.private or case.inbound.reply_to):
            token = await offers.open_word(self._store, case.claim.lane, kind, entry=case.claim.entry)
            if token:
                await self._press(case, token)
                return
        await self._run(case, Origin())

    async def _is_stopped(self, case: _Case) -> bool:
        """Take what belongs to the message into it; whether somebody stopped it meanwhile."""
        person = case.inbound.sender.id
        with self._running.form(case.claim.lane, person) as forming:
            await self._gathering.gather(case.claim, case.bot, case.record, forming)
        by = forming.stopped_by
        if by is not None and by.id != person:
            case.record.stopped_by = by.name or by.id
        return by is not None

    async def _press(self, case: _Case, token: str) -> None:
        """A button, or a word that stands for one."""
        if token.startswith(STOP):
            await self._stop(case, token.removeprefix(STOP))
            return
        person = case.inbound.sender.id
        if await self._is_early(case, token):
            return
        redeemed = await offers.redeem(self._store, token, person=person, entry=case.claim.entry)
        if redeemed.state != "taken" or redeemed.offer is None:
            line = "not_your_button" if redeemed.state == "foreign" else "button_expired"
            await self._closing.notice(case.claim, case.bot, case.record, commands.Told(line))
            return
        await self._disarm(case)
        if redeemed.kind == "retry" and redeemed.offer.acted:
            await self._closing.ask_first(case.claim, case.bot, case.record, parent=redeemed.offer.turn)
        elif redeemed.kind == "new":
            await self._closing.notice(case.claim, case.bot, case.record, commands.NEW_CHAT)
        elif redeemed.kind == "dismiss":
            await self._closing.silently(case.claim, case.bot, case.record, why="dismissed")
        else:
            await self._resume(case, redeemed)

    async def _stop(self, case: _Case, turn: str) -> None:
        """A press on a button that stops one turn."""
        told = await commands.stop(self._asked(case), turn=turn)
        if not told.line:
            await self._closing.answer_press(case.bot, case.inbound)
        await self._closing.notice(case.claim, case.bot, case.record, told)

    async def _is_early(self, case: _Case, token: str) -> bool:
        """Answer a retry that comes long before it makes sense; it stays on offer."""
        wait = await offers.wait(self._store, token) - self._clock.time()
        if wait <= _LONG_WAIT:
            return False
        told = commands.Told("", text=_again_in(case.bot, wait, case.record.language))
        await self._closing.notice(case.claim, case.bot, case.record, told)
        return True

    async def _disarm(self, case: _Case) -> None:
        """Take the buttons off the message that was answered; they would be answered with a refusal."""
        if not case.inbound.press or not case.inbound.message_id:
            return
        try:
            async with asyncio.timeout(_DISARM):
                await case.bot.adapter.disarm(case.inbound.place, case.inbound.message_id)
        except Exception as exc:  # noqa: BLE001  # buttons left standing disturb nothing else
            self._log.debug("session.buttons_left", problem=type(exc).__name__)

    async def _resume(self, case: _Case, redeemed: offers.Redeemed) -> None:
        offer = redeemed.offer
        parent = await self._store.turn(offer.turn) if offer is not None else None
        if parent is None:
            await self._closing.notice(case.claim, case.bot, case.record, commands.Told("button_expired"))
            return
        how = "continue" if redeemed.kind == "continue" else "retry"
        case.record.parent, case.record.how = parent.id, how
        due = redeemed.offer.due if redeemed.offer is not None and how == "retry" else 0.0
        if due <= self._clock.time():
            await self._closing.answer_press(case.bot, case.inbound)
        await self._run(case, Origin(how, read(parent), due))

    async def _run(self, case: _Case, origin: Origin) -> None:
        again = restart.after_crash(case.claim, case.bot, case.record, most=_MOST_ATTEMPTS)
        if again is not None:
            poisoned = again.completion.reason == "error"
            await self._closing.ended(
                case.claim, case.bot, case.record, again, origin=origin, poisoned=poisoned
            )
            return
        again_counted = case.claim.attempts > 1
        try:
            async with self._allowance.turn(case.bot, case.inbound.sender.id, again=again_counted):
                await self._runner.run(
                    case.claim, case.bot, case.record, origin, overheard=case.envelope.overheard
                )
        except Refused as refused:
            await self._end(case, refused.completion, *(("bot",) if refused.whole else ()))


def _again_in(bot: Bot, wait: float, language: str) -> str:
    """The note that a retry comes too early, with what is left of the wait."""
    return bot.notebook.render("crowded.wait", "⏳", language, wait=bot.notebook.wait(wait, language))
