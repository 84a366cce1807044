"""Who waits for which answer, on a platform under measurement."""

from __future__ import annotations

import asyncio

__all__ = ["Answers"]


class Answers:
    """Resolves who waits when an answer comes.

    Attributes:
        count: Answers so far.
    """

    def __init__(self) -> None:
        self.count = 0
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._enough: tuple[int, asyncio.Future[None]] | None = None

    def expect(self, chat: int) -> asyncio.Future[str]:
        """The next answer in a chat."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[chat] = answer
        return answer

    def expect_many(self, messages: int) -> asyncio.Future[None]:
        """So many answers from now on, anywhere."""
        enough: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enough = (self.count + messages, enough)
        return enough

    def came(self, chat: int, text: str) -> None:
        """An answer stands in a chat."""
        self.count += 1
        waiting = self._waiting.pop(chat, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(text)
        if self._enough is not None and self.count >= self._enough[0] and not self._enough[1].done():
            self._enough[1].set_result(None)
