"""The owner is told on Slack and on Discord too, in private and where several read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulators.discord import DiscordEmulator
from tests.emulators.slack import SlackEmulator
from tests.integration.discord import scene as discord_scene
from tests.integration.inprocess import running
from tests.integration.slack import scene as slack_scene

_REFUSED = "cannot answer because its access was refused"


@pytest.mark.parametrize("chat", ["D0OWNER", "C0OPS", "G0BOARD"])
async def test_slack_is_told_in_whatever_chat_is_named(tmp_path: Path, chat: str) -> None:
    async with SlackEmulator() as slack:
        for channel in (slack_scene.CHAT, chat):
            slack.chats.channel(channel)
        yaml = f"{slack_scene.config(slack)}\nalerts: {{bot: team, chat: {chat}}}\n"
        async with running(tmp_path, yaml):
            slack.say("!auth_failed", channel=slack_scene.CHAT)
            await slack.until(lambda: slack.texts(chat))
            slack.say("!completed", channel=slack_scene.CHAT)
            await slack.until(lambda: len(slack.texts(chat)) == 2)

            first, second = slack.texts(chat)
            assert f"team {_REFUSED}" in first
            assert second.startswith("team works again")
            assert {params.get("thread_ts") for params in slack.sent("chat.postMessage")} == {None}


@pytest.mark.parametrize("private", [True, False])
async def test_discord_is_told_in_private_and_in_a_channel(tmp_path: Path, private: bool) -> None:
    async with DiscordEmulator() as discord:
        world = discord.world
        chat = world.dm(world.member("owner")) if private else world.channel
        alerts = f'alerts: {{bot: support, chat: "{chat}"}}\n'
        async with running(tmp_path, f"{discord_scene.config(discord)}\n{alerts}"):
            await discord_scene.connected(discord)
            world.say("!auth_failed")
            await discord.until(lambda: discord.texts(chat))
            world.say("!completed")
            await discord.until(lambda: len(discord.texts(chat)) == 2)

            first, second = discord.texts(chat)
            assert f"support {_REFUSED}" in first
            assert second.startswith("support works again")
            assert not any("message_reference" in body for body in discord.sent("POST", "*/messages"))
