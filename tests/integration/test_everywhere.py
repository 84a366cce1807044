"""One configuration on every platform at once: one agent, one store, and nobody's trouble but one's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import yaml

from gateway import plugins
from gateway.runtime import Runtime
from gateway.settings import load
from tests.emulators.discord import DiscordEmulator
from tests.emulators.openai import OpenAIEmulator
from tests.emulators.slack import SlackEmulator
from tests.emulators.telegram import TelegramEmulator
from tests.integration.discord.scene import connected
from tests.integration.webchat import Visitor

EXAMPLE = Path(__file__).parents[2] / "config/examples/everywhere.yaml"
DM = "D0ANN"


@dataclass(frozen=True, slots=True)
class _Everywhere:
    gateway: Runtime
    address: str
    telegram: TelegramEmulator
    slack: SlackEmulator
    discord: DiscordEmulator
    model: OpenAIEmulator

    async def said(self, text: str) -> dict[str, str]:
        """What each platform's person reads next after saying something everywhere."""
        before = (
            len(self.telegram.messages(4711)),
            len(self.slack.messages(DM)),
            len(self.discord.world.shown()),
        )
        self.telegram.say(text)
        self.slack.say(text)
        self.discord.world.say(text)
        await self.telegram.until(lambda: len(self.telegram.messages(4711)) > before[0])
        await self.slack.until(lambda: len(self.slack.messages(DM)) > before[1])
        await self.discord.until(lambda: len(self.discord.world.shown()) > before[2])
        return {
            "telegram": self.telegram.texts(4711)[-1],
            "slack": self.slack.texts(DM)[-1],
            "discord": self.discord.texts()[-1],
        }


def _configured(tg: TelegramEmulator, slack: SlackEmulator, discord: DiscordEmulator) -> str:
    """The example with the emulators in the place of the platforms."""
    tree = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    tree["server"]["port"] = 0
    tree["defaults"]["access"]["dm"] = "open"
    tree["agents"]["helper"] |= {"retries": 0, "timeout": "20s"}
    tree["bots"]["telegram"] |= {"api_base": tg.base}
    tree["bots"]["team"] |= {"api_base": slack.base}
    tree["bots"]["guild"] |= {"api_base": discord.base}
    return json.dumps(tree)  # which is YAML too


@asynccontextmanager
async def _everywhere(folder: Path) -> AsyncGenerator[_Everywhere]:
    async with (
        OpenAIEmulator() as api,
        TelegramEmulator() as tg,
        SlackEmulator() as slack,
        DiscordEmulator() as discord,
    ):
        slack.chats.channel(DM)
        path = folder / "bots.yaml"
        path.write_text(_configured(tg, slack, discord), "utf-8")
        env = {
            "TELEGRAM_TOKEN": tg.token,
            "SLACK_BOT_TOKEN": slack.token,
            "SLACK_APP_TOKEN": slack.app_token,
            "DISCORD_TOKEN": discord.token,
            "OPENAI_API_KEY": api.key,
            "OPENAI_BASE_URL": api.base_url,
            "LASTWORD_MODEL": "openai-chat:small",
        }
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        settings = load(path, options=plugins.options_of, env=env)
        runtime = Runtime(settings, ready=address.set_result, grace=2.0)
        task = asyncio.create_task(runtime.run(), name="gateway")
        try:
            base = await address
            await connected(discord)
            yield _Everywhere(runtime, base, tg, slack, discord, api)
        finally:
            runtime.stop()
            async with asyncio.timeout(20.0):
                await task


async def test_example_answers_on_every_platform_and_tells_endings_there(tmp_path: Path) -> None:
    async with _everywhere(tmp_path) as every:
        fine = await every.said("hello")
        cut = await every.said("please [[length]]")
        async with Visitor(every.address, "/chat/site") as visitor:
            await visitor.say("please [[length]]")
            await visitor.until(lambda: visitor.answers)

        assert all("hello" in text for text in fine.values())
        for text in cut.values():
            assert "My answer became too long and stops here" in text
        assert "My answer became too long" in str(visitor.answers[0])


async def test_trouble_of_one_platform_is_its_own(tmp_path: Path) -> None:
    async with _everywhere(tmp_path) as every, httpx.AsyncClient() as client:
        async with asyncio.timeout(15.0):
            while (await client.get(f"{every.address}/readyz")).status_code != 200:
                await asyncio.sleep(0.1)
        await every.slack.__aexit__(None, None, None)  # Slack is gone
        every.telegram.say("hello")
        await every.telegram.until(lambda: every.telegram.messages(4711))
        every.discord.world.say("hello")
        await every.discord.until(every.discord.world.shown)
        async with asyncio.timeout(60.0):
            while True:
                states = (await client.get(f"{every.address}/readyz")).json()["bots"]
                if states["team"] != "up":
                    break
                await asyncio.sleep(0.2)
        await every.slack.__aenter__()

        assert states["telegram"] == states["guild"] == states["site"] == "up"
