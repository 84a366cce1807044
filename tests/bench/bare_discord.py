"""The bare library's echo bot, as its own documentation writes it."""

from __future__ import annotations

import os

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


class Echo(discord.Client):
    """Says everything back."""

    async def on_message(self, message: discord.Message) -> None:
        """Say it back."""
        if message.author != self.user:
            await message.channel.send(message.content)


def main() -> None:
    """Listen to the emulator."""
    Route.BASE = f"{os.environ['DISCORD_BASE']}/api"
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY"])
    intents = discord.Intents.default()
    intents.message_content = True
    print("bare bot starts", flush=True)
    Echo(intents=intents).run(os.environ["DISCORD_TOKEN"], log_handler=None)


if __name__ == "__main__":
    main()
