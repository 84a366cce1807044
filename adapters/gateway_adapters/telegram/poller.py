"""Receive updates: commit a batch, then confirm it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import cast

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, Conflict, RateLimited, StoreError, Unauthorised, Uncertain
from gateway.messages import Event
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.errors import ODD
from gateway_adapters.telegram.inbound import ALLOWED, Me, migration, read_update

__all__ = ["Poller"]

_FIRST, _CEILING = 1.0, 30.0  # seconds of backoff
_DEAF_AFTER = 30.0  # seconds without an answer before the bot is called deaf


class Poller:
    """Long polls for one bot until cancelled."""

    def __init__(self, api: Api, context: AdapterContext) -> None:
        self._api = api
        self._context = context
        self._failures = 0
        self._well_at = context.clock.monotonic()

    async def run(self) -> None:
        """Receive until cancelled.

        Raises:
            Unauthorised: The token is wrong.
        """
        self._context.report("connecting")
        try:
            me = await self._introduced()
            offset: int | None = None
            while True:
                offset = await self._round(me, offset)
        finally:
            self._context.report("stopped")

    async def _introduced(self) -> Me:
        """Who we are; also makes sure that no webhook swallows the updates, and that none is dropped."""
        while True:
            try:
                me = _me(await self._api.call("getMe"))
                await self._api.call("deleteWebhook", {"drop_pending_updates": False})
            except Unauthorised:
                raise
            except AdapterError as exc:
                await self._failed(exc)
            else:
                self._well()
                return me

    async def _round(self, me: Me, offset: int | None) -> int | None:
        """One poll; the offset of the next.

        Ids may start anew after a quiet week, lower than before (Bot API, `Update`, read 2026-11). So once a
        poll has confirmed what came and brings nothing new, the next one asks without an offset: what is
        left is unconfirmed, whatever its ids.
        """
        try:
            updates = await self._api.updates(offset, allowed=ALLOWED)
            after = await self._accepted(updates, me) if updates else None
        except Unauthorised:
            raise
        except (AdapterError, StoreError) as exc:
            await self._failed(exc)
            return offset
        self._well()
        return after

    async def _accepted(self, updates: Sequence[object], me: Me) -> int:
        """Commit a batch; the offset that confirms it."""
        for old, new in filter(None, map(migration, updates)):
            self._context.log.info("adapter.chat_moved", chat=old, to=new)
        await self._context.accept([_event(update, me) for update in updates])
        ids = [number for update in updates if (number := _id(update)) is not None]
        if not ids:
            raise Uncertain(ODD, status="no update_id")
        return max(ids) + 1

    def _well(self) -> None:
        self._failures = 0
        self._well_at = self._context.clock.monotonic()
        self._context.report("up")

    async def _failed(self, exc: AdapterError | StoreError) -> None:
        """Tell, and wait; updates stay with Telegram for a day."""
        self._failures += 1
        if isinstance(exc, Conflict):
            self._context.report("conflict", str(exc))
        elif self._context.clock.monotonic() - self._well_at > _DEAF_AFTER:
            store = isinstance(exc, StoreError)
            what = "messages cannot be kept" if store else "Telegram does not answer"
            self._context.report("deaf", f"{what} ({exc}); trying on")
        self._context.log.warning("adapter.poll_failed", problem=str(exc), failures=self._failures)
        wait = exc.retry_after if isinstance(exc, RateLimited) else self._backoff()
        await self._context.clock.sleep(wait)

    def _backoff(self) -> float:
        """Seconds before the next try: growing, capped, spread."""
        grown = _FIRST * 1.5 ** min(self._failures - 1, 20)
        return min(grown * random.uniform(0.8, 1.2), _CEILING)  # noqa: S311  # spread, no secret


def _me(user: object) -> Me:
    try:
        told = cast("dict[str, object]", user)
        return Me(int(str(told["id"])), str(told.get("username") or ""))
    except (AttributeError, LookupError, TypeError, ValueError):
        raise Uncertain(ODD, status="getMe") from None


def _event(update: object, me: Me) -> Event:
    # The standard library writes whatever it read: lone halves of characters, numbers of any size.
    return read_update(update, json.dumps(update, separators=(",", ":")).encode(), me)


def _id(update: object) -> int | None:
    number = cast("dict[str, object]", update).get("update_id") if isinstance(update, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
