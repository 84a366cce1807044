"""A disk that refused a write once: the gateway ends, and a new start goes on with what is there."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from gateway import plugins
from gateway.errors import StoreBroken
from gateway.runtime import Runtime
from gateway.settings import load
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.telegram.scene import config

CHAT = 4711


async def test_gateway_whose_disk_fails_ends_and_a_new_one_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was acknowledged that is not kept, so the platform tells it again."""
    working = True

    def wait(log: int) -> None:
        if not working:
            raise OSError(5, "Input/output error")
        os.fsync(log)

    monkeypatch.setattr("gateway.stores.sqlite.writer._fdatasync", wait)
    async with TelegramEmulator() as tg:
        path = tmp_path / "bots.yaml"
        path.write_text(config(tg))
        up = asyncio.Event()
        gateway = Runtime(load(path, options=plugins.options_of), ready=lambda _: up.set())
        task = asyncio.create_task(gateway.run())
        await up.wait()
        tg.say("one")
        await tg.until(lambda: len(tg.texts(CHAT)) == 1)
        working = False
        tg.say("two")
        with pytest.raises(StoreBroken, match=r"is not on the disk: .*Input/output error"):
            async with asyncio.timeout(10.0):
                await task

        working = True
        async with running(tmp_path, config(tg)):
            await tg.until(lambda: len(tg.texts(CHAT)) == 2)
