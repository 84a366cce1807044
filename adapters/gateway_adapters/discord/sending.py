"""Everything a bot does in channels: in order, at the pace Discord takes, and known again if repeated."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from gateway.abc.clock import Clock
from gateway.errors import RateLimited, Rejected, Uncertain, Unreachable
from gateway.messages import Place, Receipt
from gateway_adapters.discord.api import Api, Reply
from gateway_adapters.discord.errors import BLOCKED, EVERYWHERE, ODD, UNKNOWN_MESSAGE
from gateway_adapters.discord.interactions import Interactions, time_left
from gateway_adapters.discord.limits import PACED, Limiter, Tier
from gateway_adapters.discord.lines import Lines
from gateway_adapters.discord.places import channel_of, interaction_of
from gateway_adapters.discord.render import preview
from gateway_adapters.discord.shapes import MALFORMED, mapping, snowflake

__all__ = ["Sending"]

_NONCE = 25  # characters
_POSTED_ONLY = ("message_reference",)  # what an edit takes not


class Sending:
    """One bot's way into channels."""

    def __init__(self, api: Api, limiter: Limiter, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._limiter = limiter
        self._lines = Lines()
        self._interactions: Interactions | None = None

    def answer_through(self, interactions: Interactions | None) -> None:
        """Let answers to commands take the place of "thinking", while the bot receives."""
        self._interactions = interactions

    async def send(self, place: Place, body: dict[str, Any], *, nonce: str, replaces: str) -> Receipt:
        """Send a message, or turn another into it; one sent again within minutes is the same message."""
        channel = channel_of(place)
        async with self._lines.turn(channel):
            shown = await self._edited(channel, replaces, body) if replaces else ""
            shown = shown or await self._filled(place, body)
            if not shown:
                await self._limiter.admitted(channel, "final")
                shown = await self._posted(channel, body, nonce=f"{place.chat}/{nonce}")
        return Receipt(shown, time.time())

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written, where there is room for that."""
        channel = channel_of(place)
        if self._limiter.admits(channel, "typing"):
            await self._paced(
                channel, "typing", lambda: self._api.call("POST", f"/channels/{channel}/typing")
            )

    async def preview(self, place: Place, text: str, *, turn: str, handle: str) -> str:
        """Show the answer as it stands; the id of the message that shows it."""
        channel, body = channel_of(place), preview(text)
        if not body or not self._lines.is_free(channel):
            return handle
        if not self._limiter.admits(channel, "edit" if handle else "final"):
            return handle
        async with self._lines.turn(channel):
            if handle:
                await self._patched(channel, handle, body)
                return handle
            shown = await self._filled(place, body)
            return shown or await self._posted(channel, body, nonce=f"{place.chat}/{turn}")

    async def retract(self, place: Place, message: str) -> None:
        """Remove a message; nothing where it is gone."""
        await self._on(place, message, lambda path: self._api.call("DELETE", path))

    async def disarm(self, place: Place, message: str) -> None:
        """Take the buttons off a message; nothing where there are none."""
        await self._on(place, message, lambda path: self._api.call("PATCH", path, {"components": []}))

    async def _on(self, place: Place, message: str, call: Callable[[str], Awaitable[Reply]]) -> None:
        channel = channel_of(place)
        if not message.isdecimal():
            return
        try:
            await self._limiter.admitted(channel, "edit")
            await self._paced(channel, "edit", lambda: call(f"/channels/{channel}/messages/{message}"))
        except Rejected as exc:
            if exc.status != UNKNOWN_MESSAGE:
                raise

    async def _edited(self, channel: str, message: str, body: dict[str, Any]) -> str:
        """The id of a message that was turned into another; empty where it is gone."""
        if not message.isdecimal():
            return ""
        await self._limiter.admitted(channel, "edit")
        try:
            await self._patched(channel, message, body)
        except Rejected as exc:
            if exc.status != UNKNOWN_MESSAGE:
                raise
            return ""
        except Uncertain as exc:
            # Edited twice is edited once: no person sees that it was tried again.
            raise Unreachable("Discord gave no clear answer to an edit", status=exc.status) from exc
        return message

    async def _patched(self, channel: str, message: str, body: dict[str, Any]) -> None:
        kept = {key: value for key, value in body.items() if key not in _POSTED_ONLY}
        path = f"/channels/{channel}/messages/{message}"
        await self._paced(channel, "edit", lambda: self._api.call("PATCH", path, kept))

    async def _filled(self, place: Place, body: dict[str, Any]) -> str:
        """The id of the message that answers a command; empty where none waits for it."""
        interaction = interaction_of(place)
        if not interaction.isdecimal() or time_left(interaction, self._clock) <= 0:
            return ""
        if self._interactions is None:
            raise Unreachable("what a command is answered by is not read yet", status="starting")
        kept = {key: value for key, value in body.items() if key not in _POSTED_ONLY}
        return await self._interactions.fill(interaction, kept)

    async def _posted(self, channel: str, body: dict[str, Any], *, nonce: str) -> str:
        """The id of a new message.

        The nonce is of what is said as well as of who asked for it: the same part again is one message, and
        another part that happens to bear its number is not taken for it.
        """
        told = f"{nonce}/{json.dumps(body, sort_keys=True)}".encode("utf-8", "replace")
        known = {"nonce": hashlib.sha256(told).hexdigest()[:_NONCE], "enforce_nonce": True}
        reply = await self._paced(
            channel,
            "final",
            lambda: self._api.call("POST", f"/channels/{channel}/messages", {**body, **known}),
        )
        try:
            return snowflake(mapping(reply.body)["id"])
        except MALFORMED:
            raise Uncertain(ODD, status="messages") from None

    async def _paced(self, channel: str, tier: Tier, call: Callable[[], Awaitable[Reply]]) -> Reply:
        try:
            reply = await call()
        except RateLimited as exc:
            if exc.status != PACED:
                everywhere = exc.status in (BLOCKED, EVERYWHERE)
                self._limiter.refused(channel, tier, exc.retry_after, everywhere=everywhere)
            raise
        self._limiter.hold(channel, tier, reply.rest)
        return reply
