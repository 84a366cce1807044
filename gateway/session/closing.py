"""Commit how things ended: record, history, buttons and the answer, all or nothing."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from gateway.abc.clock import Clock
from gateway.abc.store import Claim, Commit, Fact, Letter, Store
from gateway.access import Verdict
from gateway.completion.model import TurnCompletion
from gateway.delivery import UNKNOWN, Mail, fold
from gateway.errors import LeaseLost, StoreError
from gateway.messages import Action, Answer, Inbound, Note
from gateway.notes import Circumstances, Decision, decide
from gateway.observability import Metrics, get_logger, redact
from gateway.session import offers
from gateway.session.alerts import Alerts
from gateway.session.bots import Bot
from gateway.session.commands import Told
from gateway.session.ending import Ending, readable
from gateway.session.history import NOTHING_KEPT, Kept, lines_of
from gateway.session.lanes import conversation_lane
from gateway.session.origin import Origin
from gateway.session.poison import unread
from gateway.session.record import Record, row

__all__ = ["Closing"]

_PRESS = 5.0  # seconds the answer to a press may take
_COMMIT_AGAIN = (0.1, 0.5)  # seconds between tries to write a finished turn
_TRACE_LIMIT = 32_000  # characters of a traceback that are looked at; masking a huge one takes seconds
_PROBLEM_LIMIT = 6_000  # characters of a masked traceback kept for operators
_RESUMABLE = frozenset({"max_steps", "length_truncated", "aborted", "suspended"})


class Closing:
    """Writes endings; everything that leaves the session leaves through here."""

    def __init__(self, store: Store, *, clock: Clock, metrics: Metrics, alerts: Alerts | None = None) -> None:
        self._alerts = alerts
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._began = clock.time()  # nobody was at work here before
        self._log = get_logger("session")

    async def ended(
        self,
        claim: Claim,
        bot: Bot,
        record: Record,
        ending: Ending,
        *,
        origin: Origin,
        kept: Kept = NOTHING_KEPT,
        usage: dict[str, int] | None = None,
        when: Sequence[str] = (),
        limit: str = "",
        fresh: bool = False,
        poisoned: bool = False,
    ) -> None:
        """Commit a turn's ending, with its note when there is one.

        `when` holds circumstance words of the registry that only the caller knows, `limit` the greatest size
        of a file in words; `fresh` says that the conversation began anew with this turn, `poisoned` that the
        entry is kept among the dead letters, because it breaks what handles it.
        """
        ending = _with_actions(ending, record)
        decision = await self._decided(bot, record, ending, when, limit)
        self._write_down(record, ending, decision, usage or {})
        now = self._clock.time()
        actions, facts = offers.make(
            record.id,
            person=record.inbound.sender.id,
            lane=claim.lane,
            kinds=decision.actions if bot.adapter.features.buttons else (),
            acted=bool(record.actions),
            due=now + (ending.completion.retry_after or 0.0),
            label=lambda kind: bot.notebook.label(kind, record.language),
        )
        text = ending.text if readable(ending.text) else ""
        answer = Answer(text, decision.note, actions, reply_to=_answered(record.inbound))
        resumable = "continue" in decision.actions or ending.completion.reason in _RESUMABLE
        commit = Commit(
            history=lines_of(record, ending, kept=kept, resumable=resumable, at=now),
            forget=_forgotten(origin),
            clear=fresh,
            letters=(unread(claim),) if poisoned else (),
            facts=facts,
        )
        newer = "a newer message carries the outcome" if ending.completion.reason == "superseded" else ""
        await self._commit(claim, record, answer, commit, why=newer)
        self._report(bot, record, ending)

    async def _decided(
        self, bot: Bot, record: Record, ending: Ending, when: Sequence[str], limit: str
    ) -> Decision:
        """What to tell of an ending; the note of a turn that somebody else stopped says who did."""
        reason = ending.completion.reason
        told = self._alerts is not None and await self._alerts.ended(
            bot.name, record.agent, reason, record.ref
        )
        around = self._circumstances(bot, record, ending, (*when, "told") if told else when)
        decision = decide(ending.completion, replace(around, limit=limit), bot.notes, bot.notebook)
        if not record.stopped_by or decision.note is None or decision.group != "cancelled":
            return decision
        text = bot.notebook.line("stop.by", record.language, name=record.stopped_by)
        return replace(decision, note=replace(decision.note, text=text))

    async def notice(self, claim: Claim, bot: Bot, record: Record, told: Told) -> None:
        """Answer a command or a press with a line of ours."""
        text = told.text
        if told.line:
            text = bot.notebook.line(told.line, record.language, **told.values)
        self._mark(record, "completed", "session.command")
        if not text:
            record.noted = f"suppressed_by:{told.why}" if told.why.startswith("access.") else "clean"
        if told.retry:  # what offers a button must be a message
            await self.answer_press(bot, record.inbound)
        toasted = bool(text) and not told.retry and await self.answer_press(bot, record.inbound, text)
        actions, offered = self._offered(claim, bot, record, told)
        note = replace(self._note(bot, record, text), reference=_reference(bot, record, told.ref))
        answer = (
            Answer(note=note, actions=actions, reply_to=told.answers) if text and not toasted else Answer()
        )
        why = "answered on the button itself" if toasted else told.why
        facts = (*told.facts, *offered, *((offers.close_word(claim.lane),) if told.clear else ()))
        await self._commit(claim, record, answer, Commit(clear=told.clear, facts=facts), why=why)

    def _offered(
        self, claim: Claim, bot: Bot, record: Record, told: Told
    ) -> tuple[tuple[Action, ...], tuple[Fact, ...]]:
        """A button that runs what was not answered after all."""
        if not told.retry or not bot.adapter.features.buttons:
            return (), ()
        return offers.make(
            told.retry,
            person=record.inbound.sender.id,
            lane=conversation_lane(claim.lane),
            kinds=("retry",),
            acted=told.acted,
            label=lambda kind: bot.notebook.label(kind, record.language),
        )

    async def at_the_door(self, claim: Claim, bot: Bot, record: Record, verdict: Verdict) -> None:
        """Answer somebody who is not let in, or who has just been."""
        if not verdict.say:
            await self.answer_press(bot, record.inbound)
        values = {"code": verdict.code} if verdict.code else {}
        line = _DOOR_LINES.get(verdict.say, "")
        await self.notice(claim, bot, record, Told(line, values, why=f"access.{verdict.rule}"))

    async def silently(self, claim: Claim, bot: Bot, record: Record, *, why: str) -> None:
        """End an entry that needs no answer."""
        await self.answer_press(bot, record.inbound)
        await self.notice(claim, bot, record, Told("", why=why))

    async def ask_first(self, claim: Claim, bot: Bot, record: Record, *, parent: str) -> None:
        """Ask before a retry that may repeat actions."""
        await self.answer_press(bot, record.inbound)
        self._mark(record, "completed", "session.confirm")
        actions, facts = offers.make(
            parent,
            person=record.inbound.sender.id,
            lane=claim.lane,
            kinds=("confirm_retry", "dismiss"),
            acted=False,
            label=lambda kind: bot.notebook.label(kind, record.language),
        )
        text = bot.notebook.line("effects", record.language)
        answer = Answer(note=self._note(bot, record, text), actions=actions)
        await self._commit(claim, record, answer, Commit(facts=facts))

    async def give_up(self, claim: Claim, bot: Bot, record: Record, problem: BaseException) -> None:
        """End an entry that breaks whatever handles it, as an error the person is told of."""
        ending = Ending(record.partial, TurnCompletion("error", site="session.poison"), problem)
        await self.ended(claim, bot, record, ending, origin=Origin(), poisoned=True)

    async def say(self, bot: Bot, record: Record, text: str) -> None:
        """Say something on the way, on the pressed button where there is one; nothing depends on it."""
        if await self.answer_press(bot, record.inbound, text):
            return
        answer = Answer(note=self._note(bot, record, text))
        try:
            async with asyncio.timeout(_PRESS):
                for part in bot.adapter.render(answer, key=f"{record.id}.aside"):
                    await bot.adapter.send(record.inbound.place, part)
        except Exception as exc:  # noqa: BLE001  # an aside that is lost loses nothing
            self._log.warning("session.aside_lost", problem=type(exc).__name__)

    async def answer_press(self, bot: Bot, inbound: Inbound, text: str = "") -> bool:
        """Let the platform stop showing a press as pending; whether it took the answer."""
        if not inbound.press:
            return False
        try:
            async with asyncio.timeout(_PRESS):
                await bot.adapter.answer_press(inbound, text)
        except Exception as exc:  # noqa: BLE001  # a press left pending disturbs nothing else
            self._log.warning("session.press_unanswered", problem=type(exc).__name__)
            return False
        return True

    def _circumstances(self, bot: Bot, record: Record, ending: Ending, when: Sequence[str]) -> Circumstances:
        shown = readable(ending.text)
        return Circumstances(
            partial=shown,
            visible=shown,
            addressed=record.inbound.addressed,
            resumable=shown or bool(record.actions),
            language=record.language or bot.fallback,
            ref=record.ref,
            wait=ending.completion.retry_after,
            told="told" in when,
            when=frozenset(when),
        )

    def _write_down(self, record: Record, ending: Ending, decision: Decision, usage: dict[str, int]) -> None:
        record.completion = ending.completion.to_dict()
        record.completion["token"] = ending.completion.token
        record.noted, record.group = decision.noted, decision.group
        record.note = decision.note.text if decision.note is not None else ""
        record.offered = list(decision.actions)
        record.usage = usage
        record.partial = ending.text
        if ending.problem is not None:
            record.problem = _traced(ending.problem)
        if record.attempts:
            record.attempts[-1].ended = self._clock.time()
            record.attempts[-1].code = ending.completion.code

    def _mark(self, record: Record, reason: str, site: str) -> None:
        record.completion = TurnCompletion(reason, site=site, source="control").to_dict()
        record.noted = "yes"

    def _note(self, bot: Bot, record: Record, text: str) -> Note:
        return Note(text, "notice", record.language, bot.notebook.direction(record.language))

    async def _commit(
        self, claim: Claim, record: Record, answer: Answer, commit: Commit, *, why: str = ""
    ) -> None:
        now = self._clock.time()
        record.finished = now
        letters: tuple[Letter, ...] = ()
        if answer.text or answer.note is not None:
            record.state = "finished"
            letters = (self._letter(claim, record, answer, now),)
        else:
            record.state = "suppressed"
            record.suppressed = why or _key_of(record.noted)
        if record.state == "suppressed" and not record.suppressed:
            self._metrics.silent(bot=record.bot)
            self._log.error("turn.ended_silently", ref=record.ref)
        await self._written(claim, replace(commit, turn=row(record), letters=(*letters, *commit.letters)))

    async def _written(self, claim: Claim, commit: Commit) -> None:
        """Commit, and try again for a moment when the store stumbles: a finished answer is worth the wait."""
        for delay in _COMMIT_AGAIN:
            try:
                await self._store.commit(claim, commit)
            except LeaseLost:
                raise
            except StoreError as exc:
                self._log.warning("session.commit_failed", problem=str(exc), delay=delay)
                await self._clock.sleep(delay)
            else:
                return
        await self._store.commit(claim, commit)

    def _letter(self, claim: Claim, record: Record, answer: Answer, now: float) -> Letter:
        lost = record.preview == UNKNOWN
        mail = Mail(
            record.inbound.place,
            answer,
            "" if lost else record.preview,
            orphan=lost,
            heard=record.heard,
            since=_waited_since(record, now=now, began=self._began),
        )
        return Letter(record.id, claim.bot, claim.lane, record.id, fold(mail), now)

    def _report(self, bot: Bot, record: Record, ending: Ending) -> None:
        completion = ending.completion
        seconds = record.finished - record.at
        self._metrics.turn(bot=bot.name, platform=bot.platform, reason=completion.reason, seconds=seconds)
        level: Literal["info", "error"] = "error" if completion.reason == "error" else "info"
        getattr(self._log, level)(
            "turn.finished",
            reason=completion.reason,
            code=completion.code,
            ref=record.ref,
            noted=record.noted,
            seconds=round(seconds, 3),
            attempts=len(record.attempts),
            remedies=[remedy.kind for remedy in record.remedies],
            **{"gen_ai.response.finish_reasons": [completion.token] if completion.token else []},
        )
        if record.noted == "unclassified":
            self._metrics.unclassified(bot=bot.name)
            self._log.error("turn.unclassified", ref=record.ref)


_DOOR_LINES = {"denied": "access_denied", "pairing": "pairing", "paired": "paired"}


def _forgotten(origin: Origin) -> tuple[str, ...]:
    """The turn whose lines a retry replaces."""
    return (origin.parent.id,) if origin.how == "retry" and origin.parent is not None else ()


def _waited_since(record: Record, *, now: float, began: float) -> float:
    """From when an answer is owed, the time left out in which somebody was at work on it; 0 for other words.

    What counts is the way from the person to here, as both clocks tell it, and a gateway that was not up.
    """
    if record.inbound.kind not in ("message", "action") or not record.heard or record.how == "told":
        return 0.0
    said = record.inbound.at if record.inbound.kind == "message" else 0.0
    on_its_way = max(record.at - said, 0.0) if said else 0.0
    return now - on_its_way - max(began - record.at, 0.0)


def _reference(bot: Bot, record: Record, ref: str) -> str:
    """The line with the reference of a turn that a notice speaks of; empty where it is not wanted."""
    if not ref or bot.notes.reference == "never":
        return ""
    return bot.notebook.reference(ref, record.language)


def _key_of(noted: str) -> str:
    """The configuration key that a note was suppressed by; empty for none."""
    return noted.removeprefix("suppressed_by:") if noted.startswith("suppressed_by:") else ""


def _with_actions(ending: Ending, record: Record) -> Ending:
    if not record.actions or ending.completion.actions_ran is not None:
        return ending
    return replace(ending, completion=replace(ending.completion, actions_ran=True))


def _traced(problem: BaseException) -> str:
    """The end of a traceback, secrets masked; the type's name where the exception cannot be shown."""
    try:
        text = "".join(traceback.format_exception(problem))
    except Exception:  # noqa: BLE001  # an exception's own parts may break its formatting
        return type(problem).__name__
    if len(text) > _TRACE_LIMIT:
        text = text[-_TRACE_LIMIT:].partition("\n")[2] or type(problem).__name__
    masked = redact(text)
    return (
        masked
        if len(masked) <= _PROBLEM_LIMIT
        else masked[-_PROBLEM_LIMIT:].partition("\n")[2] or masked[-80:]
    )


def _answered(inbound: Inbound) -> str:
    """The message that an answer points to: one of a group, where others speak too."""
    return inbound.message_id if inbound.kind == "message" and not inbound.place.private else ""
