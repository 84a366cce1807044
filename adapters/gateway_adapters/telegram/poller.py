"""Receive by long polls: commit a batch, then confirm it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast
from urllib.parse import urlsplit

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, Conflict, StoreError, Unauthorised, Uncertain
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.errors import ODD
from gateway_adapters.telegram.inbound import ALLOWED
from gateway_adapters.telegram.moves import Moves
from gateway_adapters.telegram.reception import Reception, introduced
from gateway_adapters.telegram.standing import Standing

__all__ = ["Poller"]


class Poller:
    """Long polls for one bot until cancelled."""

    def __init__(self, api: Api, context: AdapterContext, moves: Moves) -> None:
        self._api = api
        self._context = context
        self._moves = moves
        self._standing = Standing(context)

    async def run(self) -> None:
        """Receive until cancelled.

        Raises:
            Unauthorised: The token is wrong.
        """
        reception = await self._standing.insist(self._begun)
        self._standing.well()
        offset: int | None = None
        while True:
            offset = await self._round(reception, offset)

    async def _begun(self) -> Reception:
        """Make sure that no webhook swallows the updates, and that none is dropped."""
        me = await introduced(self._api)
        await self._api.call("deleteWebhook", {"drop_pending_updates": False})
        await self._moves.load(self._context)
        return Reception(self._context, self._moves, me)

    async def _round(self, reception: Reception, offset: int | None) -> int | None:
        """One poll; the offset of the next.

        Ids may start anew after a quiet week, lower than before (Bot API, `Update`, read 2026-11). So once a
        poll has confirmed what came and brings nothing new, the next one asks without an offset: what is
        left is unconfirmed, whatever its ids.
        """
        try:
            updates = await self._api.updates(offset, allowed=ALLOWED)
            after = await self._accepted(reception, updates) if updates else None
        except Unauthorised:
            raise
        except (AdapterError, StoreError) as exc:
            wait = self._standing.ill(await self._named(exc))
            await self._context.clock.sleep(wait)
            return offset
        self._standing.well()
        return after

    async def _accepted(self, reception: Reception, updates: Sequence[object]) -> int:
        """Commit a batch; the offset that confirms it."""
        # The standard library writes whatever it read: lone halves of characters, numbers of any size.
        raw = [(update, json.dumps(update, separators=(",", ":")).encode()) for update in updates]
        await reception.take(raw)
        ids = [number for update in updates if (number := _id(update)) is not None]
        if not ids:
            raise Uncertain(ODD, status="no update_id")
        return max(ids) + 1

    async def _named(self, exc: AdapterError | StoreError) -> AdapterError | StoreError:
        """A conflict with the host of the webhook that causes it, where one does."""
        if not isinstance(exc, Conflict):
            return exc
        try:
            hook: object = await self._api.call("getWebhookInfo")
            host = urlsplit(str(cast("dict[str, object]", hook)["url"])).hostname
        except (AdapterError, LookupError, TypeError, ValueError):
            return exc
        if not host:
            return exc
        return Conflict(
            f"a webhook at {host} receives for this token: stop what set it (restarting this bot removes it),"
            " or revoke the token at BotFather"
        )


def _id(update: object) -> int | None:
    number = cast("dict[str, object]", update).get("update_id") if isinstance(update, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
