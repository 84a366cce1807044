"""Run one turn: history in, agent, ending out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from gateway.abc.agent import File, PastLine, TurnRequest, TurnResult
from gateway.abc.clock import Clock
from gateway.abc.store import Claim, Line, Store
from gateway.completion.model import TurnCompletion
from gateway.delivery import UNKNOWN, Presence
from gateway.messages import Inbound
from gateway.session.border import received
from gateway.session.bots import Bot, Seat
from gateway.session.closing import Closing
from gateway.session.ending import Ending, conclude
from gateway.session.envelope import Overheard
from gateway.session.files import Unreadable, check_readable, fetch
from gateway.session.gathering import Gathering
from gateway.session.history import Kept, past
from gateway.session.origin import Origin
from gateway.session.record import Attempt, Record, Remedied, row
from gateway.session.resetting import is_over
from gateway.session.running import Running, RunningTurns
from gateway.session.signs import Signs
from gateway.session.supervision import Nursery, Outcome

__all__ = ["TurnRunner"]

_LOOK = 0.2  # seconds between two looks at whether a turn that waits was stopped
_BEFORE = 16  # turns looked back at; of those before, none waits whose successors' answers stand


@dataclass(frozen=True, slots=True)
class _Course:
    """One run of a turn."""

    claim: Claim
    bot: Bot
    record: Record
    origin: Origin
    seat: Seat
    running: Running


class TurnRunner:
    """Runs agents for turns and hands their endings to be committed."""

    def __init__(
        self,
        store: Store,
        closing: Closing,
        *,
        clock: Clock,
        running: RunningTurns,
        nursery: Nursery,
        gathering: Gathering,
        signs: Signs | None,
    ) -> None:
        self._gathering = gathering
        self._signs = signs
        self._store = store
        self._closing = closing
        self._clock = clock
        self._running = running
        self._nursery = nursery

    async def run(
        self,
        claim: Claim,
        bot: Bot,
        record: Record,
        origin: Origin,
        *,
        overheard: Sequence[Overheard] = (),
    ) -> None:
        """Run the turn and commit how it ended."""
        seat = bot.seat(record.inbound.place)
        record.agent = seat.name
        record.attempts.append(Attempt(number=claim.attempts, at=self._clock.time()))
        running = self._open(claim, bot, record, seat)
        self._running.add(running)
        try:
            await self._answer(_Course(claim, bot, record, origin, seat, running), overheard)
        finally:
            self._running.remove(running)

    def _open(self, claim: Claim, bot: Bot, record: Record, seat: Seat) -> Running:
        async def commit_action(name: str) -> None:
            record.actions.append(name)
            record.partial = running.text
            await self._store.record(claim, row(record))

        async def take_newer() -> tuple[str, ...]:
            record.partial = running.text
            return await self._gathering.take(claim, bot, record)

        running = Running(
            turn=record.id,
            lane=claim.lane,
            person=record.inbound.sender.id,
            clock=self._clock,
            deadlines=seat.deadlines,
            commit_action=commit_action,
            take_newer=take_newer if bot.mid_turn == "steer" else None,
        )
        running.start()
        return running

    async def _answer(self, course: _Course, overheard: Sequence[Overheard]) -> None:
        claim, bot, record, running = course.claim, course.bot, course.record, course.running
        try:
            files = await self._files(course)
        except Unreadable as exc:
            await self._unread(course, exc)
            return
        lines = await self._store.history(claim.lane, limit=bot.history) if bot.history else ()
        quiet = bool(lines) and is_over(bot.reset, lines[-1].at, self._clock.time())
        fresh = quiet and not course.origin.how  # whoever goes on with an answer means its conversation
        request = self._request(course, () if fresh else lines, overheard, files)
        await self._hold(course)
        presence = self._presence(claim, bot, record, running)
        presence.start()
        watched = self._signs.runs(bot, record.inbound, running) if self._signs is not None else None
        try:
            outcome = await self._nursery.run(course.seat.agent, request, running)
            running.committed = True  # from here on nothing may change the ending, whatever takes long
        finally:
            if watched is not None:
                watched()
            record.preview = await presence.stop()
        ending, result = _concluded(running, outcome)
        self._write_down(course)
        alone = ending.completion.reason == "context_overflow" and not request.history
        await self._closing.ended(
            claim,
            bot,
            record,
            ending,
            origin=course.origin,
            when=("message",) if alone else (),
            kept=Kept(result.data, result.summary),
            usage=dict(result.usage),
            fresh=fresh,
        )

    async def _files(self, course: _Course) -> tuple[File, ...]:
        """What stands beside the text that is asked about.

        Raises:
            Unreadable: The agent cannot be given all of the message.
        """
        asked = _asked(course)
        accepts: Collection[str] = getattr(course.seat.agent, "accepts", frozenset())
        check_readable(asked, accepts=accepts, limit=course.bot.largest_file)
        return await fetch(course.bot, asked) if asked.attachments else ()

    async def _unread(self, course: _Course, why: Unreadable) -> None:
        """End a turn whose message no agent can be given."""
        completion = TurnCompletion("input_unreadable", site="session.unreadable", source="control")
        await self._closing.ended(
            course.claim,
            course.bot,
            course.record,
            Ending("", completion),
            origin=course.origin,
            when=(why.word,),
            limit=why.limit,
        )

    def _write_down(self, course: _Course) -> None:
        """Put on the record what happened on the way."""
        record, running = course.record, course.running
        record.remedies = [
            Remedied(kind=one.kind, after=one.after, waited=round(one.waited, 3), detail=one.detail)
            for one in running.remedies
        ]
        by = running.stopped_by
        if by is not None and by.id != record.inbound.sender.id:
            record.stopped_by = by.name or by.id

    async def _hold(self, course: _Course) -> None:
        """Wait until a retry makes sense, in front of the person and for as long as nobody stops it."""
        wait = course.origin.due - self._clock.time()
        if wait <= 0:
            return
        record, bot = course.record, course.bot
        text = bot.notebook.line(
            "retry.waits", record.language, wait=bot.notebook.wait(wait, record.language)
        )
        await self._closing.say(bot, record, text)
        while wait > 0 and course.running.decided is None:
            await self._clock.sleep(min(wait, _LOOK))
            wait = course.origin.due - self._clock.time()
        course.running.start()

    def _request(
        self,
        course: _Course,
        lines: Sequence[Line],
        overheard: Sequence[Overheard],
        files: tuple[File, ...],
    ) -> TurnRequest:
        record, origin = course.record, course.origin
        parent = origin.parent if origin.how == "retry" else None
        said = _asked(course).text or record.inbound.text
        again = parent.asked if parent is not None else ""
        before = record.asked if len(record.attempts) > 1 else ""  # with what was taken in meanwhile
        named = _named(files)
        record.asked = before or again or said or named or origin.how
        record.resumes = parent.resumes if parent is not None else origin.how == "continue"
        return TurnRequest(
            turn=record.id,
            conversation=course.claim.lane,
            text="" if files and record.asked == named and not said else record.asked,
            person=record.inbound.sender,
            history=past(lines, without=parent.id if parent is not None else ""),
            resume=record.resumes,
            language=record.language,
            instructions=course.seat.instructions,
            files=files,
            overheard=tuple(PastLine("user", one.text, speaker=one.speaker) for one in overheard),
        )

    def _presence(self, claim: Claim, bot: Bot, record: Record, running: Running) -> Presence:
        async def save(handle: str) -> None:
            record.preview, record.partial = handle, running.text
            await self._store.record(claim, row(record))

        async def clear() -> bool:
            before = await self._store.turns(lane=claim.lane, limit=_BEFORE)
            return not any(turn.state == "finished" for turn in before)

        return Presence(
            bot.adapter,
            record.inbound.place,
            turn=record.id,
            text=lambda: running.text,
            save=save,
            clear=clear,
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


def _asked(course: _Course) -> Inbound:
    """The message that is asked about: one's own, or the one that is tried again."""
    parent = course.origin.parent if course.origin.how == "retry" else None
    return parent.inbound if parent is not None else course.record.inbound


def _named(files: Sequence[File]) -> str:
    """What stands in the history for files without a word."""
    return " ".join(f"[{file.name or file.kind}]" for file in files)
