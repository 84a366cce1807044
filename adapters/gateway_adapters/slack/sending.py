"""Everything a bot does in channels: at the pace that Slack takes, and no message twice."""

from __future__ import annotations

import contextlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from gateway.abc.clock import Clock
from gateway.errors import AdapterError, RateLimited, Rejected, Uncertain, Unreachable
from gateway.messages import Inbound, Part, Place, Receipt
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.ledger import Ledger, marked
from gateway_adapters.slack.limits import PACED, Limiter, Tier
from gateway_adapters.slack.markup import escaped
from gateway_adapters.slack.previews import STREAM, Previews, timestamp
from gateway_adapters.slack.shapes import items, mapping, whole
from gateway_adapters.slack.threads import Threads

__all__ = ["Sending"]

T = TypeVar("T")

_LOST = frozenset(  # why a preview cannot become the answer
    {
        "cant_update_message",
        "edit_window_closed",
        "message_not_found",
        "msg_blocks_too_long",
        "msg_too_long",
        "streaming_state_conflict",
    }
)
_NO_THREAD = frozenset(
    {
        "cannot_reply_to_message",
        "invalid_thread_ts",
        "restricted_action_non_threadable_channel",
        "restricted_action_thread_locked",
        "thread_not_found",
    }
)
_DELETED = frozenset({"message_not_found", "cant_delete_message"})
_STATUS_EVERY = 40.0  # seconds; Slack takes a status down by itself after two minutes
_ARMED = 512  # messages with buttons that are remembered


