"""Configuration files that become something else while a real gateway runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import Gateway, until

CHAT = 4711


def _config(tg: TelegramEmulator, *, say: str = "one", agent: str = "", more: str = "") -> str:
    made = agent or f'{{kind: scripted, pace: 0.0, script: [{{when: "*", say: "{say}"}}]}}'
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
{more}
agents:
  actor: {made}
bots:
  support: {{platform: telegram, token: "{tg.token}", api_base: "{tg.base}", agent: actor,
    surface_completion_reason: true, access: {{dm: open}}}}
"""


async def _said(tg: TelegramEmulator) -> str:
    before = len(tg.messages(CHAT))
    tg.say("hello")
    await tg.until(lambda: len(tg.messages(CHAT)) > before)
    return tg.texts(CHAT)[-1]


def _replace(path: Path, how: str) -> None:
    path.unlink()
    match how:
        case "folder":
            path.mkdir()
        case "empty":
            path.touch()
        case "bytes":
            path.write_bytes(b"\xff\xfe\x00version: 1")
        case "loop":
            path.symlink_to(path)
        case _:  # gone
            pass


@pytest.mark.parametrize("how", ["folder", "empty", "bytes", "loop", "gone"])
async def test_file_that_is_none_any_more_changes_nothing_and_is_told(tmp_path: Path, how: str) -> None:
    path = tmp_path / "bots.yaml"
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(tg)) as gateway:
        _replace(path, how)
        await until(lambda: any("everything runs on as it was" in line for line in gateway.log))
        assert await _said(tg) == "one"
        await until(lambda: all(turn["state"] == "delivered" for turn in gateway.turns()))
        await gateway.restart()
        assert await _said(tg) == "one"
        if path.is_dir():
            path.rmdir()
        path.unlink(missing_ok=True)
        path.write_text(_config(tg, say="two"), "utf-8")
        await until(lambda: gateway.events("runtime.reloaded"))

        assert await _said(tg) == "two"


async def test_file_that_is_swapped_many_times_ends_as_it_is_left(tmp_path: Path) -> None:
    path = tmp_path / "bots.yaml"
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(tg)) as gateway:
        for number in range(20):
            path.write_text("bots: [" if number % 2 else _config(tg, say=f"number {number}"), "utf-8")
            await asyncio.sleep(0.05)
        path.write_text(_config(tg, say="last"), "utf-8")
        await until(lambda: gateway.events("runtime.reloaded"))
        await asyncio.sleep(2.0)

        assert await _said(tg) == "last"
        assert await gateway.silent() == 0


async def test_included_file_that_was_broken_is_taken_over_once_it_is_right(tmp_path: Path) -> None:
    path, more = tmp_path / "bots.yaml", tmp_path / "bots.d"
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(tg)) as gateway:
        more.mkdir()
        (more / "site.yaml").write_text("bots: [", "utf-8")
        path.write_text(_config(tg, more='include: ["bots.d/*.yaml"]'), "utf-8")
        await until(lambda: any("everything runs on as it was" in line for line in gateway.log))
        (more / "site.yaml").write_text("bots: {site: {platform: local, agent: actor}}\n", "utf-8")
        await until(lambda: gateway.events("runtime.reloaded"), timeout=8.0)


async def test_agent_that_cannot_be_built_at_a_start_leaves_the_last_good_one(tmp_path: Path) -> None:
    """It validates, so the running gateway stays as it was; a restart has to come up as well."""
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(tg)) as gateway:
        assert await _said(tg) == "one"
        (tmp_path / "bots.yaml").write_text(_config(tg, agent='{target: "nowhere:agent"}'), "utf-8")
        await until(lambda: gateway.events("runtime.not_taken_over"))
        await gateway.restart()

        assert await _said(tg) == "one"
