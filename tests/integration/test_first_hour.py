"""A stranger's first hour: from nothing to a bot that answers and tells how, on a real terminal."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway import plugins
from gateway.cli import COMMANDS
from gateway.settings import load
from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal that can be played")

OWNER, STRANGER = 11, 12
_ENV = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("TELEGRAM_", "OPENAI_"))},
    "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents")),
    "PORT": "0",
    "TERM": "dumb",
}
_ON_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl+C reaches it
os.execv(sys.executable, [sys.executable, "-m", "gateway", *sys.argv[1:]])
"""


class Terminal:
    """A person at a terminal in which one command runs.

    Attributes:
        screen: Everything that has stood on it.
    """

    def __init__(self, process: asyncio.subprocess.Process, master: int) -> None:
        self.screen = ""
        self._process = process
        self._master = master
        self._read = 0
        self._grown = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._on_output)

    async def until(self, text: str) -> str:
        """Wait until the screen shows a text behind what was waited for before; all between the two."""
        async with asyncio.timeout(30.0):
            while (at := self.screen.find(text, self._read)) < 0:
                self._grown.clear()
                await self._grown.wait()
        seen, self._read = self.screen[self._read : at + len(text)], at + len(text)
        return seen

    def type(self, line: str) -> None:
        """Type a line and press Enter; a control character goes in alone."""
        os.write(self._master, line.encode() if line < " " and line else f"{line}\n".encode())

    async def ends(self) -> int:
        """Wait until the command is over; its exit code."""
        async with asyncio.timeout(30.0):
            code = await self._process.wait()
            while self._on_output():
                await asyncio.sleep(0)
        return code

    async def leaves(self, key: str) -> int:
        """Press a key, and again where it was overheard; the exit code.

        Python does not notice a Ctrl+C in the instant between showing a prompt and beginning to read.
        """
        ended = asyncio.create_task(self._process.wait())
        async with asyncio.timeout(30.0):
            while not ended.done():
                await asyncio.sleep(0.05)  # nobody is faster
                self.type(key)
                await asyncio.wait({ended}, timeout=8.0)
        return await self.ends()

    def _on_output(self) -> bool:
        """Take what came; whether there may be more."""
        try:
            more = os.read(self._master, 65_536).decode("utf-8", "replace").replace("\r\n", "\n")
        except OSError:  # the other side is closed: Linux's word for the end of a terminal
            more = ""
        if not more:
            asyncio.get_running_loop().remove_reader(self._master)
        self.screen += more
        self._grown.set()
        return bool(more)


@asynccontextmanager
async def at_terminal(folder: Path, *command: str) -> AsyncGenerator[Terminal]:
    """One `lastword` command in a folder, on a terminal of its own."""
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _ON_TERMINAL, *command,
        cwd=folder, env=_ENV, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    terminal = Terminal(process, master)
    try:
        yield terminal
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        asyncio.get_running_loop().remove_reader(master)
        os.close(master)


async def _lastword(folder: Path, *command: str) -> tuple[int, str]:
    """One command without a terminal; its exit code and all it says."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway", *command,
        cwd=folder, env=_ENV,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(30.0):
        said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


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
            await terminal.until(
                "open https://t.me/emulated_bot and send the bot /start CODE, and it is yours."
            )

            assert await terminal.ends() == 0
            assert tg.token not in terminal.screen
        assert tg.token not in (tmp_path / "bots.yaml").read_text("utf-8")
        assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600

        code, said = await _lastword(tmp_path, "check", "--probe")
        assert code == 0, said
        assert "emulated_bot: telegram, agent helper, private chats pairing; endings are told" in said
        code, said = await _lastword(tmp_path, "setup", "telegram", "--config", "bots.yaml")
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

        code, said = await _lastword(tmp_path, "turns", "--reason", "max_steps")
        assert code == 0
        assert "max_steps" in said
        code, said = await _lastword(tmp_path, "setup", "telegram", "--config", "bots.yaml")
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
        lacking = await _lastword(tmp_path, "init", "--api-base", tg.base)
        made = await _lastword(tmp_path, "init", "--api-base", tg.base, "--token", tg.token, "--dm", "open")

    assert lacking[0] == 2
    assert "set TELEGRAM_TOKEN, or give --token. Nothing was written." in lacking[1]
    assert made[0] == 0, made[1]
    assert "Your choice" not in made[1]
    assert _files(tmp_path) == [".env", "bots.schema.json", "bots.yaml"]


async def test_rival_webhook_is_seen_before_the_first_run(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        tg.hooks.set({"url": "https://rival.example/secret-path"})
        await _lastword(tmp_path, "init", "--api-base", tg.base, "--token", tg.token)

        code, said = await _lastword(tmp_path, "setup", "telegram", "--config", "bots.yaml")

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
