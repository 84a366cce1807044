"""Send the parts of one letter, in order, each exactly once as far as the platform allows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import msgspec

from gateway.abc.store import LetterClaim, PartRow, Store
from gateway.delivery.letters import Mail, decode_part, encode_part, encode_receipt
from gateway.delivery.outlet import Outlet
from gateway.errors import (
    AdapterError,
    DeadTarget,
    Moved,
    RateLimited,
    Rejected,
    Uncertain,
    Unreachable,
)
from gateway.messages import Answer, Note, Part, Place, Receipt
from gateway.observability import get_logger

__all__ = ["Posting", "Result", "plan_parts"]

_log = get_logger("delivery")
_RESENDS = 3  # sends of one part whose result was never learnt
_SEND = 60.0  # seconds one send may take before its result counts as unknown


@dataclass(frozen=True, slots=True)
class Result:
    """How far a posting came.

    Attributes:
        state: `delivered`, `again` (try later), `undeliverable`, or `dropped` (what is kept cannot be read).
        delay: Seconds to wait where it is `again`; 0 leaves the choice to the caller's backoff.
        changes: Part changes that are not written yet.
        duplicate: Whether the person may have got a part twice.
        skipped: Parts that the platform refused even plain.
        status: The platform's last word, for the record.
        alarm: Whether the fault is the bot's own (credentials), not this letter's.
        gone: Whether nobody can be told anything there.
    """

    state: str
    delay: float = 0.0
    changes: tuple[tuple[int, PartRow], ...] = ()
    duplicate: bool = False
    skipped: int = 0
    status: str = ""
    alarm: bool = False
    gone: bool = False


def plan_parts(outlet: Outlet, mail: Mail, *, key: str) -> tuple[PartRow, ...]:
    """The rendered parts of a letter, the first one already marked as being sent.

    An answer whose Markdown breaks the renderer, or renders to nothing, goes as plain text: it is owed in any
    case. Empty when that comes to nothing either.
    """
    answers = (mail.answer, replace(mail.answer, plain=True))
    parts = next((parts for answer in answers if (parts := _rendered(outlet, answer, key))), ())
    return tuple(
        PartRow("sending" if index == 0 else "pending", encode_part(part)) for index, part in enumerate(parts)
    )


def _rendered(outlet: Outlet, answer: Answer, key: str) -> tuple[Part, ...]:
    try:
        return outlet.adapter.render(answer, key=key)
    except Exception:  # noqa: BLE001  # a renderer's defect must not hold the letters behind this one
        _log.exception("delivery.render_broke", letter=key)
        return ()


class Posting:
    """One claimed letter on its way to the platform.

    Args:
        fresh: Whether its parts were planned just now.
        twice: Gives what tells that a part may be seen twice; `None` to say nothing.
    """

    def __init__(
        self,
        store: Store,
        outlet: Outlet,
        claim: LetterClaim,
        mail: Mail,
        *,
        fresh: bool,
        twice: Callable[[], Awaitable[Note | None]],
    ) -> None:
        self._store = store
        self._outlet = outlet
        self._claim = claim
        self._answer = mail.answer
        self._twice = twice
        self._repeats = False  # this very send may be the second of its part
        self._place = mail.place
        self._preview = mail.preview
        self._rows = list(claim.parts)
        self._fresh = fresh  # planned just now: the mark on the first part is this very attempt's
        self._changes: dict[int, PartRow] = {}
        self._duplicate = mail.orphan
        self._skipped = sum(row.state == "skipped" for row in claim.parts)
        self._status = ""

    async def run(self) -> Result:
        """Send what is not sent yet."""
        for index, row in enumerate(self._rows):
            if row.state in ("sent", "skipped") or self._too_often(index, row):
                continue
            if row.state not in ("pending", "sending"):  # of a later version: whether it was sent is unknown
                self._status = f"part {row.state}"
                return self._result("dropped")
            await self._mark(index, row)
            try:
                await self._send(index)
            except (AdapterError, TimeoutError) as exc:
                return self._stopped(index, exc)
            except msgspec.MsgspecError:
                self._status = "unreadable part"
                self._change(index, replace(self._rows[index], state="pending"))
                return self._result("dropped")
        shown = any(row.state == "sent" for row in self._rows)
        return self._result("delivered" if shown else "undeliverable")

    async def _mark(self, index: int, row: PartRow) -> None:
        """Make the start of a send durable before it, and see whether an earlier one may have worked."""
        first, self._fresh = self._fresh, False
        begun = row.state == "sending" and not first
        if begun and not _unknown(
            row
        ):  # its process died in it; what comes of this send changes nothing there
            self._rows[index] = replace(row, receipt=b"1")
        self._repeats = bool(begun or _unknown(row)) and not self._outlet.adapter.features.reconcile
        self._duplicate = self._duplicate or self._repeats
        if row.state == "sending":
            return
        self._change(index, replace(row, state="sending"))
        await self._store.advance(self._claim, tuple(self._changes.items()))
        self._changes.clear()

    def _too_often(self, index: int, row: PartRow) -> bool:
        """Whether a part is given up: sent again and again, it would fill a chat that may have it already."""
        if _unknown(row) < _RESENDS or self._outlet.adapter.features.reconcile:
            return False
        self._skipped += 1
        self._duplicate = True
        self._status = "unknown"
        self._change(index, PartRow("skipped", row.body, b"unknown"))
        return True

    async def _send(self, index: int) -> None:
        part = decode_part(self._rows[index])
        replaces = self._preview if index == 0 else ""
        if self._repeats and not replaces:  # an edit made twice shows nothing twice
            part = await self._marked(index, part)
        receipt: Receipt | None
        try:
            receipt = await self._attempt(part, replaces=replaces)
        except Rejected as exc:
            receipt = await self._plainly(index, part, exc, replaces=replaces)
        if receipt is not None:
            self._change(index, PartRow("sent", self._rows[index].body, encode_receipt(receipt)))

    async def _marked(self, index: int, part: Part) -> Part:
        """The part with a line before it that says it may be seen twice, or the line on its own first."""
        note = await self._twice()
        if note is None:
            return part
        key = self._claim.letter.id
        if index == 0:
            plain, led = await asyncio.to_thread(self._both, note, key)
            if plain and plain[0] == part and len(led) == len(plain):
                return led[0]
        with contextlib.suppress(AdapterError, TimeoutError):
            for line in _rendered(self._outlet, Answer(note=note), f"{key}.twice"):
                await self._timed(self._place, line, replaces="", plain=False)
        return part

    def _both(self, note: Note, key: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
        """The answer's parts as they were rendered, and with a line before them."""
        led = replace(self._answer, lead=note.text)
        return _rendered(self._outlet, self._answer, key), _rendered(self._outlet, led, key)

    async def _plainly(self, index: int, part: Part, refusal: Rejected, *, replaces: str) -> Receipt | None:
        """A refused part goes as plain text once, then is skipped and recorded."""
        try:
            if part.plain:
                return await self._attempt(part, replaces=replaces, plain=True)
        except Rejected as exc:
            refusal = exc
        self._skipped += 1
        self._status = refusal.status or "rejected"
        self._change(index, PartRow("skipped", self._rows[index].body, self._status.encode()))
        return None

    async def _attempt(self, part: Part, *, replaces: str, plain: bool = False) -> Receipt:
        try:
            return await self._timed(self._place, part, replaces=replaces, plain=plain)
        except Moved as exc:
            self._place = Place(exc.chat, self._place.thread, self._place.private)
            return await self._timed(self._place, part, replaces="", plain=plain)

    async def _timed(self, place: Place, part: Part, *, replaces: str, plain: bool) -> Receipt:
        try:
            async with asyncio.timeout(_SEND):
                return await self._outlet.adapter.send(place, part, replaces=replaces, plain=plain)
        except (AdapterError, TimeoutError):
            raise
        except Exception as exc:
            raise Uncertain(f"the adapter broke with {type(exc).__name__}", status="adapter") from exc

    def _stopped(self, index: int, exc: AdapterError | TimeoutError) -> Result:
        self._status = getattr(exc, "status", "") or type(exc).__name__
        row = self._rows[index]
        if isinstance(exc, DeadTarget):
            self._change(index, replace(row, state="pending"))
            return self._result("undeliverable", gone=True)
        if isinstance(exc, Uncertain | TimeoutError):
            self._change(index, replace(row, receipt=str(_unknown(row) + 1).encode()))
        else:
            self._change(index, replace(row, state="pending"))
        if isinstance(exc, RateLimited):
            return self._result("again", delay=exc.retry_after)
        return self._result("again", alarm=not isinstance(exc, Uncertain | Unreachable | TimeoutError))

    def _change(self, index: int, row: PartRow) -> None:
        self._rows[index] = row
        self._changes[index] = row

    def _result(self, state: str, *, delay: float = 0.0, alarm: bool = False, gone: bool = False) -> Result:
        return Result(
            state,
            delay=delay,
            changes=tuple(self._changes.items()),
            duplicate=self._duplicate,
            skipped=self._skipped,
            status=self._status,
            alarm=alarm,
            gone=gone,
        )


def _unknown(row: PartRow) -> int:
    """How many sends of an unsent part ended without a known result; kept where its receipt will stand."""
    return int(row.receipt) if row.state in ("pending", "sending") and row.receipt.isdigit() else 0
