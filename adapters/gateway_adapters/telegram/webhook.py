"""Receive by a webhook: tell Telegram the address, and look now and then whether it gets through."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import cast
from urllib.parse import quote, urlsplit

from gateway.abc.adapter import AdapterContext
from gateway.errors import Rejected, StoreError, Uncertain
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.endpoint import Endpoint
from gateway_adapters.telegram.errors import ODD
from gateway_adapters.telegram.inbound import ALLOWED
from gateway_adapters.telegram.moves import Moves
from gateway_adapters.telegram.reception import Reception, introduced
from gateway_adapters.telegram.standing import Standing

__all__ = ["Webhook", "path_of"]

_KEY = "webhook/secret"
_CONNECTIONS = 40  # posts at once, of which those of one chat come one after the other
_EVERY = 60.0  # seconds between two looks
_WATCH = 1.0  # seconds between two looks at whether it is this process that speaks to Telegram
_NEEDED = (
    "receive: webhook needs the https address that this server is reached by from outside; set public_url to"
    " it, or receive: polling"
)
_FRESH = 600.0  # seconds that Telegram's last error says something about now


def path_of(bot: str) -> str:
    """Where a bot's updates are posted; Telegram proves itself by a header, so nothing in it is secret."""
    return f"/telegram/{bot}"


class Webhook:
    """One bot's webhook until cancelled."""

    def __init__(
        self, api: Api, context: AdapterContext, moves: Moves, endpoint: Endpoint, secret: str
    ) -> None:
        self._api = api
        self._context = context
        self._moves = moves
        self._endpoint = endpoint
        self._secret = secret
        self._url = f"{context.public_url}{quote(endpoint.path)}"
        self._standing = Standing(context)
        self._heard = 0

    async def run(self) -> None:
        """Receive until cancelled.

        Raises:
            Unauthorised: The token is wrong.
        """
        if not self._context.public_url.startswith("https://"):
            await self._misconfigured()
        try:
            reception = await self._standing.insist(self._begun)
            self._endpoint.open(self._secret, reception, self._standing)
            while True:
                await self._lead()
                self._standing.well()
                while self._context.leads and await self._rested():
                    await self._standing.insist(self._look)
        finally:
            self._endpoint.close()

    async def _lead(self) -> None:
        """Tell Telegram the address once that is ours to do; until then what comes is taken all the same."""
        if not self._context.leads:
            self._standing.well()
        while not self._context.leads:
            await self._context.clock.sleep(_WATCH)
        await self._registered()

    async def _rested(self) -> bool:
        """Wait until it is time for a look; whether it is ours still."""
        until = self._context.clock.monotonic() + _EVERY
        while self._context.clock.monotonic() < until:
            await self._context.clock.sleep(_WATCH if self._context.shared else _EVERY)
            if not self._context.leads:
                return False
        return True

    async def _misconfigured(self) -> None:
        """Say what to set, and wait for a run with another configuration."""
        given = self._context.public_url
        self._context.report("misconfigured", f"public_url is {given!r}: {_NEEDED}" if given else _NEEDED)
        while True:
            await self._context.clock.sleep(3600.0)

    async def _begun(self) -> Reception:
        me = await introduced(self._api)
        await self._moves.load(self._context)
        if not self._secret:
            self._secret = await self._drawn()
        return Reception(self._context, self._moves, me)

    async def _drawn(self) -> str:
        """The secret that was drawn once for this bot, by the process that speaks for it."""
        kept = await self._context.recall(_KEY)
        while not kept and not self._context.leads:
            await self._context.clock.sleep(_WATCH)
            kept = await self._context.recall(_KEY)
        if not kept:
            await self._context.keep(_KEY, secrets.token_urlsafe(32).encode())
            kept = await self._context.recall(_KEY)
        if not kept:
            raise StoreError("the webhook's secret was not kept")
        return kept.decode()

    async def _registered(self) -> None:
        """Tell Telegram the address, until it takes it."""
        while not await self._standing.insist(self._told):
            await self._context.clock.sleep(_EVERY)

    async def _told(self) -> bool:
        """Whether Telegram takes the address; what waits there is never dropped."""
        params = {
            "url": self._url,
            "secret_token": self._secret,
            "allowed_updates": ALLOWED,
            "max_connections": _CONNECTIONS,
            "drop_pending_updates": False,
        }
        try:
            await self._api.call("setWebhook", params)
        except Rejected as exc:
            said = f"Telegram does not take {self._url}: {exc.status}; see public_url"
            self._context.report("misconfigured", said)
            return False
        return True

    async def _look(self) -> None:
        """Ask how Telegram fares with the address, and take it back when somebody else took it."""
        info: object = await self._api.call("getWebhookInfo")
        if not isinstance(info, dict):
            raise Uncertain(ODD, status="getWebhookInfo")
        told = cast("dict[str, object]", info)
        url = str(told.get("url", ""))
        if url != self._url:
            self._context.report("conflict", _rival(url))
            await self._told()
            return
        heard, self._heard = self._endpoint.heard - self._heard, self._endpoint.heard
        trouble = "" if heard else _trouble(told, since=self._context.clock.time() - _FRESH)
        if trouble:
            self._context.report("deaf", f"Telegram cannot deliver to {self._url}: {trouble}")
        elif not self._endpoint.failing:
            self._standing.well()


def _rival(url: str) -> str:
    """Who else uses the token; of an address the host alone, since the rest may be somebody's secret."""
    who = (
        f"a webhook at {urlsplit(url).hostname} was set for this token: stop what set it"
        if url
        else "this bot's webhook was removed, as another process that polls this token does: stop it"
    )
    return f"{who}, or revoke the token at BotFather; taking it back"


def _trouble(info: Mapping[str, object], *, since: float) -> str:
    """What keeps updates from coming in, as Telegram tells it; empty when nothing does."""
    waiting, at = info.get("pending_update_count"), info.get("last_error_date")
    if not (isinstance(waiting, int) and waiting and isinstance(at, int) and at > since):
        return ""
    return f"{str(info.get('last_error_message', ''))[:200]}; updates waiting: {waiting}"
