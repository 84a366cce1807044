"""Pages of the web chat."""

from __future__ import annotations

import contextlib
import random
from collections import defaultdict
from contextlib import AsyncExitStack

from tests.chaos.story import Chat, Word
from tests.integration.webchat import Line, Visitor

__all__ = ["Web"]

_PATH = "/chat/site"


class Web:
    """Some people, each with a page of their own that reads from whichever gateway lives."""

    letter = "W"

    def __init__(self, people: int, *, agent: str) -> None:
        self.people = people
        self._agent = agent
        self._visitors: list[Visitor] = []
        self._said: defaultdict[int, list[Word]] = defaultdict(list)

    async def open(self, stack: AsyncExitStack) -> None:
        """Pages are opened once there is a gateway."""

    def yaml(self) -> str:
        """The bot's part of the configuration."""
        return f"""
  site: {{platform: local, agent: {self._agent}}}
"""

    async def up(self, addresses: tuple[str, ...], stack: AsyncExitStack) -> None:
        """Open the pages, or let them go on at those that live."""
        for number, visitor in enumerate(self._visitors):
            visitor.address = addresses[number % len(addresses)]
        while len(self._visitors) < self.people:
            address = addresses[len(self._visitors) % len(addresses)]
            self._visitors.append(await stack.enter_async_context(Visitor(address, _PATH)))

    async def say(self, person: int, marker: str, kind: str) -> None:
        """Somebody writes, as often as it takes, and now and then once more."""
        visitor = self._visitors[person]
        accepted = None
        with contextlib.suppress(TimeoutError):
            await visitor.say(f"{marker} {kind}")
            accepted = True
            if len(self._said[person]) % 5 == 0:
                await visitor.repeat()
        self._said[person].append(Word(marker, kind, accepted))

    def spoil(self, chance: random.Random) -> str:
        """Nothing stands between a page and its gateway."""
        del chance
        return "web: nothing"

    def calm(self) -> None:
        """Let nothing go wrong any more."""

    def pending(self) -> int:
        """A page keeps what it could not post."""
        return 0

    def chats(self) -> tuple[Chat, ...]:
        """What the pages show."""
        return tuple(
            Chat(
                f"web {person}",
                tuple(said),
                tuple(_read(line) for line in _standing(self._visitors[person])),
            )
            for person, said in sorted(self._said.items())
        )


def _standing(visitor: Visitor) -> list[Line]:
    """The answers by their place; a line that came twice over a new connection is one."""
    return [line for _, line in sorted({int(line["n"]): line for line in visitor.answers}.items())]


def _read(line: Line) -> str:
    note = line.get("note", {})
    parts = (line.get("lead", ""), line.get("text", ""), note.get("text", ""), note.get("reference", ""))
    return "\n".join(part for part in parts if part)
