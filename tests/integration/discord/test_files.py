"""Files beside a message: described when it comes, fetched from Discord alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gateway.errors import FetchFailed, FileTooLarge
from gateway.messages import Attachment
from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.alone import receiving

_FILE = "/files/*"


def _sent(discord: DiscordEmulator, **more: Any) -> None:
    """A person sends a file that the emulator holds."""
    file = {
        "id": "77",
        "filename": "cat.png",
        "size": 5,
        "content_type": "image/png",
        "url": f"http://127.0.0.1:{discord.port}/api/v10/files/cat.png",
        "proxy_url": "https://media.discordapp.net/x",
    }
    discord.world.say("look", attachments=[file | more])


async def test_file_is_described_and_fetched_where_it_is_now() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.files["cat.png"] = b"meow!"
        _sent(discord)
        await bot.heard("look")
        (file,) = bot.context.inbounds[0].attachments

        assert (file.kind, file.mime, file.name, file.size) == ("image", "image/png", "cat.png", 5)
        assert await bot.adapter.fetch(file, limit=5) == b"meow!"
        assert discord.unauthorised_fetches == 1


async def test_file_that_is_larger_than_is_taken_is_not_read_to_its_end() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.files["cat.png"] = b"m" * 1_000_000
        _sent(discord)
        await bot.heard("look")

        with pytest.raises(FileTooLarge):
            await bot.adapter.fetch(bot.context.inbounds[0].attachments[0], limit=1000)


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/latest", "https://evil.example/x", "file:///etc/passwd", "", "//x"]
)
async def test_file_from_anywhere_else_is_not_fetched(url: str) -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        _sent(discord, url=url)
        await bot.heard("look")

        with pytest.raises(FetchFailed):
            await bot.adapter.fetch(bot.context.inbounds[0].attachments[0], limit=1000)


@pytest.mark.parametrize(
    ("where", "fault"),
    [
        ("/channels/*/messages/*", Fault(status=404, code=10008)),
        ("/channels/*/messages/*", Fault(cut=True)),
        ("/channels/*/messages/*", Fault(status=200, raw="<html>")),
        (_FILE, Fault(status=404)),
        (_FILE, Fault(cut=True)),
    ],
)
async def test_file_that_discord_does_not_give_is_said_to_be_missing(where: str, fault: Fault) -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.files["cat.png"] = b"meow!"
        _sent(discord)
        await bot.heard("look")
        discord.fail("GET", where, fault, replace(fault))  # what only reads is tried twice by the line itself

        with pytest.raises(FetchFailed):
            await bot.adapter.fetch(bot.context.inbounds[0].attachments[0], limit=1000)


async def test_file_that_is_none_of_discords_is_refused() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        for odd in ("", "1/2", "../../1/2/3", "1/2/x", "1/2/3?x"):
            with pytest.raises(FetchFailed):
                await bot.adapter.fetch(Attachment(odd, "image"), limit=1000)
        assert not discord.sent("GET", "/channels/*/messages/*")
