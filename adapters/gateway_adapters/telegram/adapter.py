"""One Telegram bot: receive, send, show that work is going on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.errors import RateLimited, Rejected, Uncertain, Unreachable
from gateway.messages import Answer, Inbound, Part, Place, Receipt
from gateway_adapters.telegram.api import Api
from gateway_adapters.telegram.errors import ODD
from gateway_adapters.telegram.options import Options
from gateway_adapters.telegram.poller import Poller
from gateway_adapters.telegram.previews import Previews
from gateway_adapters.telegram.render import render

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["create"]

_FEATURES = Features(typing=True, preview="message", preview_interval=1.0, reconcile=False, buttons=True)
_TOAST = 200  # characters of the answer to a button press
_UNCHANGED = "message is not modified"
_LOST = ("message to edit not found", "message can't be edited", "message_id_invalid")
_DELETED = ("message to delete not found", "message_id_invalid")
_NO_TOPIC = ("message thread not found", "topic_deleted", "topic_closed")
_NO_REPLY = ("message to be replied not found", "replied message not found")


def create(options: Options, *, bot: str) -> Adapter:
    """The adapter of one Telegram bot."""
    return TelegramAdapter(options, bot=bot)


class TelegramAdapter:
    """See `Adapter`."""

    def __init__(self, options: Options, *, bot: str) -> None:
        self._bot = bot
        self._api = Api(options)
        self._previews = Previews(self._api)

    @property
    def features(self) -> Features:
        """Typing, growing text, buttons; no way to know a message again."""
        return _FEATURES

    async def run(self, context: AdapterContext) -> None:
        """Receive until cancelled; see `Adapter`."""
        await Poller(self._api, context).run()

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """Text with entities; see `render`."""
        return render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send a part; see `Adapter`.

        A topic or a replied message that is gone does not take the answer with it.
        """
        params = {**(part.plain if plain else part.body), **_target(place)}
        try:
            with self._previews.quiet(place):
                message = await self._sent(place, params, replaces)
        except RateLimited as exc:
            self._previews.pause(place, exc.retry_after)
            raise
        return Receipt(_id(message) or replaces, time.time())

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written; see `Adapter`."""
        await self._api.call("sendChatAction", {**_target(place), "action": "typing"})

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show the answer as it stands; see `Adapter`."""
        return await self._previews.show(place, text, turn=turn, handle=handle, target=_target(place))

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a preview; see `Adapter`."""
        try:
            await self._api.call("deleteMessage", {"chat_id": place.chat, "message_id": int(handle)})
        except Rejected as exc:
            if not _says(exc, _DELETED):
                raise

    async def disarm(self, place: Place, message_id: str) -> None:
        """Take the buttons off a message; nothing where there are none."""
        target = {"chat_id": place.chat, "message_id": int(message_id)}
        try:
            await self._api.call("editMessageReplyMarkup", target)
        except Rejected as exc:
            if not _says(exc, (_UNCHANGED, *_LOST)):
                raise

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Answer a press; see `Adapter`."""
        await self._api.call(
            "answerCallbackQuery", {"callback_query_id": inbound.press, "text": text[:_TOAST]}
        )

    def routes(self) -> Sequence[BaseRoute]:
        """None: updates are polled."""
        return ()

    async def probe(self) -> Mapping[str, str]:
        """Who the token says we are; see `Adapter`."""
        user: object = await self._api.call("getMe")
        if not isinstance(user, dict):
            raise Uncertain(ODD, status="getMe")
        told = cast("dict[str, object]", user)
        everything = told.get("can_read_all_group_messages")
        return {
            "name": f"@{told.get('username', '')}",
            "id": str(told.get("id", "")),
            "reads in groups": "all messages" if everything else "commands, mentions and replies",
        }

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def _sent(self, place: Place, params: dict[str, Any], replaces: str) -> object:
        if replaces:
            try:
                return await self._edited(params, replaces)
            except Rejected as exc:
                if not _says(exc, _LOST):
                    raise
        try:
            return await self._api.call("sendMessage", params)
        except Rejected as exc:
            lesser = _lesser(exc, place, params)
            if lesser is None:
                raise
            return await self._api.call("sendMessage", lesser)

    async def _edited(self, params: dict[str, Any], replaces: str) -> object:
        kept = {
            key: value
            for key, value in params.items()
            if key not in ("reply_parameters", "message_thread_id")
        }
        try:
            return await self._api.call("editMessageText", {**kept, "message_id": int(replaces)})
        except Rejected as exc:
            if _says(exc, (_UNCHANGED,)):
                return None
            raise
        except Uncertain as exc:
            # Edited twice is edited once: no person sees that it was tried again.
            raise Unreachable("Telegram gave no clear answer to an edit", status=exc.status) from exc


def _target(place: Place) -> dict[str, Any]:
    target: dict[str, Any] = {"chat_id": place.chat}
    if place.thread:
        target["message_thread_id"] = int(place.thread)
    return target


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
