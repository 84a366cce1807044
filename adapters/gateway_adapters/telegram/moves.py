"""Groups that became supergroups: which id a chat has now, and which it had when it began."""

from __future__ import annotations

from gateway.abc.adapter import AdapterContext
from gateway.errors import StoreError

__all__ = ["Moves"]

_PREFIX = "moved/"
_MOST = 100_000


class Moves:
    """Old ids and new ones, kept for good; a chat may move more than once."""

    def __init__(self) -> None:
        self._context: AdapterContext | None = None
        self._after: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._unkept: set[str] = set()

    async def load(self, context: AdapterContext) -> None:
        """Begin with what earlier processes learnt, and keep from now on what is learnt.

        Raises:
            StoreError: Nothing could be read.
        """
        for key, new in await context.scan(_PREFIX, limit=_MOST):
            self._note(key.removeprefix(_PREFIX), new.decode())
        self._context = context
        for old in tuple(self._unkept):
            await self._keep(old)

    def target(self, chat: str) -> str:
        """The id a chat has now."""
        return _end(self._after, chat)

    def formerly(self, chat: str) -> str:
        """The first id a chat had; empty for one that never moved."""
        first = _end(self._before, chat)
        return first if first != chat else ""

    async def learn(self, old: str, new: str) -> None:
        """Take note of a move.

        Raises:
            StoreError: It holds for this process alone.
        """
        if self._after.get(old) != new:
            self._note(old, new)
            self._unkept.add(old)
        if old in self._unkept:
            await self._keep(old)

    async def follow(self, old: str, new: str) -> None:
        """Take note of a move that a send ran into; what cannot be kept, the next send runs into again."""
        try:
            await self.learn(old, new)
        except StoreError as exc:
            if self._context is not None:
                self._context.log.warning("adapter.move_not_kept", chat=old, to=new, problem=str(exc))

    def _note(self, old: str, new: str) -> None:
        self._after[old] = new
        self._before[new] = old

    async def _keep(self, old: str) -> None:
        if self._context is None:
            return
        await self._context.keep(f"{_PREFIX}{old}", self._after[old].encode())
        self._unkept.discard(old)
        self._context.log.info("adapter.chat_moved", chat=old, to=self._after[old])


def _end(links: dict[str, str], chat: str) -> str:
    """The end of a chain; a ring, which no platform makes, is left where it closes."""
    seen = {chat}
    while (following := links.get(chat)) is not None and following not in seen:
        seen.add(following)
        chat = following
    return chat
