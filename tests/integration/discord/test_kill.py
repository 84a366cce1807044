"""Kill a real gateway at each step of the line on Discord; one visible outcome each time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.discord import DiscordEmulator, Fault
from tests.integration.discord.scene import config, connected
from tests.integration.process import Gateway, until

pytestmark = pytest.mark.kill

LONG = "word " * 950
MESSAGES = "/channels/*/messages"
SCRIPT = f"""
      - {{when: three, say: "{LONG}"}}
      - {{when: acting, action: send_report, say: "one two three four five six", hang: true, resume: "seven"}}
      - {{when: growing, say: "one two three four five six seven eight nine ten eleven twelve thirteen"}}
      - {{when: waiting, wait: 1.0, say: "done waiting"}}
      - {{when: "*", say: "hello"}}
"""


def _yaml(discord: DiscordEmulator, *, pace: float = 0.15) -> str:
    return config(discord, agent=f"pace: {pace}", script=SCRIPT)


async def _told_once(gateway: Gateway, discord: DiscordEmulator, channel: int = 0, count: int = 1) -> None:
    """Nothing more comes, and every turn has an end that a person saw."""
    await discord.until(lambda: len(discord.texts(channel)) >= count, timeout=20.0)
    await until(lambda: all(turn.get("state") == "delivered" for turn in gateway.turns()))
    await asyncio.sleep(0.3)
    assert len(discord.texts(channel)) == count
    assert await gateway.silent() == 0


async def test_killed_while_a_message_waits_answers_once(tmp_path: Path) -> None:
    """The session is gone on with; what it tells again is known."""
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        discord.world.say("waiting please")
        await until(lambda: gateway.inbox() == 1)
        await gateway.restart()

        await _told_once(gateway, discord)
        assert discord.texts() == ["done waiting"]
        assert discord.gateway.resumed == 1


async def test_said_while_nobody_runs_is_answered_by_the_next(tmp_path: Path) -> None:
    """By the session that waits, or, once that is over, by what the channels hold."""
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        for count in (1, 3):
            discord.world.say("hi")
            await discord.until(lambda count=count: len(discord.texts()) == count)  # type: ignore[misc]
            await gateway.kill()
            discord.gateway.forgetful = count == 3
            discord.world.say("anybody?")
            await gateway.start()
            await discord.until(lambda count=count: len(discord.texts()) == count + 1)  # type: ignore[misc]

        await _told_once(gateway, discord, count=4)
        assert (discord.gateway.identified, discord.gateway.resumed) == (2, 1)


async def test_killed_mid_agent_after_an_action_says_so(tmp_path: Path) -> None:
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        discord.world.say("acting please")
        await discord.until(lambda: discord.texts() and "four" in discord.texts()[-1])
        await asyncio.sleep(1.2)
        await gateway.restart()

        await discord.until(lambda: "restarted" in discord.texts()[0], timeout=20.0)
        await _told_once(gateway, discord)
        assert discord.texts()[0].startswith("one two three four")

        discord.world.press("Continue")
        await discord.until(lambda: len(discord.texts()) == 2)
        assert discord.texts()[1] == "seven"


async def test_killed_mid_preview_edits_the_same_message(tmp_path: Path) -> None:
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        world = discord.world
        world.say(f"<@{world.bot}> growing", channel=world.channel)
        await discord.until(lambda: discord.texts(world.channel))
        preview = world.shown(world.channel)[0].id
        await asyncio.sleep(0.3)
        await gateway.restart()

        await discord.until(
            lambda: (
                discord.texts(world.channel)[-1:] and discord.texts(world.channel)[-1].endswith("thirteen")
            ),
            timeout=20.0,
        )
        await _told_once(gateway, discord, world.channel)
        assert world.shown(world.channel)[0].id == preview


async def test_killed_between_parts_goes_on_at_the_next_part(tmp_path: Path) -> None:
    """The second part was taken, and nobody could note it: sent again, it is the same message."""
    hold = asyncio.Event()
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord, pace=0.0)) as gateway:
        await connected(discord)
        discord.fail("POST", MESSAGES, Fault(passes=True), Fault(hold=hold, after=True, cut=True))
        discord.world.say("three parts")
        await discord.until(lambda: len(discord.sent("POST", MESSAGES)) >= 2, timeout=30.0)
        await gateway.kill()
        hold.set()
        await gateway.start()

        await discord.until(lambda: len("".join(discord.texts()).split()) >= 3, timeout=30.0)
        await until(lambda: gateway.turns()[0].get("state") == "delivered")
        assert " ".join(discord.texts()).split() == ["word"] * 950
        assert not gateway.turns()[0].get("maybe_duplicate")


async def test_killed_after_the_last_part_is_one_message_all_the_same(tmp_path: Path) -> None:
    hold = asyncio.Event()
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        discord.fail("POST", MESSAGES, Fault(hold=hold, after=True, cut=True))
        discord.world.say("hi")
        await discord.until(discord.texts)
        await gateway.kill()
        hold.set()
        await gateway.start()

        await _told_once(gateway, discord)
        assert not gateway.turns()[0].get("maybe_duplicate")


async def test_killed_while_a_command_is_answered_answers_in_its_place(tmp_path: Path) -> None:
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        await discord.until(lambda: discord.world.backend.find_command("status", None))
        hold = asyncio.Event()
        discord.fail("GET", "/webhooks/*/messages/@original", Fault(hold=hold, cut=True))
        discord.world.slash("status")
        await discord.until(lambda: discord.sent("GET", "/webhooks/*/messages/@original"))
        await gateway.kill()
        hold.set()
        await gateway.start()

        await _told_once(gateway, discord)
        assert not any(shown.loading for shown in discord.world.shown())


async def test_stopped_gateway_keeps_queued_messages_for_the_next_one(tmp_path: Path) -> None:
    async with DiscordEmulator() as discord, Gateway(tmp_path, _yaml(discord)) as gateway:
        await connected(discord)
        discord.world.say("waiting please")
        for number in range(3):
            discord.world.say(f"hi {number}")
        await until(lambda: gateway.inbox() == 4)
        assert await gateway.stop() == 0
        await gateway.start()

        await _told_once(gateway, discord, count=4)
        assert discord.texts() == ["done waiting", "hello", "hello", "hello"]
