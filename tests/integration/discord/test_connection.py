"""The connection for events is discord.py's, and what is odd on the line costs at most that line."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from gateway.testing.context import FakeAdapterContext
from tests.emulators.discord import DiscordEmulator
from tests.integration.discord.alone import adapter_of, receiving


def _hearts() -> list[threading.Thread]:
    """The threads of discord.py that keep lines alive."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("keep-alive-handler")]


async def test_stream_that_cannot_be_unpacked_is_resumed_elsewhere() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.world.say("one")
        await bot.heard("one")
        discord.gateway.push_raw(b"\xde\xad\xbe\xef\x00\x00\xff\xff")
        discord.world.say("two")

        await bot.heard("one", "two")
        assert (discord.gateway.identified, discord.gateway.resumed) == (1, 1)


@pytest.mark.parametrize(
    "greeting",
    [
        '{"op": 10, "d": null}',
        '{"op": 10, "d": {"heartbeat_interval": "soon"}}',
        '{"op": 0, "t": "READY", "s": 1, "d": {}}',
        "[]",
        b"\xde\xad\xbe\xef\x00\x00\xff\xff",
    ],
)
async def test_gateway_that_greets_oddly_is_tried_again(greeting: str | bytes) -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.greetings.append(greeting)
        async with receiving(discord) as bot:
            discord.world.say("one")

            await bot.heard("one")
            assert not discord.gateway.greetings


@pytest.mark.parametrize("interval", [0, -1, 1e300, 10**400])
async def test_interval_that_is_out_of_reason_neither_floods_nor_ends_the_line(interval: float) -> None:
    async with DiscordEmulator() as discord:
        told = f'{{"op": 10, "d": {{"heartbeat_interval": {interval}}}}}'
        discord.gateway.greetings.append(told)
        begun = time.monotonic()
        async with receiving(discord) as bot:
            await asyncio.sleep(0.05)
            discord.world.say("one")

            await bot.heard("one")
            assert discord.gateway.beats <= 2 + (time.monotonic() - begun) * 100


async def test_second_greeting_begins_no_second_heartbeat() -> None:
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        discord.gateway.ask(10, {"heartbeat_interval": 10})
        discord.world.say("one")
        await bot.heard("one")

        assert len(_hearts()) == 1


async def test_line_lives_on_while_the_store_refuses() -> None:
    """Heartbeats go on beside what waits to be kept, and carry the number of what was."""
    async with DiscordEmulator() as discord, receiving(discord) as bot:
        bot.context.refusals = 1_000_000
        discord.world.say("keep me")
        await bot.context.until(lambda: bot.context.refused)
        before = discord.gateway.beats
        await discord.until(lambda: discord.gateway.beats > before + 5)
        assert not discord.gateway.acknowledged
        bot.context.refusals = 0
        await bot.heard("keep me")
        await discord.until(lambda: discord.gateway.acknowledged)

        assert (discord.gateway.identified, discord.gateway.resumed) == (1, 0)


async def test_connection_that_ends_leaves_no_thread() -> None:
    async with DiscordEmulator() as discord:
        async with receiving(discord):
            assert len(_hearts()) == 1
            await discord.gateway.drop()
            await discord.until(lambda: discord.gateway.resumed)
            await discord.until(lambda: len(_hearts()) == 1)

        assert not _hearts()


async def test_bot_that_is_stopped_before_it_is_greeted_hangs_up() -> None:
    async with DiscordEmulator() as discord:
        discord.gateway.greetings.append("")
        adapter = adapter_of(discord)
        task = asyncio.create_task(adapter.run(FakeAdapterContext()))
        await discord.until(lambda: not discord.gateway.greetings)
        await asyncio.sleep(0.05)  # the answer to the handshake arrives
        task.cancel()
        await asyncio.wait({task})
        await adapter.close()

        await discord.until(lambda: discord.gateway.closes)
        assert discord.gateway.closes == [4000]
        assert not _hearts()


async def test_token_and_intents_are_told_as_discord_py_tells_them() -> None:
    async with DiscordEmulator() as discord, receiving(discord):
        asked = discord.gateway.asked

        assert asked["token"] == discord.token
        assert asked["properties"]["browser"] == "discord.py"
        assert asked["intents"] == 1 | 1 << 9 | 1 << 12
