"""A gateway with one Discord bot against the emulator."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.runtime import Runtime
from tests.emulators.discord import DiscordEmulator
from tests.integration.inprocess import running

__all__ = ["bot_yaml", "config", "connected", "discord_bot"]

_SCRIPT = """
      - {when: long, say: "LONG"}
      - {when: acting, action: send_report, say: "one two three four five", hang: true}
      - {when: cut short, say: "one two three", end: max_steps}
      - {when: hang, say: "thinking about it", hang: true}
"""


def bot_yaml(discord: DiscordEmulator, *, name: str = "support", bot: str = "") -> str:
    """One bot's part of the YAML."""
    return f"""
  {name}:
    platform: discord
    token: "{discord.token}"
    api_base: "{discord.base}"
    agent: teller
    surface_completion_reason: true
    access: {{dm: open}}
    rates: {{overall: 0, channel: 0}}
    {bot}
"""


def config(
    discord: DiscordEmulator,
    *,
    bot: str = "",
    agent: str = "pace: 0.0",
    script: str = _SCRIPT,
    more: str = "",
) -> str:
    """The YAML of a scene; `bot` and `agent` are more keys of each, `more` more bots."""
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  teller:
    kind: scripted
    directives: true
    {agent}
    script: {script}
bots:
{bot_yaml(discord, bot=bot)}
{more}
"""


async def connected(discord: DiscordEmulator) -> None:
    """Wait until the bot listens and knows its session."""
    await discord.until(lambda: discord.gateway.acknowledged)


@asynccontextmanager
async def discord_bot(
    folder: Path, *, bot: str = "", agent: str = "pace: 0.0", script: str = _SCRIPT
) -> AsyncGenerator[tuple[Runtime, DiscordEmulator]]:
    """A running gateway and its Discord."""
    async with (
        DiscordEmulator() as discord,
        running(folder, config(discord, bot=bot, agent=agent, script=script)) as gateway,
    ):
        await connected(discord)
        yield gateway, discord
