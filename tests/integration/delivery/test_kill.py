"""Kill a real gateway while it owes an answer."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.delivery.platforms import PLATFORMS, opened
from tests.integration.delivery.scene import dead, lastword
from tests.integration.process import Gateway, until
from tests.integration.telegram import scene

pytestmark = pytest.mark.kill

CHAT, OTHER = 4711, 4712
_WAIT = 8  # seconds; a gateway is up again long before
_KILLER = """
import os, signal
def agent(text):
    if "poison" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return "hello"
"""


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_wait_that_a_platform_asks_for_outlives_the_process(tmp_path: Path, platform: str) -> None:
    """Nothing is sent before it is over, though the next process is up before that."""
    async with opened(platform) as chat, Gateway(tmp_path, chat.yaml()) as gateway:
        await chat.until(chat.listens)
        chat.limit(_WAIT)
        chat.say("hi")
        await until(lambda: gateway.events("delivery.postponed"))
        asked = time.monotonic()
        await gateway.restart()
        assert time.monotonic() - asked < _WAIT - 1.0

        await chat.until(chat.texts, timeout=30.0)

        assert time.monotonic() - asked > _WAIT - 0.5
        assert chat.calls() == 2
        assert chat.texts() == ["hello"]


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_killed_between_a_send_and_its_receipt_reconciles_or_says_so(
    tmp_path: Path, platform: str
) -> None:
    hold = asyncio.Event()
    async with opened(platform) as chat, Gateway(tmp_path, chat.yaml()) as gateway:
        await chat.until(chat.listens)
        chat.lose(hold=hold)
        chat.say("hi")
        await chat.until(chat.texts)
        await gateway.kill()
        hold.set()
        await gateway.start()
        await until(lambda: gateway.turns()[0].get("state") == "delivered")
        await asyncio.sleep(0.3)

        twice = "⏳ You may see this answer twice — you can ignore the second copy.\n\nhello"
        assert chat.texts() == (["hello"] if chat.reconciles else ["hello", twice])
        assert await gateway.silent() == 0


async def test_message_that_kills_the_process_again_and_again_is_told_and_kept_among_the_dead(
    tmp_path: Path,
) -> None:
    """Others are answered meanwhile; it can be tried again on purpose, or dropped."""
    (tmp_path / "killer.py").write_text(_KILLER)
    async with TelegramEmulator() as tg, Gateway(tmp_path, _killing(tg)) as gateway:
        tg.say("poison", chat=CHAT)
        lives = 0
        while not tg.messages(CHAT):
            lives += 1
            assert lives < 12
            await _lives_on(gateway, tg)
        tg.say("hi", chat=CHAT)
        await tg.until(lambda: len(tg.messages(CHAT)) == 2)

        assert "This turn ended early due to an error" in tg.texts(CHAT)[0]
        assert tg.texts(CHAT)[1] == "hello"
        (letter,) = await until(lambda: dead(tmp_path))
        assert (letter["kind"], letter["state"], letter["chat"]) == ("message", "dropped", str(CHAT))
        assert await gateway.silent() == 0

        dropped = await lastword(tmp_path, "dead", "drop", letter["id"])
        assert (dropped.code, dropped.out) == (0, "Dropped 1 letter.\n")
        assert await dead(tmp_path) == []


def _killing(tg: TelegramEmulator) -> str:
    yaml = scene.config(tg)
    head, _, rest = yaml.partition("agents:\n")
    bots = rest.partition("bots:\n")[2]
    return f'{head}agents:\n  teller: {{target: "killer:agent"}}\nbots:\n{bots}    on_restart: rerun\n'


async def _lives_on(gateway: Gateway, tg: TelegramEmulator) -> None:
    """Start it again once it is dead, unless everything is told by then."""
    while not tg.messages(CHAT):
        if gateway.is_over():
            await gateway.restart()
            return
        await asyncio.sleep(0.05)
