"""Growing text: drafts in private chats, an edited message elsewhere; never in a final's way."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from gateway.errors import Rejected
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.entities import unpinged
from gateway_adapters.telegram.errors import UNCHANGED, UNKNOWN_METHOD
from gateway_adapters.telegram.limits import Limiter

__all__ = ["Previews"]

_LIMIT = 4000  # UTF-16 code units shown; the limit is 4096 and a preview is no place to split
_GROUP_EVERY = 3.0  # seconds between two edits in a group, which may get 20 messages a minute


class Previews:
    """What is shown of unfinished answers."""

    def __init__(self, api: Api, limiter: Limiter) -> None:
        self._api = api
        self._limiter = limiter
        self._drafts = True
        self._sending: dict[str, int] = {}

    async def draft(self, target: dict[str, Any], text: str, *, turn: str) -> None:
        """Show the text as an ephemeral preview that the final message follows; older servers have none."""
        chat, shown = str(target["chat_id"]), _shortened(text)
        if not shown or not self._drafts or chat in self._sending:
            return
        if not self._limiter.admits(chat, "preview", counted=False):
            return
        draft = zlib.crc32(turn.encode()) >> 1 or 1  # of any size but 0; positive in every reading
        try:
            await self._api.show("sendMessageDraft", {**target, "draft_id": draft, "text": shown})
        except Rejected as exc:
            if exc.status != UNKNOWN_METHOD:
                raise
            self._drafts = False

    async def message(self, target: dict[str, Any], text: str, *, shown_in: int | None) -> int | None:
        """Show the text as a message, edited where one is there; its id, if there is one now."""
        chat, shown = str(target["chat_id"]), _shortened(text)
        if not shown or chat in self._sending or not self._limiter.admits(chat, "preview"):
            return shown_in
        self._limiter.hold(chat, _GROUP_EVERY, "preview")
        if shown_in is None:
            message = await self._api.show(
                "sendMessage", {**target, "text": shown, "disable_notification": True}
            )
            return int(message["message_id"])
        params = {"chat_id": chat, "message_id": shown_in, "text": shown}
        try:
            await self._api.show("editMessageText", params)
        except Rejected as exc:
            if UNCHANGED not in exc.status.lower():
                raise
        return shown_in

    @contextmanager
    def quiet(self, chat: str) -> Generator[None]:
        """Show nothing in a chat while a final is on its way."""
        self._sending[chat] = self._sending.get(chat, 0) + 1
        try:
            yield
        finally:
            self._sending[chat] -= 1
            if not self._sending[chat]:
                del self._sending[chat]


def _shortened(text: str) -> str:
    """The end of the text that fits, where it grows; begun with an ellipsis where something is left out.

    A preview in a group must not ping those whom the answer will not ping.
    """
    end = text.strip()
    units = unpinged(end[-_LIMIT:]).encode("utf-16-le", "surrogatepass")
    cut = len(end) > _LIMIT or len(units) > _LIMIT * 2
    shown = units[-_LIMIT * 2 :].decode("utf-16-le", "ignore")
    return f"…{unpinged(shown)}" if cut else shown
