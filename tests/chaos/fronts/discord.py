"""Private chats with a Discord bot."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from aiohttp import web

from tests.chaos.line import Line
from tests.chaos.story import Chat, Word
from tests.emulators import discord

__all__ = ["Discord"]

_POSTS = "/channels/*/messages"
_CHANNEL = re.compile(r"/channels/(\d+)/messages")


class _Discord(discord.DiscordEmulator):
    """Counts what it refused for good, by channel."""

    def __init__(self) -> None:
        super().__init__()
        self.refused: Counter[int] = Counter()

    def calm(self) -> None:
        """Forget the faults that have not struck."""
        self._faults.clear()
        self.gateway.deaf = self.gateway.forgetful = False

    async def _spoilt(
        self, fault: discord.Fault, request: web.Request, path: str, body: Any
    ) -> web.StreamResponse:
        found = _CHANNEL.match(path)
        if found and fault.status in (400, 403):
            self.refused[int(found.group(1))] += 1
        return await super()._spoilt(fault, request, path, body)


class Discord:
    """Some people, each in a channel with the bot alone."""

    letter = "D"

    def __init__(self, people: int, *, agent: str) -> None:
        self.people = people
        self.emulator = _Discord()
        self.line = Line()
        self._agent = agent
        self._members = [self.emulator.world.member(f"person{number}") for number in range(people)]
        self._said: defaultdict[int, list[Word]] = defaultdict(list)

    async def open(self, stack: AsyncExitStack) -> None:
        """Begin to listen."""
        self.emulator.gateway.interval = 0.5
        await stack.enter_async_context(self.emulator)
        await self.line.open(self.emulator.port, stack)
        self.emulator.gateway.url = f"ws://127.0.0.1:{self.line.port}/gw"

    def yaml(self) -> str:
        """The bot's part of the configuration."""
        return f"""
  guild:
    platform: discord
    token: "{self.emulator.token}"
    api_base: "http://127.0.0.1:{self.line.port}/api/v10"
    agent: {self._agent}
    rates: {{overall: 0, channel: 0}}
"""

    async def up(self, addresses: tuple[str, ...], stack: AsyncExitStack) -> None:
        """It connects by itself."""

    async def say(self, person: int, marker: str, kind: str) -> None:
        """Somebody writes."""
        self.emulator.world.say(f"{marker} {kind}", user=self._members[person])
        self._said[person].append(Word(marker, kind))

    def spoil(self, chance: random.Random) -> str:
        """Let something go wrong with what comes next."""
        if chance.random() < 0.15:
            return f"discord {self.line.spoil(chance)}"
        gateway = self.emulator.gateway
        blows: dict[str, Callable[[], object]] = {
            "asks to connect anew": lambda: self._ask(7, None),
            "the session is over": lambda: self._ask(9, False),  # noqa: FBT003  # what Discord says
            "sessions are forgotten": lambda: setattr(gateway, "forgetful", True),
            "sessions are known": lambda: setattr(gateway, "forgetful", False),
        }
        if chance.random() < 0.3:
            name = chance.choice(sorted(blows))
            blows[name]()
            return f"discord: {name}"
        name, fault = chance.choice(_faults(chance))
        how, pattern = chance.choice((("POST", _POSTS), ("POST", _POSTS), ("PATCH", f"{_POSTS}/*")))
        if chance.random() < 0.15 and fault.status not in (400, 403):
            how, pattern = "GET", chance.choice(("/gateway/bot", _POSTS))
        self.emulator.fail(how, pattern, fault)
        return f"discord {how} {pattern}: {name}"

    def calm(self) -> None:
        """Let nothing go wrong any more."""
        self.emulator.calm()
        self.line.calm()

    def pending(self) -> int:
        """Discord does not tell what it holds back: nothing, once a connection stands."""
        return int(not self.emulator.gateway.acknowledged)

    def chats(self) -> tuple[Chat, ...]:
        """What stands in the channels."""
        return tuple(
            Chat(
                f"discord {person}",
                tuple(said),
                tuple(self.emulator.texts(self._channel(person))),
                refused=self.emulator.refused[self._channel(person)],
            )
            for person, said in sorted(self._said.items())
        )

    def _channel(self, person: int) -> int:
        return self.emulator.world.dm(self._members[person])

    def _ask(self, opcode: int, data: object) -> None:
        if self.emulator.gateway.live is not None:
            self.emulator.gateway.ask(opcode, data)


def _faults(chance: random.Random) -> list[tuple[str, discord.Fault]]:
    return [
        ("asks to wait", discord.Fault(429, retry_after=chance.uniform(0.2, 2.0))),
        ("asks everybody to wait", discord.Fault(429, retry_after=0.5, everywhere=True)),
        ("takes it and is cut", discord.Fault(after=True, cut=True)),
        ("is cut", discord.Fault(cut=True)),
        ("takes it and breaks", discord.Fault(502, after=True)),
        ("breaks", discord.Fault(500)),
        ("answers a web page", discord.Fault(502, raw="<html>no</html>")),
        ("takes it and dawdles", discord.Fault(after=True, passes=True, delay=chance.uniform(0.2, 1.5))),
        ("dawdles", discord.Fault(passes=True, delay=chance.uniform(0.2, 1.5))),
        ("refuses the text", discord.Fault(400, 50035, "Invalid Form Body")),
        ("was left", discord.Fault(403, 50007, "Cannot send messages to this user")),
    ]
