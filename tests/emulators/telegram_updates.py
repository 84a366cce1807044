"""The queue of updates as Telegram keeps it: a day, until confirmed, for one poller at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from itertools import islice
from typing import Any, cast

from tests.emulators.telegram_rules import Refused, number
from tests.emulators.wire import Json

_DAY = 86_400
_LONGEST = 50  # seconds a poll is held
_RIVAL = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_HOOKED = (
    "Conflict: can't use getUpdates method while webhook is active;"
    " use deleteWebhook to delete the webhook first"
)
_BY_DEFAULT_NOT = ("chat_member", "message_reaction", "message_reaction_count")


class Signal:
    """Wakes everybody who waits for a change."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def wake(self) -> None:
        """Something changed."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Until the next change, at most so long."""
        event = self._event
        try:
            async with asyncio.timeout(max(seconds, 0.0)):
                await event.wait()
        except TimeoutError:
            return


class Updates:
    """One bot's updates.

    Attributes:
        confirmed: How many the bot has confirmed.
        next_id: The id of the next one; a quiet week makes it anything.
        webhook: Where they go instead; empty for polling.
    """

    def __init__(self, signal: Signal) -> None:
        self.confirmed = 0
        self.next_id = 700_000_001
        self.webhook = ""
        self._signal = signal
        self._kept: list[tuple[float, int, Json]] = []  # when it came, what confirms it, itself
        self._allowed: list[str] = []
        self._polls = 0
        self._last: tuple[int, float, float] = (-1, 0.0, 0.0)  # offset, start and end of the last poll

    def __len__(self) -> int:
        return len(self._kept)

    def push(self, update: Any) -> int:
        """Keep an update; one that is no object is kept as it is. Its id.

        What a webhook does not want never waits for it.
        """
        given = self.next_id
        self.next_id += 1
        numbered = {"update_id": given, **cast("Json", update)} if isinstance(update, dict) else update
        if not self.webhook or self._is_allowed(numbered):
            self._kept.append((time.time(), _id(numbered), numbered))
        self._signal.wake()
        return given

    @property
    def ids(self) -> frozenset[int]:
        """The ids of what is not confirmed."""
        return frozenset(number_ for _, number_, _ in self._kept)

    @property
    def allowed(self) -> list[str]:
        """The kinds the bot asked for; empty for those Telegram gives by itself."""
        return self._allowed

    def hook(self, url: str, allowed: Any) -> None:
        """Set or remove the webhook; kinds that are not named stay as they were."""
        self.webhook = url
        if allowed is not None:
            self._allowed = list(allowed)
        self._signal.wake()

    def waiting(self) -> list[Json]:
        """What a webhook would get now, oldest first; only objects can be posted."""
        found: list[Any] = list(self._wanted(len(self._kept)))
        return [update for update in found if isinstance(update, dict)]

    def done(self, update: Json) -> None:
        """A webhook took an update."""
        before = len(self._kept)
        self._kept = [kept for kept in self._kept if kept[2] is not update]
        self.confirmed += before - len(self._kept)

    def clear(self) -> None:
        """Drop everything."""
        self._kept.clear()

    def age(self, seconds: float) -> None:
        """Make everything kept older."""
        self._kept = [(at - seconds, number_, update) for at, number_, update in self._kept]

    async def poll(self, params: Json, gone: Callable[[], bool]) -> list[Json]:
        """Confirm what is below the offset, then wait for more; a newer poll ends an older one."""
        if self.webhook:
            raise Refused(409, _HOOKED)
        self._polls += 1
        mine = self._polls
        self._signal.wake()
        offset, limit, seconds = self._terms(params)
        self._confirm(offset)
        if "allowed_updates" in params:
            self._allowed = list(params["allowed_updates"] or ())
        until = time.monotonic() + seconds
        found = self._wanted(limit)
        while not found and time.monotonic() < until and not gone():
            await self._signal.wait(min(until - time.monotonic(), 0.2))
            if self._polls != mine:
                raise Refused(409, _RIVAL)
            found = self._wanted(limit)
        self._last = (offset, self._last[1], time.monotonic())
        return found

    def _terms(self, params: Json) -> tuple[int, int, float]:
        """Offset, limit and seconds; asking the same again at once gets less of everything."""
        offset = number(params.get("offset"))
        limit = min(number(params.get("limit")) or 100, 100)
        seconds = min(float(params.get("timeout") or 0), _LONGEST)
        now = time.monotonic()
        before, started, ended = self._last
        if offset == before and now - started < 3.0:
            seconds = 3.0
            limit = 1 if now - ended < 0.5 else limit
        self._last = (offset, now, ended)
        return offset, limit, seconds

    def _confirm(self, offset: int) -> None:
        yesterday = time.time() - _DAY
        fresh = [kept for kept in self._kept if kept[0] > yesterday]
        left = [kept for kept in fresh if kept[1] >= offset] if offset else fresh
        self.confirmed += len(fresh) - len(left)
        self._kept = left

    def _wanted(self, limit: int) -> list[Json]:
        return list(islice((update for _, _, update in self._kept if self._is_allowed(update)), limit))

    def _is_allowed(self, update: Any) -> bool:
        if not isinstance(update, dict):
            return True
        kinds = set(cast("Json", update)) - {"update_id"}
        if self._allowed:
            return not kinds or bool(kinds & set(self._allowed))
        return not kinds or bool(kinds - set(_BY_DEFAULT_NOT))


def _id(update: Any) -> int:
    """What an update is confirmed by; one without stays below every offset."""
    given = cast("Json", update).get("update_id") if isinstance(update, dict) else None
    return given if isinstance(given, int) else -1
