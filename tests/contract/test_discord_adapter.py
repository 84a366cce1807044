"""Discord passes the exam for adapters, against its emulator."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from gateway.abc.adapter import Adapter
from gateway.messages import Action, Place
from gateway.testing.adapters import WAIT, AdapterContract, AdapterFault, AdapterHarness
from gateway_adapters.discord.adapter import create
from gateway_adapters.discord.options import Options
from tests.emulators.discord import DiscordEmulator, Fault

_FAULTS = {
    "rate_limit": Fault(status=429, message="You are being rate limited.", retry_after=WAIT),
    "dead_target": Fault(status=403, code=50007, message="Cannot send messages to this user"),
    "rejected": Fault(status=400, code=50035, message="Invalid Form Body"),
    "lost": Fault(cut=True),
    "taken": Fault(after=True, cut=True),
}
_UNREADABLE: tuple[tuple[Any, Any], ...] = (
    ("MESSAGE_CREATE", None),
    ("MESSAGE_CREATE", {"id": "1", "channel_id": "2", "author": {"id": "3"}}),
    ("MESSAGE_CREATE", {"id": 10**400, "channel_id": "2", "author": "x", "thread": None, "type": 0}),
    ("MESSAGE_UPDATE", {"id": "1"}),
    ("INTERACTION_CREATE", {"type": 2, "data": []}),
    ("INTERACTION_CREATE", [1, 2]),
    ("GUILD_CREATE", {"id": None}),
    ("SOMETHING_NEW", {"thread": None}),
    (None, {}),
    (7, "\ud83d"),
)


class DiscordHarness:
    """One bot, one person, one emulator."""

    def __init__(self, discord: DiscordEmulator) -> None:
        self.discord = discord
        self.adapter: Adapter = create(_options(discord.base, discord.token), bot="b")
        self.place = Place(str(discord.world.dm()))
        self.secret = discord.token.rpartition(".")[2]
        self._said = 0

    async def say(self, text: str) -> None:
        await self._connected()
        self._said = self.discord.world.say(text)

    async def say_again(self) -> None:
        self.discord.gateway.say_again()

    async def edit(self, text: str) -> None:
        self.discord.world.edit(self._said, text)

    async def attach(self, name: str, content: bytes) -> None:
        await self._connected()
        self.discord.files[name] = content
        file = {
            "id": "77",
            "filename": name,
            "size": len(content),
            "content_type": "image/png",
            "url": f"{self.discord.base}/files/{name}",
            "proxy_url": "https://media.discordapp.net/x",
        }
        self.discord.world.say("", attachments=[file])

    async def press(self, action: Action) -> None:
        await self._connected()
        self.discord.world.press(action.label)

    async def echo(self) -> None:
        await self._connected()
        world = self.discord.world
        world.backend.create_message(world.dm(), world.bot, "mine")

    async def confuse(self) -> None:
        await self._connected()
        for kind, data in _UNREADABLE:
            self.discord.gateway.push(kind, data)
        for frame in ("no json", "[1]", '{"op": "x"}', "null", '{"op": 99}'):
            self.discord.gateway.push_raw(frame)

    async def _connected(self) -> None:
        """Wait until the bot listens: nobody is told what was said before."""
        await self.discord.until(lambda: self.discord.gateway.live)

    async def shown(self) -> Sequence[str]:
        return self.discord.texts()

    async def offered(self) -> Sequence[str]:
        return [label for shown in self.discord.world.shown() for label, _ in shown.buttons]

    def acknowledged(self) -> bool:
        return self.discord.gateway.acknowledged

    def fail(self, fault: AdapterFault) -> None:
        if fault == "unauthorised":
            head, middle, last = self.discord.token.split(".")
            self.adapter = create(_options(self.discord.base, f"{head}.X{middle}.{last}"), bot="b")
        elif fault == "unreachable":
            self.adapter = create(_options("http://127.0.0.1:1/api", self.discord.token), bot="b")
        else:
            self.discord.fail("POST", "/channels/*/messages", _FAULTS[fault])


class TestDiscord(AdapterContract):
    """Discord."""

    kind = "discord"
    limit = 2000

    def harness(self) -> AbstractAsyncContextManager[AdapterHarness]:
        return _discord()


@asynccontextmanager
async def _discord() -> AsyncGenerator[AdapterHarness]:
    async with DiscordEmulator() as discord:
        yield DiscordHarness(discord)


def _options(base: str, token: str) -> Options:
    return Options.model_validate({"token": token, "api_base": base, "rates": {"overall": 0, "channel": 0}})
