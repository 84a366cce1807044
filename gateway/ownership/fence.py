"""Nothing is said to a platform but by the process that holds the bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from gateway.abc.adapter import Adapter, AdapterContext, Features
from gateway.messages import Answer, Attachment, Inbound, Part, Place, Receipt

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

__all__ = ["Fence", "Fenced", "Gate"]

Gate = AbstractAsyncContextManager[None]


class Fence(Protocol):
    """What every platform call goes through."""

    def pass_through(self, queue: str) -> Gate:
        """Let one call through while the lease holds; it is cut off when the lease ends.

        Raises:
            Unreachable: On entering: the lease does not hold, nothing may be begun.
            Uncertain: On leaving: the lease ended meanwhile.
        """
        ...


class Fenced:
    """An adapter whose calls are let through by the lease of one partition; see `Adapter`.

    Args:
        adapter: The platform.
        fence: Whether this process may speak.
        queue: The partition's name.
    """

    def __init__(self, adapter: Adapter, fence: Fence, queue: str) -> None:
        self.adapter = adapter
        self._fence = fence
        self._queue = queue

    @property
    def features(self) -> Features:
        """What the platform can do."""
        return self.adapter.features

    async def run(self, context: AdapterContext) -> None:
        """Receive; whoever runs it sees to it that it ends with the lease."""
        await self.adapter.run(context)

    def render(self, answer: Answer, *, key: str) -> tuple[Part, ...]:
        """Turn an answer into parts."""
        return self.adapter.render(answer, key=key)

    async def send(self, place: Place, part: Part, *, replaces: str = "", plain: bool = False) -> Receipt:
        """Send a part, if we may."""
        async with self._gate():
            return await self.adapter.send(place, part, replaces=replaces, plain=plain)

    async def typing(self, place: Place) -> None:
        """Show that an answer is being written, if we may."""
        async with self._gate():
            await self.adapter.typing(place)

    async def preview(self, place: Place, text: str, *, turn: str, handle: str = "") -> str:
        """Show the answer as it stands, if we may."""
        async with self._gate():
            return await self.adapter.preview(place, text, turn=turn, handle=handle)

    async def retract(self, place: Place, handle: str) -> None:
        """Remove a preview, if we may."""
        async with self._gate():
            await self.adapter.retract(place, handle)

    async def disarm(self, place: Place, message_id: str) -> None:
        """Take buttons off, if we may."""
        async with self._gate():
            await self.adapter.disarm(place, message_id)

    async def answer_press(self, inbound: Inbound, text: str = "") -> None:
        """Answer a press, if we may."""
        async with self._gate():
            await self.adapter.answer_press(inbound, text)

    async def fetch(self, attachment: Attachment, *, limit: int) -> bytes:
        """A file beside a message; reading it tells nobody anything."""
        return await self.adapter.fetch(attachment, limit=limit)

    def routes(self) -> Sequence[BaseRoute]:
        """Routes for the shared server."""
        return self.adapter.routes()

    async def probe(self) -> Mapping[str, str]:
        """Ask the platform who we are."""
        return await self.adapter.probe()

    async def close(self) -> None:
        """Free what the adapter holds."""
        await self.adapter.close()

    def _gate(self) -> Gate:
        return self._fence.pass_through(self._queue)
