"""Everything a bot does in chats: at the pace that Telegram takes, and where the chat is now."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, cast

from gateway.errors import Moved, RateLimited, Rejected, Uncertain, Unreachable
from gateway.messages import Place, Receipt
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.errors import UNCHANGED
from gateway_adapters.telegram.limits import PACED, Limiter, Tier
from gateway_adapters.telegram.moves import Moves
from gateway_adapters.telegram.previews import Previews

__all__ = ["Sending"]

T = TypeVar("T")

_LOST = ("message to edit not found", "message can't be edited", "message_id_invalid")
_DELETED = ("message to delete not found", "message_id_invalid")
_NO_TOPIC = ("message thread not found", "topic_deleted", "topic_closed")
_NO_REPLY = ("message to be replied not found", "replied message not found")
_MOVES = 3  # ids that one call follows a chat through


class Sending:
    """One bot's way into chats.

    Message ids count within a chat, so one that is kept across a move says where it counts: `ID@CHAT`.
    """

    def __init__(self, api: Api, limiter: Limiter, moves: Moves) -> None:
        self._api = api
        self._limiter = limiter
        self._moves = moves
        self._previews = Previews(api, limiter)

    async def send(self, place: Place, params: dict[str, Any], *, replaces: str) -> Receipt:
        """Send a message, or turn a preview into it.

        A topic or a replied message that is gone does not take the answer with it.
        """

        async def there(chat: str) -> Receipt:
            await self._limiter.admitted(chat)
            with self._previews.quiet(chat):
                message = await self._sent(chat, place, params, _number(replaces, place, chat))
            return Receipt(_id(message) or replaces, time.time())

        return await self._where(place, "final", there)

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written, where there is room for that."""

        async def there(chat: str) -> None:
            if self._limiter.admits(chat, "typing", counted=False):
                await self._api.show("sendChatAction", {**_target(chat, place), "action": "typing"})

        await self._where(place, "typing", there)

    async def preview(self, place: Place, text: str, *, turn: str, handle: str) -> str:
        """Show the answer as it stands; the handle of the message that shows it, empty for a draft."""

        async def there(chat: str) -> str:
            target = _target(chat, place)
            if place.private:
                await self._previews.draft(target, text, turn=turn)
                return ""
            before = _number(handle, place, chat)
            shown = await self._previews.message(target, text, shown_in=before)
            if shown is None or shown == before:
                return handle
            return f"{shown}" if chat == place.chat else f"{shown}@{chat}"

        return await self._where(place, "preview", there)

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a message; nothing where it is gone."""
        await self._on(place, handle, "deleteMessage", _DELETED)

    async def disarm(self, place: Place, message: str) -> None:
        """Take the buttons off a message; nothing where there are none."""
        await self._on(place, message, "editMessageReplyMarkup", (UNCHANGED, *_LOST))

    async def _on(self, place: Place, message: str, method: str, done: Sequence[str]) -> None:
        async def there(chat: str) -> None:
            number = _number(message, place, chat)
            if number is not None:
                await self._api.call(method, {"chat_id": chat, "message_id": number})

        try:
            await self._where(place, "preview", there)
        except Rejected as exc:
            if not _says(exc, done):
                raise

    async def _where(self, place: Place, tier: Tier, call: Callable[[str], Awaitable[T]]) -> T:
        """Do something in a chat under the id it has now, and again under one that Telegram names."""
        chat = self._moves.target(place.chat)
        for _ in range(_MOVES):
            try:
                return await self._paced(chat, tier, call)
            except Moved as exc:
                await self._moves.follow(chat, exc.chat)
            chat = self._moves.target(place.chat)
        return await self._paced(chat, tier, call)

    async def _paced(self, chat: str, tier: Tier, call: Callable[[str], Awaitable[T]]) -> T:
        try:
            return await call(chat)
        except RateLimited as exc:
            if exc.status != PACED:
                self._limiter.refused(chat, exc.retry_after, tier)
            raise

    async def _sent(self, chat: str, place: Place, params: dict[str, Any], replaces: int | None) -> object:
        if replaces is not None:
            try:
                return await self._edited(chat, params, replaces)
            except Rejected as exc:
                if not _says(exc, _LOST):
                    raise
        whole = {**params, **_target(chat, place)}
        if chat != place.chat:
            whole.pop("reply_parameters", None)  # the number of the message is another's there
        try:
            return await self._api.call("sendMessage", whole)
        except Rejected as exc:
            lesser = _lesser(exc, place, whole)
            if lesser is None:
                raise
            return await self._api.call("sendMessage", lesser)

    async def _edited(self, chat: str, params: dict[str, Any], replaces: int) -> object:
        kept = {key: value for key, value in params.items() if key != "reply_parameters"}
        try:
            return await self._api.call("editMessageText", {**kept, "chat_id": chat, "message_id": replaces})
        except Rejected as exc:
            if _says(exc, (UNCHANGED,)):
                return None
            raise
        except Uncertain as exc:
            # Edited twice is edited once: no person sees that it was tried again.
            raise Unreachable("Telegram gave no clear answer to an edit", status=exc.status) from exc


def _target(chat: str, place: Place) -> dict[str, Any]:
    target: dict[str, Any] = {"chat_id": chat}
    if place.thread:
        target["message_thread_id"] = int(place.thread)
    return target


def _number(message: str, place: Place, chat: str) -> int | None:
    """The id of a message in a chat as it is now; `None` for one that counted in another, or is none."""
    number, _, home = message.partition("@")
    return int(number) if number.isdecimal() and (home or place.chat) == chat else None


def _id(message: object) -> str:
    """The id of a message that was sent; empty when the answer holds none."""
    return str(cast("dict[str, object]", message).get("message_id", "")) if isinstance(message, dict) else ""


def _says(exc: Rejected, words: Sequence[str]) -> bool:
    told = exc.status.lower()
    return any(word in told for word in words)


def _lesser(exc: Rejected, place: Place, params: dict[str, Any]) -> dict[str, Any] | None:
    """The same message without the topic or the reply that is gone; `None` when that is not the matter."""
    gone = "message_thread_id" if place.thread and _says(exc, _NO_TOPIC) else ""
    if not gone and "reply_parameters" in params and _says(exc, _NO_REPLY):
        gone = "reply_parameters"
    return {key: value for key, value in params.items() if key != gone} if gone else None
