"""Closed by default: the owner claims the bot with a code, strangers get one, not the agent."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import ROOT, Gateway, until
from tests.integration.telegram.scene import config

OWNER, STRANGER, ANOTHER = 1, 2, 3
_CODE = re.compile(r"your code is (\w+)")


def _closed(tg: TelegramEmulator) -> str:
    return config(tg).replace("access: {dm: open}", "")


async def _owner_code(gateway: Gateway) -> str:
    line = await until(lambda: next((line for line in gateway.log if "/start " in line), ""))
    return str(line).rsplit("/start ", 1)[1].split()[0]


def _code(text: str) -> str:
    found = _CODE.search(text)
    assert found is not None, text
    return found[1]


async def _pair(folder: Path, code: str) -> tuple[int, str]:
    """`lastword pair CODE` beside the running gateway."""
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway", "pair", code, "--config", str(folder / "bots.yaml"),
        env=os.environ | {"PYTHONPATH": path},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(30.0):
        said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


async def test_owner_claims_the_bot_and_lets_others_in(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _closed(tg)) as gateway:
        code = await _owner_code(gateway)

        tg.say("hello", chat=STRANGER)
        await tg.until(lambda: tg.messages(STRANGER))
        asked = tg.texts(STRANGER)[0]
        assert "your code is" in asked
        assert code not in asked

        tg.say(f"/start {code}", chat=OWNER)
        await tg.until(lambda: tg.messages(OWNER))
        tg.say("hello", chat=OWNER)
        await tg.until(lambda: len(tg.messages(OWNER)) == 2)
        assert "scripted agent" in tg.texts(OWNER)[1]

        tg.say(f"/pair {_code(asked)}", chat=OWNER)
        await tg.until(lambda: len(tg.messages(OWNER)) == 3)
        tg.say("hello again", chat=STRANGER)
        await tg.until(lambda: any("scripted agent" in text for text in tg.texts(STRANGER)))

        assert not any(code in line for line in gateway.log if line.startswith("{"))


async def test_command_line_lets_somebody_in_while_the_gateway_runs(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _closed(tg)) as gateway:
        await _owner_code(gateway)
        tg.say("hello", chat=ANOTHER)
        await tg.until(lambda: tg.messages(ANOTHER))

        wrong = await _pair(tmp_path, "AAAA2222")
        right = await _pair(tmp_path, _code(tg.texts(ANOTHER)[0]))
        tg.say("hello again", chat=ANOTHER)
        await tg.until(lambda: any("scripted agent" in text for text in tg.texts(ANOTHER)))

        assert wrong[0] == 1
        assert "No open pairing request" in wrong[1]
        assert right[0] == 0
        assert "may now talk to support" in right[1]


async def test_claim_survives_a_restart_and_the_code_works_once(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _closed(tg)) as gateway:
        code = await _owner_code(gateway)
        tg.say(f"/start {code}", chat=OWNER)
        await until(lambda: [turn["state"] for turn in gateway.turns()] == ["delivered"])
        await gateway.restart()

        tg.say(f"/start {code}", chat=STRANGER)
        tg.say("hello", chat=OWNER)
        await tg.until(lambda: len(tg.messages(OWNER)) == 2 and tg.messages(STRANGER))

        assert "scripted agent" in tg.texts(OWNER)[1]
        assert "your code is" in tg.texts(STRANGER)[0]
