"""Commands and presses: told within three seconds that they arrived, answered while Discord lets them be.

A command shows "thinking" until its answer takes that place. Whoever is answered later than a quarter of an
hour, or not at all, is answered in the channel, and "thinking" is taken away (receiving and responding,
followup messages, read 2026-11).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from gateway.abc.adapter import AdapterContext
from gateway.abc.clock import Clock
from gateway.errors import AdapterError, Rejected, StoreError
from gateway.messages import Inbound
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.errors import UNKNOWN_INTERACTION
from gateway_adapters.discord.library import InteractionResponseType
from gateway_adapters.discord.shapes import MALFORMED, mapping, moment, whole

__all__ = ["Interactions", "Spawn", "time_left"]

_LIFE = 14 * 60.0 + 30.0  # seconds that a token is used, of the 15 minutes that it is good for
_KEY = "interaction/"
_LOADING = 1 << 7  # flag of a message that shows "thinking"
_HIDDEN = 1 << 6  # flag of a message that only one person sees
_GREETED = 3.0  # seconds waited for the greeting, which Discord takes no longer
_TOAST = 2000  # characters
_PATIENCE = {"stop": 3.0, "continue": _LIFE, "retry": _LIFE}
_QUICK = 60.0  # seconds that any other command may take to be answered

Spawn = Callable[[Coroutine[Any, Any, None]], object]


def time_left(identity: str, clock: Clock) -> float:
    """Seconds for which an interaction may still be answered; its age stands in its id."""
    return moment(identity) + _LIFE - clock.time()


@dataclass(slots=True)
class _Open:
    """An interaction that may still be answered.

    Attributes:
        greeted: Set once Discord was told that it arrived, or could not be told.
        filled: Whether its answer was shown.
    """

    token: str
    greeted: asyncio.Event = field(default_factory=asyncio.Event)
    filled: bool = False


class Interactions:
    """One bot's commands and presses.

    Args:
        application: The id of the bot's application.
        spawn: Runs something beside receiving, while that runs.
    """

    def __init__(self, api: Api, context: AdapterContext, application: str, spawn: Spawn) -> None:
        self._api = api
        self._context = context
        self._application = application
        self._spawn = spawn
        self._open: dict[str, _Open] = {}

    def greet(self, inbound: Inbound, handle: str) -> None:
        """Tell Discord that a command or press arrived, beside everything else."""
        identity, _, token = handle.partition(":")
        self._open[identity] = _Open(token)
        self._spawn(self._greeted(identity, token, inbound))

    async def resume(self) -> None:
        """Take over the commands that were not answered when the last process ended.

        Raises:
            StoreError: They could not be read.
        """
        for key, value in await self._context.scan(_KEY):
            identity = key.removeprefix(_KEY)
            try:
                told = mapping(json.loads(value))
                token, command = whole(told["token"]), whole(told["command"])
                left = self._left(identity)
            except MALFORMED:
                continue
            if token and left > 0 and identity not in self._open:
                self._open[identity] = one = _Open(token)
                one.greeted.set()
                self._spawn(self._tidied(identity, command))

    async def fill(self, identity: str, body: dict[str, Any]) -> str:
        """Show the answer in place of "thinking".

        An answer that stands there already, sent by a process that ended before it could note that, is the
        same answer.

        Args:
            identity: The interaction's id.
            body: A message, JSON-ready.

        Returns:
            The id of the message; empty where nothing waits for an answer any more.

        Raises:
            AdapterError: It could not be shown.
        """
        one = self._open.get(identity)
        if one is None or one.filled or self._left(identity) <= 0:
            return ""
        try:
            async with asyncio.timeout(_GREETED):
                await one.greeted.wait()
            shown = mapping((await self._api.call("GET", self._original(one))).body)
            if not int(shown.get("flags") or 0) & _LOADING:
                one.filled = True
                same = whole(shown.get("content")).strip() == whole(body.get("content")).strip()
                return str(shown["id"]) if same else ""
            shown = mapping((await self._api.call("PATCH", self._original(one), body)).body)
            one.filled = True
            return str(shown["id"])
        except Rejected as exc:
            if exc.status not in UNKNOWN_INTERACTION:
                raise
        except (TimeoutError, *MALFORMED):
            pass
        return ""

    async def tell(self, press: str, text: str) -> None:
        """Tell somebody who pressed a button something that nobody else sees.

        Raises:
            AdapterError: It could not be told.
        """
        identity, _, token = press.partition(":")
        one = self._open.get(identity)
        if one is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_GREETED):
                    await one.greeted.wait()
        body: dict[str, Any] = {"content": text[:_TOAST], "flags": _HIDDEN, "allowed_mentions": {"parse": []}}
        await self._api.call("POST", f"/webhooks/{self._application}/{token}", body)

    async def _greeted(self, identity: str, token: str, inbound: Inbound) -> None:
        is_command = inbound.kind == "command"
        kind = (
            InteractionResponseType.deferred_channel_message
            if is_command
            else InteractionResponseType.deferred_message_update
        )
        one = self._open[identity]
        try:
            if is_command:
                await self._keep(identity, token, inbound.command)
            await self._api.call("POST", f"/interactions/{identity}/{token}/callback", {"type": kind.value})
        except (AdapterError, StoreError) as exc:
            self._context.log.warning("adapter.greeting_failed", kind=inbound.kind, problem=str(exc))
        finally:
            one.greeted.set()
        if is_command:
            await self._tidied(identity, inbound.command)
        else:
            del self._open[identity]

    async def _keep(self, identity: str, token: str, command: str) -> None:
        value = json.dumps({"token": token, "command": command}).encode()
        await self._context.keep(_KEY + identity, value, ttl=_LIFE)

    async def _tidied(self, identity: str, command: str) -> None:
        """Wait for the answer as long as it may take, and take "thinking" away where none came."""
        await self._context.clock.sleep(max(0.0, min(_PATIENCE.get(command, _QUICK), self._left(identity))))
        one = self._open.pop(identity)
        if one.filled:
            return
        try:
            shown = mapping((await self._api.call("GET", self._original(one))).body)
            if int(shown.get("flags") or 0) & _LOADING:
                await self._api.call("DELETE", self._original(one))
        except (AdapterError, *MALFORMED):
            return

    def _left(self, identity: str) -> float:
        return time_left(identity, self._context.clock)

    def _original(self, one: _Open) -> str:
        return f"/webhooks/{self._application}/{one.token}/messages/@original"
