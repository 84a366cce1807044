"""What people do beside talking: commands, buttons, words; who may, and what happens mid-turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.emulators.discord import DiscordEmulator
from tests.integration.discord.scene import bot_yaml, config, connected, discord_bot
from tests.integration.inprocess import running


async def _menu(discord: DiscordEmulator) -> None:
    await discord.until(lambda: discord.world.backend.find_command("stop", None))


async def test_continue_button_command_and_word_carry_on(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        await _menu(discord)
        world = discord.world
        ways: tuple[Callable[[], object], ...] = (
            lambda: world.press("Continue"),
            lambda: world.slash("continue"),
            lambda: world.say("continue"),
        )
        for count, go_on in enumerate(ways, start=1):
            world.say("!max_steps")
            await discord.until(lambda count=count: len(discord.texts()) == count * 2 - 1)  # type: ignore[misc]
            go_on()
            await discord.until(lambda count=count: len(discord.texts()) == count * 2)  # type: ignore[misc]

            assert discord.texts()[-1].endswith("home.")
        assert not world.shown()[0].buttons


async def test_stop_of_the_menu_ends_a_hanging_turn_and_stops_thinking(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        await _menu(discord)
        discord.world.say("hang on")
        await discord.until(lambda: discord.sent("POST", "/channels/*/typing"))
        discord.world.slash("stop")
        await discord.until(lambda: discord.texts() and "interrupted" in discord.texts()[0], timeout=2.0)
        await discord.until(lambda: not any(shown.loading for shown in discord.world.shown()), timeout=6.0)
        assert discord.texts()[0].startswith("thinking about it")

        discord.world.slash("stop")
        await discord.until(lambda: len(discord.texts()) == 2)
        assert "Nothing is running" in discord.texts()[1]


async def test_stop_that_is_typed_ends_a_hanging_turn_within_a_second(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        discord.world.say("hang on")
        await discord.until(lambda: discord.sent("POST", "/channels/*/typing"))
        discord.world.say("/stop")
        await discord.until(lambda: discord.texts() and "interrupted" in discord.texts()[0], timeout=2.0)


async def test_stop_in_a_server_names_the_bot_and_stops_its_channel_alone(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        world = discord.world
        name, thread = f"<@{world.bot}>", world.thread()
        for channel in (world.channel, thread):
            world.say(f"{name} hang on", channel=channel)
        for channel in (world.channel, thread):
            await discord.until(lambda channel=channel: discord.sent("POST", f"/channels/{channel}/typing"))  # type: ignore[misc]
        world.say(f"{name} /stop", channel=thread)
        await discord.until(lambda: discord.texts(thread) and "interrupted" in discord.texts(thread)[-1])

        assert not any("interrupted" in text for text in discord.texts(world.channel))


async def test_commands_of_the_menu_are_answered(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        await _menu(discord)
        said = {
            "status": "Nothing is running",
            "help": "/stop",
            "whoami": str(discord.world.person),
            "why": "no earlier answer",
            "new": "new chat",
        }
        for count, (command, told) in enumerate(said.items(), start=1):
            discord.world.slash(command)
            await discord.until(lambda count=count: len(discord.texts()) == count)  # type: ignore[misc]
            assert told.lower() in discord.texts()[-1].lower(), discord.texts()[-1]

        assert not any(shown.loading for shown in discord.world.shown())


async def test_language_that_was_chosen_is_kept(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        await _menu(discord)
        discord.world.slash("language", value="de")
        await discord.until(discord.texts)
        discord.world.say("!max_steps")
        await discord.until(lambda: len(discord.texts()) == 2)

        assert "„weiter“" in discord.texts()[1]


async def test_language_of_the_app_is_spoken_after_a_command(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        await _menu(discord)
        discord.world.slash("status", locale="fr")
        await discord.until(discord.texts)
        discord.world.say("!max_steps")
        await discord.until(lambda: len(discord.texts()) == 2)

        assert "continuer" in discord.texts()[1].lower()


async def test_button_pressed_twice_acts_once(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        world = discord.world
        world.say("!max_steps")
        await discord.until(discord.texts)
        shown = world.shown()[0]
        token = dict(shown.buttons)["Continue"]
        for _ in range(2):
            world.press_token(shown.id, token, channel=world.dm())
        await discord.until(lambda: world.shown(hidden=True))
        await discord.until(lambda: len(discord.texts()) == 2)

        assert "no longer works" in world.shown(hidden=True)[0].text


async def test_foreign_button_is_refused_where_nobody_else_sees_it(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        world = discord.world
        world.say(f"<@{world.bot}> cut short", channel=world.channel)
        await discord.until(lambda: discord.texts(world.channel))
        world.press("Continue", channel=world.channel, user=world.other)
        await discord.until(lambda: world.shown(world.channel, hidden=True))

        assert "Only the person who asked" in world.shown(world.channel, hidden=True)[0].text
        assert len(discord.texts(world.channel)) == 1


async def test_retry_asks_first_when_actions_ran(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        discord.world.say("!action error")
        await discord.until(discord.texts)
        discord.world.press("Retry")
        await discord.until(lambda: len(discord.texts()) == 2)

        assert "already carried out" in discord.texts()[1]
        discord.world.press("Retry anyway")
        await discord.until(lambda: len(discord.texts()) == 3)


async def test_message_that_comes_mid_turn_waits_and_is_answered(tmp_path: Path) -> None:
    script = '\n      - {when: first, wait: 1.0, say: "one"}\n      - {when: "*", say: "two"}\n'
    async with discord_bot(tmp_path, script=script) as (_, discord):
        discord.world.say("first")
        await discord.until(lambda: discord.sent("POST", "/channels/*/typing"))
        discord.world.say("second")
        await discord.until(lambda: discord.texts()[-2:] == ["one", "two"])


async def test_newer_message_interrupts_where_it_is_to(tmp_path: Path) -> None:
    async with discord_bot(tmp_path, bot="mid_turn: interrupt") as (_, discord):
        discord.world.say("hang on")
        await discord.until(lambda: discord.sent("POST", "/channels/*/typing"))
        discord.world.say("cut short")
        await discord.until(lambda: any("step limit" in text for text in discord.texts()))

        assert not any("interrupted" in text for text in discord.texts())


async def test_edit_of_a_message_that_was_answered_starts_nothing(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        message = discord.world.say("hello")
        await discord.until(discord.texts)
        discord.world.edit(message, "hello you")
        discord.world.say("cut short")
        await discord.until(lambda: len(discord.texts()) == 2)

        assert "step limit" in discord.texts()[1]


@pytest.mark.parametrize("told", ["/start {}", "{}"])
async def test_owner_claims_the_bot_and_strangers_get_a_code(
    tmp_path: Path, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with DiscordEmulator() as discord:
        world = discord.world
        async with running(tmp_path, config(discord).replace("access: {dm: open}", "")):
            await connected(discord)
            world.say("hello", user=world.other)
            stranger = world.dm(world.other)
            await discord.until(lambda: discord.texts(stranger))
            assert "your code is" in discord.texts(stranger)[0]

            out = ""
            while "/start " not in out:
                out += capsys.readouterr().out
                await asyncio.sleep(0.01)
            code = out.split("/start ")[1].split()[0]
            world.say(told.format(code))
            await discord.until(discord.texts)
            world.say("hello")
            await discord.until(lambda: len(discord.texts()) == 2)
            assert "scripted agent" in discord.texts()[1]

            paired = discord.texts(stranger)[0].split("your code is ")[1].split()[0].strip(".")
            world.say(f"/pair {paired}")
            await discord.until(lambda: len(discord.texts()) == 3)
            world.say("hello again", user=world.other)
            await discord.until(lambda: any("scripted agent" in text for text in discord.texts(stranger)))


async def test_two_bots_of_one_process_speak_on_two_discords(tmp_path: Path) -> None:
    async with DiscordEmulator() as first, DiscordEmulator() as second:
        yaml = config(first, more=bot_yaml(second, name="other"))
        async with running(tmp_path, yaml):
            await connected(first)
            await connected(second)
            first.world.say("!max_steps")
            second.world.say("!error")
            await first.until(first.texts)
            await second.until(second.texts)

        assert "step limit" in first.texts()[0]
        assert "step limit" not in second.texts()[0]


async def test_sticker_is_answered_with_what_to_do(tmp_path: Path) -> None:
    async with discord_bot(tmp_path) as (_, discord):
        world = discord.world
        session = discord.gateway.live
        assert session is not None
        session.tell(
            "MESSAGE_CREATE",
            {
                "id": str(world.backend.snowflake()),
                "channel_id": str(world.dm()),
                "author": {"id": str(world.person), "username": "ada"},
                "content": "",
                "timestamp": world.backend.now_iso(),
                "type": 0,
                "attachments": [],
                "mentions": [],
                "sticker_items": [{"id": "5", "name": "wave", "format_type": 1}],
            },
        )
        await discord.until(discord.texts)

        assert "as text" in discord.texts()[0]


async def test_agent_that_ends_at_once_leaves_no_thinking(tmp_path: Path) -> None:
    """However many commands are chosen at a time."""
    async with discord_bot(tmp_path) as (_, discord):
        await _menu(discord)
        for _ in range(5):
            discord.world.slash("status")
        await discord.until(lambda: len(discord.texts()) == 5)
        await asyncio.sleep(0.05)

        assert not any(shown.loading for shown in discord.world.shown())
