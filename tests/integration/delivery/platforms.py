"""A private chat on each platform, alike for every test."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from gateway.abc.clock import Clock
from gateway.runtime import Runtime
from tests.emulators import discord, slack, telegram
from tests.integration.discord import scene as discord_scene
from tests.integration.inprocess import running
from tests.integration.slack import scene as slack_scene
from tests.integration.telegram import scene as telegram_scene

__all__ = ["PLATFORMS", "SCRIPT", "Chat", "opened", "up"]

PLATFORMS = ("telegram", "slack", "discord")
SCRIPT = """
      - {when: waiting, wait: 1.0, say: "done waiting"}
      - {when: cut short, say: "one two three", end: max_steps}
      - {when: "*", say: "hello"}
"""


class Chat(Protocol):
    """One person's chat with the bot.

    Attributes:
        bot: The bot's name in the configuration.
        reconciles: Whether the platform knows a part again that is sent twice.
    """

    bot: str
    reconciles: bool

    def yaml(self, *, bot: str = "", script: str = SCRIPT) -> str:
        """The configuration; `bot` is more keys of the bot."""
        ...

    def say(self, text: str) -> None:
        """The person writes."""
        ...

    def texts(self) -> list[str]:
        """The bot's messages, oldest first."""
        ...

    def calls(self) -> int:
        """Messages that the bot tried to post so far."""
        ...

    def limit(self, seconds: int, times: int = 1) -> None:
        """Ask to wait at the next posts."""
        ...

    def refuse(self, times: int) -> None:
        """Refuse the content of the next posts."""
        ...

    def stumble(self) -> None:
        """Break at the next post, and not take it."""
        ...

    def leave(self) -> None:
        """Be gone at the next post."""
        ...

    def lose(self, **more: Any) -> None:
        """Take the next post and lose the answer."""
        ...

    def press(self, label: str) -> None:
        """The person presses a button."""
        ...

    def listens(self) -> bool:
        """Whether the bot is connected."""
        ...

    async def until(self, holds: Callable[[], object], *, timeout: float = 20.0) -> None:
        """Wait until something holds."""
        ...


class _Telegram:
    bot, reconciles = "support", False

    def __init__(self, tg: telegram.TelegramEmulator) -> None:
        self._tg = tg
        self.until = tg.until

    def yaml(self, *, bot: str = "", script: str = SCRIPT) -> str:
        return telegram_scene.config(self._tg, bot=bot, script=script)

    def say(self, text: str) -> None:
        self._tg.say(text)

    def texts(self) -> list[str]:
        return self._tg.texts(4711)

    def calls(self) -> int:
        return len(self._tg.sent("sendMessage"))

    def limit(self, seconds: int, times: int = 1) -> None:
        told = f"Too Many Requests: retry after {seconds}"
        self._fail(*(telegram.Fault(429, told, retry_after=seconds) for _ in range(times)))

    def refuse(self, times: int) -> None:
        self._fail(*(telegram.Fault(400, "Bad Request: can't parse entities") for _ in range(times)))

    def stumble(self) -> None:
        self._fail(telegram.Fault(500))

    def leave(self) -> None:
        self._fail(telegram.Fault(403, "Forbidden: bot was blocked by the user"))

    def lose(self, **more: Any) -> None:
        self._fail(telegram.Fault(after=True, cut=True, **more))

    def press(self, label: str) -> None:
        self._tg.press(4711, label)

    def listens(self) -> bool:
        return True

    def _fail(self, *faults: telegram.Fault) -> None:
        self._tg.fail("sendMessage", *faults)


class _Slack:
    bot, reconciles = "team", True

    def __init__(self, emulator: slack.SlackEmulator) -> None:
        self._slack = emulator
        self._slack.chats.channel(slack_scene.CHAT)
        self.until = emulator.until

    def yaml(self, *, bot: str = "", script: str = SCRIPT) -> str:
        return slack_scene.config(self._slack, bot=bot, script=script)

    def say(self, text: str) -> None:
        self._slack.say(text)

    def texts(self) -> list[str]:
        return self._slack.texts(slack_scene.CHAT)

    def calls(self) -> int:
        return len(self._slack.sent("chat.postMessage"))

    def limit(self, seconds: int, times: int = 1) -> None:
        self._fail(*(slack.Fault("ratelimited", 429, retry_after=seconds) for _ in range(times)))

    def refuse(self, times: int) -> None:
        self._fail(*(slack.Fault("invalid_blocks") for _ in range(times)))

    def stumble(self) -> None:
        self._fail(slack.Fault(status=503))

    def leave(self) -> None:
        self._fail(slack.Fault("channel_not_found"))

    def lose(self, **more: Any) -> None:
        self._fail(slack.Fault(after=True, cut=True, **more))

    def press(self, label: str) -> None:
        self._slack.press(slack_scene.CHAT, label)

    def listens(self) -> bool:
        return bool(self._slack.delivery.sockets)

    def _fail(self, *faults: slack.Fault) -> None:
        self._slack.fail("chat.postMessage", *faults)


class _Discord:
    bot, reconciles = "support", True

    def __init__(self, emulator: discord.DiscordEmulator) -> None:
        self._discord = emulator
        self.until = emulator.until

    def yaml(self, *, bot: str = "", script: str = SCRIPT) -> str:
        return discord_scene.config(self._discord, bot=bot, script=script)

    def say(self, text: str) -> None:
        self._discord.world.say(text)

    def texts(self) -> list[str]:
        return self._discord.texts()

    def calls(self) -> int:
        return len(self._discord.sent("POST", _POSTS))

    def limit(self, seconds: int, times: int = 1) -> None:
        self._fail(*(discord.Fault(429, retry_after=float(seconds)) for _ in range(times)))

    def refuse(self, times: int) -> None:
        self._fail(*(discord.Fault(400, 50035, "Invalid Form Body") for _ in range(times)))

    def stumble(self) -> None:
        self._fail(discord.Fault(503))

    def leave(self) -> None:
        self._fail(discord.Fault(403, 50007, "Cannot send messages to this user"))

    def lose(self, **more: Any) -> None:
        self._fail(discord.Fault(after=True, cut=True, **more))

    def press(self, label: str) -> None:
        self._discord.world.press(label)

    def listens(self) -> bool:
        return self._discord.gateway.acknowledged

    def _fail(self, *faults: discord.Fault) -> None:
        self._discord.fail("POST", _POSTS, *faults)


_POSTS = "/channels/*/messages"


@asynccontextmanager
async def opened(platform: str) -> AsyncGenerator[Chat]:
    """A platform with one person in it."""
    match platform:
        case "telegram":
            async with telegram.TelegramEmulator() as tg:
                yield _Telegram(tg)
        case "slack":
            async with slack.SlackEmulator() as emulator:
                yield _Slack(emulator)
        case _:
            async with discord.DiscordEmulator() as emulator:
                yield _Discord(emulator)


@asynccontextmanager
async def up(folder: Path, chat: Chat, yaml: str, *, clock: Clock | None = None) -> AsyncGenerator[Runtime]:
    """A gateway in this process that hears what is said."""
    async with running(folder, yaml, clock=clock) as runtime:
        await chat.until(lambda: runtime.fleet is not None and chat.listens())
        yield runtime
