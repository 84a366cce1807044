"""A stranger's first hour: from nothing to a bot that answers and tells how, on a real terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from gateway import plugins
from gateway.cli import COMMANDS
from gateway.settings import load
from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import ROOT
from tests.integration.terminal import at_terminal, lastword

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal that can be played")

OWNER, STRANGER = 11, 12


def _files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_stranger_reaches_a_bot_that_tells_its_endings(tmp_path: Path) -> None:
    """What the README promises, word by word, with nothing but a token at hand."""
    async with TelegramEmulator() as tg:
        async with at_terminal(tmp_path, "init", "--api-base", tg.base) as terminal:
            await terminal.until("1 of 3  Where do people talk to it?")
            await terminal.until("Your choice [telegram]: ")
            terminal.type("")
            await terminal.until("`lastword setup telegram` tells how to get one.")
            await terminal.until("Its token (What BotFather gave you): ")
            terminal.type(f"{tg.token}x")
            await terminal.until("Telegram rejected the token: copy it from BotFather again.")
            await terminal.until("Its token (What BotFather gave you): ")
            terminal.type(tg.token)
            await terminal.until("This is @emulated_bot, https://t.me/emulated_bot.")
            await terminal.until("2 of 3  What answers?")
            await terminal.until("Your choice [demo]: ")
            terminal.type("")
            await terminal.until("3 of 3  Who may talk to it?")
            await terminal.until("Your choice [pairing]: ")
            terminal.type("")
            await terminal.until("Wrote .env, its secrets; keep them out of version control.")
            await terminal.until("open https://t.me/emulated_bot and send that to the bot, and it is yours.")

            assert await terminal.ends() == 0
            assert tg.token not in terminal.screen
        assert tg.token not in (tmp_path / "bots.yaml").read_text("utf-8")
        assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600

        code, said = await lastword(tmp_path, "check", "--probe")
        assert code == 0, said
        assert "emulated_bot: telegram, agent helper, private chats pairing; endings are told" in said
        code, said = await lastword(tmp_path, "setup", "telegram", "--config", "bots.yaml")
        assert code == 0, said
        assert said.endswith("  All is well.\n")

        async with at_terminal(tmp_path, "run", "--log-level", "error") as terminal:
            await terminal.until("Lastword is running; ")
            await terminal.until("Send it this message to claim it: ")
            claim = (await terminal.until("\n")).strip()
            assert re.fullmatch(r"/start \w+", claim)

            tg.say("let me in", chat=STRANGER)
            await tg.until(lambda: tg.texts(STRANGER))
            tg.say(claim, chat=OWNER)
            await tg.until(lambda: tg.texts(OWNER))
            tg.say("hello", chat=OWNER)
            await tg.until(lambda: len(tg.texts(OWNER)) == 2)
            tg.say("!max_steps", chat=OWNER, language="de")
            await tg.until(lambda: len(tg.texts(OWNER)) == 3)
            await tg.until(lambda: tg.chats.commands.get("de"))

            assert "your code is" in tg.texts(STRANGER)[0]
            assert tg.texts(OWNER)[1] == "Hello! Ask me for a story, or send !stream_cut."
            assert (
                "⏳ Ich habe aufgehört, weil die Höchstzahl an Schritten erreicht ist" in tg.texts(OWNER)[2]
            )
            assert [button["text"] for row in tg.messages(OWNER)[2].buttons for button in row] == ["Weiter"]

            terminal.type("\x03")
            assert await terminal.ends() == 0
            assert tg.token not in terminal.screen

        code, said = await lastword(tmp_path, "turns", "--reason", "max_steps")
        assert code == 0
        assert "max_steps" in said
        code, said = await lastword(tmp_path, "setup", "telegram", "--config", "bots.yaml")
        assert re.search(r"  commands +\d+ registered\n", said), said


@pytest.mark.parametrize("key", ["\x03", "\x04"])
async def test_terminal_that_is_left_leaves_nothing(tmp_path: Path, key: str) -> None:
    """Ctrl+C and Ctrl+D, in the middle of a secret and at the last question."""
    async with TelegramEmulator() as tg:
        async with at_terminal(tmp_path, "init", "--platform", "telegram", "--api-base", tg.base) as terminal:
            await terminal.until("Its token (What BotFather gave you): ")
            assert await terminal.leaves(key) == 130
            assert terminal.screen.endswith("Nothing was written.\n")
        async with at_terminal(
            tmp_path, "init", "--demo", "--token", tg.token, "--api-base", tg.base
        ) as terminal:
            await terminal.until("Your choice [telegram]: ")
            terminal.type("")
            await terminal.until("Your choice [pairing]: ")
            assert await terminal.leaves(key) == 130

    assert _files(tmp_path) == []


async def test_script_without_a_terminal_is_never_asked(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        lacking = await lastword(tmp_path, "init", "--api-base", tg.base)
        made = await lastword(tmp_path, "init", "--api-base", tg.base, "--token", tg.token, "--dm", "open")

    assert lacking[0] == 2
    assert "set TELEGRAM_TOKEN, or give --token. Nothing was written." in lacking[1]
    assert made[0] == 0, made[1]
    assert "Your choice" not in made[1]
    assert _files(tmp_path) == [".env", "bots.schema.json", "bots.yaml"]


async def test_rival_webhook_is_seen_before_the_first_run(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        tg.hooks.set({"url": "https://rival.example/secret-path"})
        await lastword(tmp_path, "init", "--api-base", tg.base, "--token", tg.token)

        code, said = await lastword(tmp_path, "setup", "telegram", "--config", "bots.yaml")

    assert code == 1
    assert "problem: a webhook at rival.example receives for this bot" in said
    assert "secret-path" not in said


def test_readme_names_commands_and_files_that_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")

    named = set(re.findall(r"^lastword (\w+)|`lastword (\w+)", readme, re.MULTILINE))

    words = {first or second for first, second in named}
    assert {"init", "run", "check", "setup", "pair"} <= words <= set(COMMANDS)
    assert [
        link for link in re.findall(r"\]\((?!http)([^)#]+)\)", readme) if not (ROOT / link).exists()
    ] == []


def test_configuration_of_the_readme_is_valid(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"```yaml\n(version: 1\n.*?)```", readme, re.DOTALL)
    (tmp_path / "bots.yaml").write_text(shown, "utf-8")
    env = {"TELEGRAM_TOKEN": "123456789:ABC-DEF", "OPENAI_API_KEY": "key-for-a-test"}

    settings = load(tmp_path / "bots.yaml", options=plugins.options_of, env=env)

    assert settings.bots["support"].surface_completion_reason
