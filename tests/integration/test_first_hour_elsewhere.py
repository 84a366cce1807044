"""A stranger's first hour on Slack and on Discord, on a real terminal, and without any file."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.emulators.discord import DiscordEmulator
from tests.emulators.slack import SlackEmulator
from tests.integration.terminal import at_terminal, lastword

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal that can be played")

CHAT = "D0ANN"


async def test_slack_asks_for_both_tokens_and_the_bot_answers(tmp_path: Path) -> None:
    async with SlackEmulator() as slack:
        slack.chats.channel(CHAT)
        async with at_terminal(tmp_path, "init", "--api-base", slack.base) as terminal:
            await terminal.until("Your choice [telegram]: ")
            terminal.type("slack")
            await terminal.until("`lastword setup slack` tells how to get one.")
            await terminal.until("Its token (The bot token, xoxb-")
            await terminal.until("): ")
            terminal.type(slack.token)
            await terminal.until("Its app_token (The app-level token, xapp-")
            await terminal.until("): ")
            terminal.type("xoxb-the-wrong-one")
            await terminal.until(
                "The app_token is no app-level token; make one with the scope connections:write"
            )
            await terminal.until("): ")
            terminal.type(slack.token)
            await terminal.until("): ")
            terminal.type(slack.app_token)
            await terminal.until("Your choice [demo]: ")
            terminal.type("")
            await terminal.until("Your choice [pairing]: ")
            terminal.type("")
            assert await terminal.ends() == 0
            assert slack.app_token not in terminal.screen

        secrets = (tmp_path / ".env").read_text("utf-8")
        assert secrets == f"SLACK_BOT_TOKEN={slack.token}\nSLACK_APP_TOKEN={slack.app_token}\n"
        code, said = await lastword(tmp_path, "check", "--probe")
        assert code == 0, said
        async with at_terminal(tmp_path, "run", "--log-level", "error") as terminal:
            await terminal.until("Send it this message to claim it: ")
            claim = (await terminal.until("\n")).strip()
            assert re.fullmatch(r"!start \w+", claim)
            slack.say(claim, channel=CHAT)
            await slack.until(lambda: slack.texts(CHAT))
            slack.say("hello", channel=CHAT)
            await slack.until(lambda: len(slack.texts(CHAT)) > 1)

            assert slack.texts(CHAT)[1] == "Hello! Ask me for a story, or send !stream_cut."


async def test_slack_without_a_terminal_names_the_token_that_is_missing(tmp_path: Path) -> None:
    async with SlackEmulator() as slack:
        words = ("init", "--platform", "slack", "--token", slack.token, "--api-base", slack.base)
        code, said = await lastword(tmp_path, *words)

    assert code == 2
    assert "set SLACK_APP_TOKEN. Nothing was written." in said
    assert not (tmp_path / "bots.yaml").exists()


async def test_manifest_of_a_file_is_printed_alone(tmp_path: Path) -> None:
    (tmp_path / "bots.yaml").write_text(
        """
version: 1
public_url: https://bots.example
bots:
  team:
    platform: slack
    token: xoxb-1
    signing_secret: "0123456789abcdef0123456789abcdef"
    receive: webhook
    agent: {kind: scripted}
"""
    )

    code, said = await lastword(tmp_path, "setup", "slack", "--manifest", "--config", "bots.yaml")

    made = json.loads(said)
    assert code == 0
    assert made["display_information"]["name"] == "team"
    assert made["settings"]["event_subscriptions"]["request_url"] == "https://bots.example/slack/team/events"
    assert made["settings"]["socket_mode_enabled"] is False


async def test_platform_without_manifests_says_so(tmp_path: Path) -> None:
    code, said = await lastword(tmp_path, "setup", "discord", "--manifest")

    assert code == 1
    assert "without a manifest" in said


async def test_discord_asks_for_its_token_and_the_bot_answers(tmp_path: Path) -> None:
    async with DiscordEmulator() as discord:
        async with at_terminal(tmp_path, "init", "--api-base", discord.base) as terminal:
            await terminal.until("Your choice [telegram]: ")
            terminal.type("discord")
            await terminal.until("`lastword setup discord` tells how to get one.")
            await terminal.until("): ")
            terminal.type(discord.token)
            await terminal.until("Your choice [demo]: ")
            terminal.type("")
            await terminal.until("Your choice [pairing]: ")
            terminal.type("")
            assert await terminal.ends() == 0

        async with at_terminal(tmp_path, "run", "--log-level", "error") as terminal:
            await terminal.until("Send it this message to claim it: ")
            claim = (await terminal.until("\n")).strip()
            assert re.fullmatch(r"/start \w+", claim)
            dm = discord.world.dm()
            discord.world.say(claim, channel=dm)
            await discord.until(lambda: discord.texts(dm))
            discord.world.say("hello", channel=dm)
            await discord.until(lambda: len(discord.texts(dm)) > 1)

            assert discord.texts(dm)[1].startswith("Hello! Ask me for a story")


@pytest.mark.parametrize("platform", ["slack", "discord"])
async def test_variables_alone_run_a_paired_bot(tmp_path: Path, platform: str) -> None:
    async with SlackEmulator() as slack, DiscordEmulator() as discord:
        slack.chats.channel(CHAT)
        env = {
            "slack": {
                "SLACK_BOT_TOKEN": slack.token,
                "SLACK_APP_TOKEN": slack.app_token,
                "SLACK_API_BASE": slack.base,
            },
            "discord": {"DISCORD_TOKEN": discord.token, "DISCORD_API_BASE": discord.base},
        }[platform]
        model = {"LASTWORD_MODEL": "openai-chat:any", "OPENAI_API_KEY": "sk-none"}
        async with at_terminal(tmp_path, "run", "--log-level", "error", env=env | model) as terminal:
            await terminal.until("Lastword is running; ")
            await terminal.until("Send it this message to claim it: ")
            if platform == "slack":
                slack.say("hello", channel=CHAT)
                await slack.until(lambda: slack.texts(CHAT))
                said = slack.texts(CHAT)[0]
            else:
                dm = discord.world.dm()
                discord.world.say("hello", channel=dm)
                await discord.until(lambda: discord.texts(dm))
                said = discord.texts(dm)[0]

    assert "your code is" in said
