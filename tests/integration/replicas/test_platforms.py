"""Take-over on the platforms that are heard by a connection of the bot's own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.discord import DiscordEmulator
from tests.emulators.slack import SlackEmulator
from tests.integration.discord import scene as discord_scene
from tests.integration.process import until
from tests.integration.replicas.scene import LEASE, Replica, replicas, shared_store
from tests.integration.slack import scene as slack_scene

pytestmark = pytest.mark.kill

_SCRIPT = """
      - {when: waiting, wait: 1.5, say: "done waiting"}
      - {when: "*", say: "hello"}
"""


def _shared(text: str) -> str:
    before = '"sqlite:lastword.db"'
    assert before in text
    return text.replace(before, f'"{shared_store()}"\nlease: {LEASE}s')


async def test_slack_is_heard_by_the_owner_and_then_by_the_other(tmp_path: Path) -> None:
    async with SlackEmulator() as slack:
        chat = slack_scene.CHAT
        slack.chats.channel(chat)
        text = _shared(slack_scene.config(slack, agent="pace: 0.0", script=_SCRIPT))
        async with replicas(tmp_path, text) as found:
            await until(lambda: _one_leads(found, "team"))
            one, other = found if await found[0].leads("team") else found[::-1]
            slack.say("hi")
            await slack.until(lambda: slack.texts(chat) == ["hello"])
            slack.say("waiting please")
            await asyncio.sleep(0.5)
            await one.kill()
            slack.say("hi")
            await slack.until(lambda: len(slack.texts(chat)) >= 3, timeout=30.0)
            await asyncio.sleep(0.5)

            assert sorted(slack.texts(chat)) == ["done waiting", "hello", "hello"]
            assert slack.texts(chat)[1:] == ["done waiting", "hello"]
            assert await other.leads("team")


async def test_discord_is_heard_by_the_owner_and_then_by_the_other(tmp_path: Path) -> None:
    async with DiscordEmulator() as discord:
        text = _shared(discord_scene.config(discord, agent="pace: 0.0", script=_SCRIPT))
        async with replicas(tmp_path, text) as found:
            await until(lambda: _one_leads(found))
            one, other = found if await found[0].leads() else found[::-1]
            await discord_scene.connected(discord)
            discord.world.say("hi")
            await discord.until(lambda: discord.texts() == ["hello"])
            discord.world.say("waiting please")
            await asyncio.sleep(0.5)
            await one.kill()
            discord.world.say("hi")
            await discord.until(lambda: len(discord.texts()) >= 3, timeout=30.0)
            await asyncio.sleep(0.5)

            assert discord.texts() == ["hello", "done waiting", "hello"]
            assert await other.leads()


async def _one_leads(found: list[Replica], bot: str = "support") -> bool:
    return sorted([await replica.state(bot) for replica in found]) == ["standby", "up"]
