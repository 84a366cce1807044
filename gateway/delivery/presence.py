"""What a person sees while a turn runs: typing, and text that grows."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from gateway.abc.adapter import Adapter
from gateway.abc.clock import Clock
from gateway.errors import RateLimited, Rejected, StoreError, Unauthorised, Unreachable
from gateway.messages import Place
from gateway.observability import get_logger

__all__ = ["Presence"]

_log = get_logger("delivery")
_QUIET = 0.5  # seconds; fast turns show nothing and cost nothing
_TYPING_EVERY = 4.0  # seconds; the shortest-lived typing sign of the platforms lasts five
_STEP = 0.25  # seconds between two looks at the text
_CALL = 10.0  # seconds one platform call may take
_CEILING = 30.0  # seconds of pause after repeated refusals, at most
_SAVE_EVERY = 1.0  # seconds; how much visible text a crash may take from the record
_NOTHING_POSTED = (Unreachable, Rejected, Unauthorised)
UNKNOWN = "?"  # the handle of a preview that is about to be posted


class Presence:
    """Typing and previews of one turn.

    Args:
        adapter: The platform.
        place: Where.
        turn: The turn's id.
        text: Reads the text as it stands.
        save: Writes the preview's handle and the text so far into the turn's record.
        clear: Tells whether everything said there before stands: what grows as a message of its own would
            otherwise stand above an answer that still waits.
        streaming: Whether growing text is shown, or typing alone.
        handle: The preview message that an earlier attempt of the turn left; empty for none.
    """

    def __init__(
        self,
        adapter: Adapter,
        place: Place,
        *,
        turn: str,
        text: Callable[[], str],
        save: Callable[[str], Awaitable[None]],
        clear: Callable[[], Awaitable[bool]],
        clock: Clock,
        streaming: bool = True,
        handle: str = "",
    ) -> None:
        self._adapter = adapter
        self._place = place
        self._turn = turn
        self._text = text
        self._save = save
        self._clear = clear
        self._clock = clock
        self._streaming = streaming and adapter.features.preview != "none"
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._lost = False  # a preview may have been posted whose handle nobody knows
        self._handle = handle
        self._shown = ""
        self._typed_at = float("-inf")
        self._next = 0.0
        self._refusals = 0
        self._saved_at = float("-inf")

    def start(self) -> None:
        """Begin after a quiet while."""
        self._timer = asyncio.get_running_loop().call_later(_QUIET, self._begin)

    async def stop(self) -> str:
        """End, waiting for a call in flight so that its message is known; the preview's handle, if known."""
        self._stopping.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_CALL)
            self._task.cancel()
        return self._left()

    def _left(self) -> str:
        """The handle of what stands in the chat, as far as is known."""
        return self._handle or (UNKNOWN if self._lost else "")

    def _begin(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"presence {self._turn}")

    async def _run(self) -> None:
        while not self._stopping.is_set():
            await self._type()
            with contextlib.suppress(StoreError):  # the turn's own commit meets it too, and tells of it
                await self._grow()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STEP):
                    await self._stopping.wait()

    async def _type(self) -> None:
        now = self._clock.monotonic()
        if not self._adapter.features.typing or now - self._typed_at < _TYPING_EVERY:
            return
        self._typed_at = now
        await self._call(self._adapter.typing(self._place), pauses=False)

    async def _grow(self) -> None:
        text = self._text()
        now = self._clock.monotonic()
        if self._stopping.is_set() or not self._streaming or now < self._next or not text.strip():
            return
        if text == self._shown:
            return
        posting = not self._handle and self._adapter.features.preview == "message"
        if posting and not await self._clear():
            return
        if posting:
            await self._save(UNKNOWN)
            self._lost = True
        shown = await self._call(self._show(text), posting=posting)
        if (posting and shown) or now - self._saved_at >= _SAVE_EVERY:
            self._saved_at = now
            await self._save(self._left())
        self._next = max(self._next, self._clock.monotonic() + self._adapter.features.preview_interval)

    async def _show(self, text: str) -> None:
        self._handle = (
            await self._adapter.preview(self._place, text, turn=self._turn, handle=self._handle)
            or self._handle
        )
        self._shown, self._lost = text, False

    async def _call(self, call: Awaitable[None], *, posting: bool = False, pauses: bool = True) -> bool:
        """One platform call; a refusal pauses what is shown and never disturbs the turn."""
        try:
            async with asyncio.timeout(_CALL):
                await call
        except RateLimited as exc:
            self._lost = self._lost and not posting
            self._next = self._clock.monotonic() + exc.retry_after
        except Exception as exc:  # noqa: BLE001  # what is shown on the way never disturbs the turn
            if posting and isinstance(exc, _NOTHING_POSTED):
                self._lost = False
            _log.debug("delivery.preview_broke", problem=type(exc).__name__)
            if pauses:
                self._refusals += 1
                self._next = self._clock.monotonic() + min(2.0**self._refusals, _CEILING)
        else:
            if pauses:
                self._refusals = 0
            return True
        return False
