"""Messages in a row share a commit, and lose neither their order nor each other."""

from __future__ import annotations

from tests.emulators.discord import DiscordEmulator
from tests.integration.discord.alone import receiving


async def test_messages_that_come_together_are_committed_together() -> None:
    """While the store refuses they gather behind the first, and lose neither their order nor each other."""
    said = [f"number {n}" for n in range(100)]
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        bot.context.refusals = 3
        for text in said:
            discord.world.say(text)
        await bot.heard(*said)

        assert len([batch for batch in bot.context.batches if batch]) < 20
        await discord.until(lambda: discord.gateway.acknowledged)


async def test_edit_that_the_store_refused_at_first_is_heard_all_the_same() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        message = discord.world.say("first words")
        await bot.heard("first words")
        bot.context.refusals = 2
        discord.world.edit(message, "other words")

        await bot.heard("first words", "other words")
        assert [inbound.kind for inbound in bot.context.inbounds] == ["message", "edit"]
