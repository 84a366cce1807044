"""Growing text: Slack's own streams where a thread and a reader are known, an edited message elsewhere."""

from __future__ import annotations

import contextlib
import re
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from gateway.errors import AdapterError, DeadTarget, RateLimited, Rejected, Unauthorised, Uncertain
from gateway.messages import Place
from gateway_adapters.slack.api import Api
from gateway_adapters.slack.errors import ODD
from gateway_adapters.slack.limits import Limiter
from gateway_adapters.slack.render import growing
from gateway_adapters.slack.shapes import Json, whole

__all__ = ["STREAM", "Previews", "timestamp"]

STREAM = "~"
"""What stands at the end of a handle while the message behind it is a stream."""

_LONGEST = 3500  # characters streamed; a whole message takes so many, and the limit of a stream is unknown
_EVERY = 1.2  # seconds between two edits of a message
_STREAMS = 512  # remembered
_PING = re.compile(r"(?<=<)(?=\S)|(?<![A-Za-z0-9_])(?<=@)(?=[A-Za-z])")
_NOWHERE = ("missing_scope", "unknown_method", "not_allowed", "method_deprecated")


def timestamp(handle: str) -> str:
    """The message behind a handle."""
    return handle.removesuffix(STREAM)


class Previews:
    """What is shown of unfinished answers."""

    def __init__(self, api: Api, limiter: Limiter) -> None:
        self._api = api
        self._limiter = limiter
        self._streams: OrderedDict[str, str] = OrderedDict()  # what was streamed, by timestamp
        self._refused: set[str] = set()  # channels that take no streams; an empty one stands for all
        self._sending: dict[str, int] = {}

    async def show(self, place: Place, text: str, *, handle: str, reader: dict[str, str]) -> str:
        """Show the text; the handle of what shows it.

        Args:
            place: Where.
            text: All of it so far.
            handle: What the last call returned; empty for the first.
            reader: Who reads it, as a stream in a channel must name them; empty when that is not known.
        """
        if place.chat in self._sending or not text.strip():
            return handle
        if handle.endswith(STREAM):
            return await self._more(place, text, timestamp(handle))
        if not handle and place.thread and (place.private or reader) and not self._refuses(place.chat):
            begun = await self._begin(place, text, reader)
            if begun is not None:
                return begun
        return await self._edited(place, text, handle)

    async def stop(self, place: Place, ts: str) -> None:
        """End a stream; nothing where it has ended.

        Raises:
            AdapterError: It could not be ended.
        """
        self._streams.pop(ts, None)
        with contextlib.suppress(Rejected):  # it has ended by itself, or is gone; an edit tells which
            await self._api.call("chat.stopStream", {"channel": place.chat, "ts": ts})

    @contextmanager
    def quiet(self, chat: str) -> Generator[None]:
        """Show nothing in a channel while a final is on its way."""
        self._sending[chat] = self._sending.get(chat, 0) + 1
        try:
            yield
        finally:
            self._sending[chat] -= 1
            if not self._sending[chat]:
                del self._sending[chat]

    async def _begin(self, place: Place, text: str, reader: dict[str, str]) -> str | None:
        """Begin a stream; `None` where Slack wants none, which is not tried again there."""
        shown = _streamed(text)
        if len(shown) > _LONGEST:
            return None
        if not self._limiter.admits(place.chat):
            return ""
        begun: dict[str, Any] = {"channel": place.chat, "thread_ts": place.thread, "markdown_text": shown}
        try:
            told = await self._api.show("chat.startStream", begun | reader)
        except (Rejected, DeadTarget, Unauthorised) as exc:
            word = getattr(exc, "status", "") or "missing_scope"
            self._refused.add("" if word in _NOWHERE else place.chat)
            return None
        ts = _ts(told)
        self._remember(ts, shown)
        return f"{ts}{STREAM}"

    async def _more(self, place: Place, text: str, ts: str) -> str:
        """Stream what is new; a text that changed, or that is too long, goes on as an edited message."""
        before, shown = self._streams.get(ts), _streamed(text)
        if before is None or not shown.startswith(before) or len(shown) > _LONGEST:
            await self.stop(place, ts)
            return await self._edited(place, text, ts)
        new = shown[len(before) :]
        if not new or not self._limiter.admits(place.chat):
            return f"{ts}{STREAM}"
        try:
            await self._api.show("chat.appendStream", {"channel": place.chat, "ts": ts, "markdown_text": new})
        except Rejected:
            self._streams.pop(ts, None)
            return ts
        except RateLimited:
            raise
        except AdapterError:
            self._streams.pop(ts, None)  # what it shows now, nobody knows
            raise
        self._remember(ts, shown)
        return f"{ts}{STREAM}"

    async def _edited(self, place: Place, text: str, handle: str) -> str:
        shown = growing(text)
        if not shown or not self._limiter.admits(place.chat, edit=bool(handle)):
            return handle
        self._limiter.hold(place.chat, _EVERY, "preview")
        if handle:
            edit = {key: shown[key] for key in ("text", "blocks")}
            await self._api.show("chat.update", {**edit, "channel": place.chat, "ts": handle})
            return handle
        target = {"channel": place.chat} | ({"thread_ts": place.thread} if place.thread else {})
        return _ts(await self._api.show("chat.postMessage", {**shown, **target}))

    def _refuses(self, chat: str) -> bool:
        return "" in self._refused or chat in self._refused

    def _remember(self, ts: str, shown: str) -> None:
        self._streams[ts] = shown
        self._streams.move_to_end(ts)
        if len(self._streams) > _STREAMS:
            self._streams.popitem(last=False)


def _streamed(text: str) -> str:
    """The text without what Slack would act on in its Markdown; what is added to it is only ever added."""
    whole_text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _PING.sub("\u2060", whole_text.lstrip())


def _ts(told: Json) -> str:
    ts = whole(told.get("ts"))
    if not ts:
        raise Uncertain(ODD, status="no ts")
    return ts
