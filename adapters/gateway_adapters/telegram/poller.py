"""Receive updates: commit a batch, then confirm it."""

from __future__ import annotations

import random
from typing import Any

import msgspec

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, Conflict, RateLimited, StoreError, Unauthorised
from gateway.messages import Event
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.inbound import ALLOWED, Me, read_update

__all__ = ["Poller"]

_FIRST, _CEILING = 1.0, 30.0  # seconds of backoff
_DEAF_AFTER = 30.0  # seconds without an answer before the bot is called deaf

_encode = msgspec.json.encode


class Poller:
    """Long polls for one bot until cancelled."""

    def __init__(self, api: Api, context: AdapterContext) -> None:
        self._api = api
        self._context = context
        self._failures = 0
        self._heard_at = context.clock.monotonic()

    async def run(self) -> None:
        """Receive until cancelled.

        Raises:
            Unauthorised: The token is wrong.
        """
        self._context.report("connecting")
        me = await self._introduced()
        offset: int | None = None
        while True:
            try:
                updates = await self._api.updates(offset, allowed=ALLOWED)
            except Unauthorised:
                raise
            except AdapterError as exc:
                await self._failed(exc)
                continue
            self._heard()
            if updates:
                offset = await self._accepted(updates, me, offset)

    async def _introduced(self) -> Me:
        """Who we are; also makes sure that no webhook swallows the updates, and that none is dropped."""
        while True:
            try:
                user = await self._api.call("getMe")
                await self._api.call("deleteWebhook", {"drop_pending_updates": False})
            except Unauthorised:
                raise
            except AdapterError as exc:
                await self._failed(exc)
            else:
                self._heard()
                return Me(int(user["id"]), str(user.get("username") or ""))

    async def _accepted(self, updates: list[dict[str, Any]], me: Me, offset: int | None) -> int | None:
        """Commit a batch; the offset that confirms it, or the old one when it was not kept."""
        try:
            await self._context.accept([_event(update, me) for update in updates])
        except StoreError as exc:
            self._context.log.warning("adapter.batch_not_kept", problem=str(exc), updates=len(updates))
            self._failures += 1
            await self._context.clock.sleep(self._backoff())
            return offset
        return 1 + max(int(update.get("update_id", -1)) for update in updates)

    def _heard(self) -> None:
        self._failures = 0
        self._heard_at = self._context.clock.monotonic()
        self._context.report("up")

    async def _failed(self, exc: AdapterError) -> None:
        self._failures += 1
        if isinstance(exc, Conflict):
            self._context.report(
                "conflict", "another process polls this token: stop it, or revoke the token at BotFather"
            )
        elif self._context.clock.monotonic() - self._heard_at > _DEAF_AFTER:
            self._context.report("deaf", f"Telegram does not answer ({exc}); trying on")
        self._context.log.warning("adapter.poll_failed", problem=str(exc), failures=self._failures)
        wait = exc.retry_after if isinstance(exc, RateLimited) else self._backoff()
        await self._context.clock.sleep(wait)

    def _backoff(self) -> float:
        """Seconds before the next try: doubling, capped, spread."""
        return min(_FIRST * 1.5 ** min(self._failures - 1, 20), _CEILING) * random.uniform(0.8, 1.2)  # noqa: S311  # spread


def _event(update: dict[str, Any], me: Me) -> Event:
    return read_update(update, _encode(update), me)
