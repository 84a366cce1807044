"""Growing text: drafts in private chats, an edited message elsewhere; never in a final's way."""

from __future__ import annotations

import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from gateway.errors import RateLimited, Rejected
from gateway.messages import Place
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.entities import unpinged
from gateway_adapters.telegram.errors import UNKNOWN_METHOD

__all__ = ["Previews"]

_LIMIT = 4000  # UTF-16 code units shown; the limit is 4096 and a preview is no place to split
_GROUP_EVERY = 3.0  # seconds between two edits in a group, which may get 20 messages a minute
_UNCHANGED = "message is not modified"


class Previews:
    """What is shown of unfinished answers."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._drafts = True
        self._until: dict[str, float] = {}
        self._sending: dict[str, int] = {}

    async def show(self, place: Place, text: str, *, turn: str, handle: str, target: dict[str, Any]) -> str:
        """Show the text; the handle of the message that shows it, empty for a draft."""
        shown = _shortened(text)
        if not shown or not self._may(place):
            return handle
        try:
            if place.private:
                await self._draft(shown, turn, target)
                return ""
            self._until[place.chat] = time.monotonic() + _GROUP_EVERY
            if handle:
                await self._edit(place, shown, handle)
                return handle
            message = await self._api.call(
                "sendMessage", {**target, "text": shown, "disable_notification": True}
            )
            return str(message["message_id"])
        except RateLimited as exc:
            self.pause(place, exc.retry_after)
            raise

    def pause(self, place: Place, seconds: float) -> None:
        """Show nothing in a chat for a while, so that the final gets through."""
        self._until[place.chat] = time.monotonic() + seconds

    @contextmanager
    def quiet(self, place: Place) -> Generator[None]:
        """Show nothing in a chat while a final is on its way."""
        self._sending[place.chat] = self._sending.get(place.chat, 0) + 1
        try:
            yield
        finally:
            self._sending[place.chat] -= 1
            if not self._sending[place.chat]:
                del self._sending[place.chat]

    def _may(self, place: Place) -> bool:
        if place.chat in self._sending or (place.private and not self._drafts):
            return False
        until = self._until.get(place.chat, 0.0)
        if until > time.monotonic():
            return False
        self._until.pop(place.chat, None)
        return True

    async def _draft(self, text: str, turn: str, target: dict[str, Any]) -> None:
        """An ephemeral preview that the final message follows; older servers have none."""
        draft = zlib.crc32(turn.encode()) >> 1 or 1  # of any size but 0; positive in every reading
        try:
            await self._api.call("sendMessageDraft", {**target, "draft_id": draft, "text": text})
        except Rejected as exc:
            if exc.status != UNKNOWN_METHOD:
                raise
            self._drafts = False

    async def _edit(self, place: Place, text: str, handle: str) -> None:
        params = {"chat_id": place.chat, "message_id": int(handle), "text": text}
        try:
            await self._api.call("editMessageText", params)
        except Rejected as exc:
            if _UNCHANGED not in exc.status.lower():
                raise


def _shortened(text: str) -> str:
    """The end of the text that fits, where it grows; begun with an ellipsis where something is left out.

    A preview in a group must not ping those whom the answer will not ping.
    """
    calm = unpinged(text.strip())
    units = calm.encode("utf-16-le", "surrogatepass")
    return f"{'…' if len(units) > _LIMIT * 2 else ''}{units[-_LIMIT * 2 :].decode('utf-16-le', 'ignore')}"
