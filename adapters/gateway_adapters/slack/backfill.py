"""What was said while nobody listened, read from the history of places where the bot was spoken to before."""

from __future__ import annotations

import asyncio

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, DeadTarget, RateLimited, StoreError
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.errors import MissingScope
from gateway_adapters.slack.reception import Reception
from gateway_adapters.slack.shapes import MALFORMED, items, mapping, maybe, moment, stamp
from gateway_adapters.slack.threads import Threads

__all__ = ["Backfill"]

_AGE = 86_400.0 - 600.0  # seconds; repeated messages are known for a day
_PLACES, _MESSAGES, _PAGE = 40, 200, 100
_WAIT = 90.0  # seconds that Slack may ask to wait; for longer a place is left out
_TRIES, _AGAIN = 3, 20.0  # of a place, and of all together; seconds between them


class Backfill:
    """Reads up on what came between; once after each time that nothing was heard."""

    def __init__(self, api: Api, context: AdapterContext, reception: Reception, threads: Threads) -> None:
        self._api = api
        self._context = context
        self._reception = reception
        self._threads = threads
        self._wanted = asyncio.Event()

    def want(self) -> None:
        """Read up soon."""
        self._wanted.set()

    async def run(self) -> None:
        """Read up whenever that is wanted, until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            for _ in range(_TRIES):
                if await self._has_read_up():
                    break
                await self._context.clock.sleep(_AGAIN)

    async def _has_read_up(self) -> bool:
        """Read up; whether there is nothing left to try."""
        try:
            await self._read_up()
        except MissingScope as exc:
            self._context.log.warning("adapter.history_unreadable", problem=str(exc))
        except (AdapterError, StoreError) as exc:
            self._context.log.warning("adapter.history_unread", problem=str(exc))
            return False
        return True

    async def _read_up(self) -> None:
        since = self._context.clock.time() - _AGE
        for channel, ts in await self._threads.channels(limit=_PLACES):
            await self._place(channel, _later(ts, since))
        # Now, since a message that was just read may have begun one.
        for channel, thread, ts in await self._threads.threads(limit=_PLACES):
            await self._place(channel, _later(ts, since), thread=thread)

    async def _place(self, channel: str, ts: str, *, thread: str = "") -> None:
        """Everything after a message, in a channel or in one of its threads."""
        for _ in range(_TRIES):
            try:
                found = await self._after(channel, ts, thread)
            except DeadTarget:
                return
            except RateLimited as exc:
                if exc.retry_after > _WAIT:
                    raise
                wait = exc.retry_after
            else:
                if found:
                    await self._reception.catch_up(channel, found, thread=thread)
                    self._context.log.info("adapter.history_read", messages=len(found))
                return
            await self._context.clock.sleep(wait)

    async def _after(self, channel: str, ts: str, thread: str) -> list[object]:
        """The messages after a timestamp, oldest first; of a thread without its root."""
        method = "conversations.replies" if thread else "conversations.history"
        params = {"channel": channel, "oldest": ts, "limit": str(_PAGE)} | ({"ts": thread} if thread else {})
        found: dict[str, object] = {}
        cursor = ""
        while len(found) < _MESSAGES:
            told = await self._api.read(method, params | ({"cursor": cursor} if cursor else {}))
            try:
                for one in items(told.get("messages")):
                    at = stamp(mapping(one).get("ts"))
                    if moment(at) > moment(ts) and at != thread:
                        found[at] = one
                cursor = str(maybe(told.get("response_metadata")).get("next_cursor") or "")
            except MALFORMED:
                cursor = ""
            if not cursor:
                break
        return [found[at] for at in sorted(found, key=moment)]


def _later(ts: str, since: float) -> str:
    """The later of how far a place was read and how far back is looked."""
    return ts if moment(ts) > since else f"{since:.6f}"
