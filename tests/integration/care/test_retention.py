"""`retention:` of the file reaches the store: texts go after one time, records after another."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway import chores
from gateway.abc import SystemClock
from gateway.stores.sqlite import SqliteStore
from tests.emulators.telegram import TelegramEmulator
from tests.integration.care.scene import config, kept, ran, talking
from tests.integration.inprocess import running

ANN = 11
SECRET = "the-word-of-ann"
DAY = 86_400.0


class Later(SystemClock):
    """The time of some days from now."""

    def __init__(self, days: float) -> None:
        self.days = days

    def time(self) -> float:
        """Unix seconds."""
        return super().time() + self.days * DAY


async def test_texts_fade_first_and_records_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        telegram.say(SECRET, chat=ANN)
        await telegram.until(lambda: telegram.texts(ANN))
        await asyncio.sleep(0.3)
        await gateway.stop()
        assert kept(tmp_path, SECRET)
        ref = gateway.turns()[0]["ref"]

        monkeypatch.setattr(chores, "_FIRST", 0.0)
        await _lived(tmp_path, telegram, days=2)
        assert kept(tmp_path, SECRET) == []
        code, said = await ran(gateway, "why", ref)
        assert code == 0
        assert "completed" in said
        await _lived(tmp_path, telegram, days=8)
        assert gateway.turns() == []


async def _lived(folder: Path, telegram: TelegramEmulator, *, days: float) -> None:
    """Let a gateway live for a moment, some days later."""
    yaml = config(telegram, more="retention: {content: 1d, records: 7d}")
    async with running(folder, yaml, clock=Later(days)):
        await asyncio.sleep(0.5)
    store = SqliteStore(folder / "lastword.db")
    await store.open()
    await store.close()


async def test_records_shorter_than_content_are_refused(tmp_path: Path) -> None:
    async with talking(tmp_path) as (gateway, telegram):
        yaml = config(telegram, more="retention: {content: 30d, records: 7d}")
        (tmp_path / "wrong.yaml").write_text(yaml)
        code, said = await ran(gateway, "check", "wrong.yaml")

    assert code != 0
    assert "retention" in said
    assert "keeps content for 30d, but records for 7d" in said
    assert "write `records: 30d` or longer" in said