class Sending:
    """One bot's way into channels."""

    def __init__(self, api: Api, limiter: Limiter, ledger: Ledger, threads: Threads, clock: Clock) -> None:
        self._api = api
        self._limiter = limiter
        self._ledger = ledger
        self._threads = threads
        self._clock = clock
        self._previews = Previews(api, limiter)
        self._armed: OrderedDict[tuple[str, str], Mapping[str, Any]] = OrderedDict()
        self._statuses: OrderedDict[Place, float] = OrderedDict()
        self._team = ""

    def at_home(self, team: str) -> None:
        """Know the workspace of the people that streams are for."""
        self._team = team

    async def send(self, place: Place, part: Part, params: dict[str, Any], *, replaces: str) -> Receipt:
        """Send a message, or turn a preview into it.

        A thread that is gone does not take the answer with it.
        """
        self._statuses.pop(place, None)
        if _whispered(place):
            return await self._whisper(place, params)

        async def there() -> Receipt:
            with self._previews.quiet(place.chat):
                if replaces and (ts := await self._replaced(place, part, params, replaces)):
                    return self._sent(place, ts, params)
                ts = await self._posted(place, part, params)
                if replaces:
                    await self._forget(place, replaces)
                return self._sent(place, ts, params)

        return await self._paced(place.chat, "final", there)

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written, which Slack shows in threads; it stays until the answer."""
        now = self._clock.monotonic()
        if not place.thread or _whispered(place) or now < self._statuses.get(place, now):
            return
        _remember(self._statuses, place, now + _STATUS_EVERY)
        status = {"channel_id": place.chat, "thread_ts": place.thread, "status": "…"}
        await self._api.show("assistant.threads.setStatus", status)

    async def preview(self, place: Place, text: str, *, handle: str) -> str:
        """Show the answer as it stands; the handle of the message that shows it."""
        if _whispered(place):
            return ""
        person = self._threads.person(place)
        named = bool(person and self._team and not place.private)
        reader = {"recipient_user_id": person, "recipient_team_id": self._team} if named else {}

        async def there() -> str:
            return await self._previews.show(place, text, handle=handle, reader=reader)

        return await self._paced(place.chat, "preview", there)

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a message; nothing where it is gone."""
        ts = timestamp(handle)
        if not ts or _whispered(place):
            return
        if handle.endswith(STREAM):
            await self._previews.stop(place, ts)
        try:
            await self._api.call("chat.delete", {"channel": place.chat, "ts": ts})
        except Rejected as exc:
            if exc.status not in _DELETED:
                raise

    async def disarm(self, place: Place, message: str) -> None:
        """Take the buttons off a message; nothing where there are none."""
        if not message or _whispered(place):
            return
        shown = self._armed.get((place.chat, message)) or await self._ledger.message(place, message)
        made = [mapping(block) for block in items((shown or {}).get("blocks"))]
        kept = [block for block in made if block.get("type") != "actions"]
        if shown is None or len(kept) == len(made):
            return
        edit = {"text": whole(shown.get("text")), "blocks": kept}
        try:
            await self._api.call("chat.update", {**edit, "channel": place.chat, "ts": message})
        except Rejected as exc:
            if exc.status not in _LOST:
                raise
        self._armed.pop((place.chat, message), None)

    async def answer(self, inbound: Inbound, text: str) -> None:
        """Say something about a press or a slash command to the one who did it, and to nobody else."""
        if not text:
            return
        body: dict[str, Any] = {"text": escaped(text), "mrkdwn": False}
        if inbound.press.startswith(("https://", "http://")):
            whisper = {"response_type": "ephemeral", "replace_original": False}
            try:
                await self._api.respond(inbound.press, {**body, **whisper, **_threaded(inbound.place)})
            except AdapterError:
                if _whispered(inbound.place):
                    raise
            else:
                return
        whom = {"channel": inbound.place.chat, "user": inbound.sender.id}
        await self._api.call("chat.postEphemeral", {**body, **whom, **_threaded(inbound.place)})

    async def _whisper(self, place: Place, params: dict[str, Any]) -> Receipt:
        """Answer what one person asked by a slash command, to them alone."""
        body = {key: value for key, value in params.items() if not key.startswith("unfurl_")}
        told = await self._paced(
            place.chat,
            "final",
            lambda: self._api.call(
                "chat.postEphemeral", {**body, "channel": place.chat, "user": place.thread[1:]}
            ),
        )
        return Receipt(whole(told.get("message_ts")), time.time())

    async def _replaced(self, place: Place, part: Part, params: dict[str, Any], handle: str) -> str:
        """Edit a preview into the answer; empty where it cannot be, and the answer is to be posted."""
        ts = timestamp(handle)
        if not ts.replace(".", "").isdecimal():
            return ""
        await self._limiter.admitted(place.chat, edit=True)
        # Blocks that are not named stay as they are.
        edit = {"text": params["text"], "blocks": params.get("blocks", []), "metadata": marked(part.id)}
        try:
            if handle.endswith(STREAM):
                await self._previews.stop(place, ts)
            await self._api.call("chat.update", {**edit, "channel": place.chat, "ts": ts})
        except Rejected as exc:
            if exc.status not in _LOST:
                raise
            return ""
        except Uncertain as exc:
            # Edited twice is edited once: no person sees that it was tried again.
            raise Unreachable("Slack gave no clear answer to an edit", status=exc.status) from exc
        return ts

    async def _posted(self, place: Place, part: Part, params: dict[str, Any]) -> str:
        """Post a message, unless an earlier try did; its timestamp."""
        since = await self._ledger.begun(part.id)
        if since is not None:
            known = await self._ledger.found(place, part.id, since=since)
            if known:
                return known
        await self._limiter.admitted(place.chat)
        whole_ = {**params, "channel": place.chat, "metadata": marked(part.id), **_threaded(place)}
        try:
            told = await self._api.call("chat.postMessage", whole_)
        except Rejected as exc:
            if exc.status not in _NO_THREAD or "thread_ts" not in whole_:
                raise
            del whole_["thread_ts"]
            told = await self._api.call("chat.postMessage", whole_)
        return whole(told.get("ts"))

    async def _forget(self, place: Place, handle: str) -> None:
        """Remove a preview that the answer could not replace, now that the answer is there."""
        with contextlib.suppress(AdapterError):  # an old preview beside its answer is untidy and no more
            await self.retract(place, handle)

    def _sent(self, place: Place, ts: str, params: dict[str, Any]) -> Receipt:
        made = [mapping(block) for block in items(params.get("blocks"))]
        if any(block.get("type") == "actions" for block in made):
            _remember(self._armed, (place.chat, ts), params)
        return Receipt(ts, time.time())

    async def _paced(self, chat: str, tier: Tier, call: Callable[[], Awaitable[T]]) -> T:
        try:
            return await call()
        except RateLimited as exc:
            if exc.status != PACED:
                self._limiter.refused(chat, exc.retry_after, tier)
            raise


def _whispered(place: Place) -> bool:
    """Whether a place is between the bot and one person inside a channel."""
    return place.thread.startswith("@")


def _threaded(place: Place) -> dict[str, str]:
    return {"thread_ts": place.thread} if place.thread and not _whispered(place) else {}


def _remember(memory: OrderedDict[Any, Any], key: object, value: object) -> None:
    memory[key] = value
    memory.move_to_end(key)
    if len(memory) > _ARMED:
        memory.popitem(last=False)
