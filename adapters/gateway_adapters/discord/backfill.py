"""Catch up on what was said while no session held it: the newest messages of channels the bot talks in."""

from __future__ import annotations

import json
from typing import Any, cast

from gateway.abc.adapter import AdapterContext
from gateway.errors import AdapterError, DeadTarget, RateLimited, Unauthorised
from gateway_adapters.discord.api import Api
from gateway_adapters.discord.marks import Mark, Marks
from gateway_adapters.discord.reception import Reception
from gateway_adapters.discord.shapes import MALFORMED, mapping, snowflake

__all__ = ["AGE", "Backfill"]

AGE = 24 * 3600.0
"""Seconds after which a message is too old to be answered."""

_CHANNELS = 100  # looked at
_PAGE, _PAGES = 100, 3  # messages in a page, pages of one channel
_PATIENCE = 10.0  # seconds waited for one that Discord slows down
_EPOCH = 1_420_070_400.0  # seconds


class Backfill:
    """Asks for what was missed, by the newest message that each channel was read to."""

    def __init__(self, api: Api, context: AdapterContext, marks: Marks, reception: Reception) -> None:
        self._api = api
        self._context = context
        self._marks = marks
        self._reception = reception

    async def run(self) -> None:
        """Catch up; a channel that does not answer is left for the next time.

        Raises:
            Unauthorised: The token is wrong.
            StoreError: A message could not be kept.
        """
        oldest = _id_at(self._context.clock.time() - AGE)
        for mark in self._marks.recent(since="0", limit=_CHANNELS):
            try:
                await self._channel(mark, oldest)
            except Unauthorised:
                raise
            except DeadTarget:
                await self._marks.forget(mark.channel)
            except AdapterError as exc:
                self._context.log.warning("adapter.backfill_failed", channel=mark.channel, problem=str(exc))
                if isinstance(exc, RateLimited):
                    await self._context.clock.sleep(min(exc.retry_after, _PATIENCE))

    async def _channel(self, mark: Mark, oldest: int) -> None:
        after = max(int(mark.last), oldest)
        for _ in range(_PAGES):
            page = await self._page(mark.channel, after)
            told = [_with_server(message, mark.guild) for message in page]
            await self._reception.catch_up(
                [(one, json.dumps(one).encode()) for one in told], guild=mark.guild
            )
            if len(page) < _PAGE:
                return
            after = int(page[-1]["id"])
        self._context.log.warning("adapter.backfill_cut", channel=mark.channel, messages=_PAGE * _PAGES)

    async def _page(self, channel: str, after: int) -> list[dict[str, Any]]:
        """The messages that follow one, oldest first."""
        query = {"after": str(after), "limit": str(_PAGE)}
        reply = await self._api.call("GET", f"/channels/{channel}/messages", query=query)
        if reply.rest:
            await self._context.clock.sleep(min(reply.rest, _PATIENCE))
        found = _list(reply.body)
        readable = [cast("dict[str, Any]", one) for one in found if _is_message(one)]
        return sorted(readable, key=lambda message: int(message["id"]))


def _list(body: object) -> list[object]:
    return cast("list[object]", body) if isinstance(body, list) else []


def _is_message(value: object) -> bool:
    try:
        return bool(snowflake(mapping(value)["id"]))
    except MALFORMED:
        return False


def _with_server(message: dict[str, Any], guild: str) -> dict[str, Any]:
    """The message with its server, which Discord leaves out where it is asked for."""
    return {**message, "guild_id": guild} if guild else message


def _id_at(when: float) -> int:
    """The id that something would have got at a time, unix seconds."""
    return max(0, int((when - _EPOCH) * 1000)) << 22
