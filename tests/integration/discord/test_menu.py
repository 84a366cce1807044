"""The commands in Discord's own menu: registered when they changed, in each language it knows."""

from __future__ import annotations

import discord as library
import pytest

from gateway.notes import Notebook
from gateway.testing.context import FakeAdapterContext
from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.alone import receiving

COMMANDS = "/applications/*/commands"
NAMES = {"stop", "status", "new", "retry", "continue", "language", "help", "why", "whoami"}


def _context() -> FakeAdapterContext:
    book = Notebook()
    return FakeAdapterContext(menu={tag: book.menu(tag) for tag in book.languages} | {"": book.menu("en")})


async def test_menu_is_registered_once_and_again_only_when_it_changed() -> None:
    context = _context()
    async with DiscordEmulator() as discord:
        for _ in range(2):
            async with receiving(discord, context):
                await context.until(lambda: context.facts.get("menu"))
        assert len(discord.sent("PUT", COMMANDS)) == 1

        context.menu = {"": [("stop", "Ends it all")]}
        async with receiving(discord, context):
            await discord.until(lambda: len(discord.sent("PUT", COMMANDS)) == 2)
        assert [one["description"] for one in discord.sent("PUT", COMMANDS)[1]] == ["Ends it all"]


async def test_menu_holds_each_command_in_the_languages_discord_knows() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context()):
        await discord.until(lambda: discord.sent("PUT", COMMANDS))
        registered = discord.sent("PUT", COMMANDS)[0]

        assert {command["name"] for command in registered} == NAMES
        known = {locale.value for locale in library.Locale}
        for command in registered:
            assert 0 < len(command["description"]) <= 100
            assert {"de", "pt-BR", "es-ES", "es-419", "zh-CN", "en-US", "en-GB"} <= set(
                command["description_localizations"]
            )
            assert set(command["description_localizations"]) <= known
            assert all(0 < len(text) <= 100 for text in command["description_localizations"].values())
        options = {command["name"] for command in registered if command.get("options")}
        assert options == {"language", "why"}


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(cut=True), Fault(status=429, retry_after=2)])
async def test_menu_that_cannot_be_set_is_tried_again_and_hinders_nothing(fault: Fault) -> None:
    async with DiscordEmulator() as discord:
        discord.fail("PUT", COMMANDS, fault)
        async with receiving(discord, _context()) as bot:
            discord.world.say("hello")
            await bot.heard("hello")
            await discord.until(lambda: len(discord.sent("PUT", COMMANDS)) == 2)


async def test_menu_that_is_not_wanted_is_not_registered() -> None:
    async with DiscordEmulator() as discord, receiving(discord, _context(), register_commands=False) as bot:
        discord.world.say("hello")
        await bot.heard("hello")

        assert discord.sent("PUT", COMMANDS) == []
