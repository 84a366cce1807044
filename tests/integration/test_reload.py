"""A configuration that changes while the gateway runs, in a real process."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import httpx
import pytest

from tests.emulators.telegram import Fault, TelegramEmulator
from tests.integration.process import ROOT, Gateway, until

CHAT = 4711


def _config(*bots: str, say: str = "one", more: str = "") -> str:
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  actor:
    kind: scripted
    pace: 0.0
    script: [{{when: hang, say: "", hang: true}}, {{when: "*", say: "{say}"}}]
bots:
{"".join(bots)}{more}
"""


def _bot(tg: TelegramEmulator, name: str = "support", *, token: str = "", more: str = "") -> str:
    return (
        f'  {name}: {{platform: telegram, token: "{token or tg.token}", api_base: "{tg.base}", agent: actor,'
        f" surface_completion_reason: true, access: {{dm: open}}{more}}}\n"
    )


async def _said(tg: TelegramEmulator, text: str = "hello") -> str:
    before = len(tg.messages(CHAT))
    tg.say(text)
    await tg.until(lambda: len(tg.messages(CHAT)) > before)
    return tg.texts(CHAT)[-1]


async def _logged(gateway: Gateway, what: str) -> None:
    async with asyncio.timeout(20.0):
        while not any(what in line for line in gateway.log):
            await asyncio.sleep(0.05)


async def _reload(folder: Path) -> tuple[int, str]:
    """`lastword reload`, its exit code and what it said."""
    return await _command("reload", folder)


async def _command(name: str, folder: Path) -> tuple[int, str]:
    command = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gateway",
        name,
        str(folder / "bots.yaml"),
        cwd=ROOT,
        env={"PYTHONPATH": ".:adapters:agents", "PATH": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await command.communicate()
    return command.returncode or 0, said.decode()


async def test_changed_file_is_taken_over_without_a_restart(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(_bot(tg))) as gateway:
        assert await _said(tg) == "one"
        calls = len(tg.sent("getMe"))
        (tmp_path / "bots.yaml").write_text(_config(_bot(tg), say="two"), "utf-8")
        await _logged(gateway, "runtime.reloaded")

        assert await _said(tg) == "two"
        assert len(tg.sent("getMe")) == calls  # the connection was not disturbed


async def test_turn_under_way_ends_with_the_agent_it_began_with(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(_bot(tg))) as gateway:
        tg.say("hang")
        await asyncio.sleep(0.5)
        (tmp_path / "bots.yaml").write_text(_config(_bot(tg), say="two"), "utf-8")
        await _logged(gateway, "runtime.reloaded")
        assert await _said(tg, "/stop")

        assert "interrupted before it finished" in tg.texts(CHAT)[0]
        assert await _said(tg) == "two"


@pytest.mark.parametrize("broken", ["bots: [", "agents: {actor: {kind: scriptd}}"])
async def test_broken_file_changes_nothing_and_is_told(tmp_path: Path, broken: str) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(_bot(tg))) as gateway:
        (tmp_path / "bots.yaml").write_text(broken, "utf-8")
        await _logged(gateway, "everything runs on as it was")
        assert await _said(tg) == "one"
        code, said = await _reload(tmp_path)

        assert code == 78
        assert "bots.yaml:" in said


async def test_file_that_is_broken_at_the_start_runs_as_it_last_was(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(_bot(tg))) as gateway:
        assert await _said(tg) == "one"
        await until(lambda: gateway.turns()[0]["state"] == "delivered")
        await gateway.kill()
        (tmp_path / "bots.yaml").write_text("bots: [", "utf-8")
        await gateway.start()
        assert await _said(tg) == "one"
        assert any("running on its last copy" in line for line in gateway.log)
        (tmp_path / "bots.yaml").write_text(_config(_bot(tg), say="three"), "utf-8")
        await _logged(gateway, "runtime.reloaded")

        assert await _said(tg) == "three"


async def test_bots_come_and_go(tmp_path: Path) -> None:
    site = "  site: {platform: local, agent: actor}\n"
    async with (
        TelegramEmulator() as tg,
        Gateway(tmp_path, _config(site)) as gateway,
        httpx.AsyncClient() as web,
    ):
        assert (await web.get(f"{gateway.address}/chat/site")).status_code == 200
        (tmp_path / "bots.yaml").write_text(_config(_bot(tg)), "utf-8")
        await _logged(gateway, "runtime.reloaded")

        assert (await web.get(f"{gateway.address}/chat/site")).status_code == 404
        assert await _said(tg) == "one"


async def test_new_connection_that_cannot_be_had_leaves_the_old_one(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(_bot(tg))):
        assert await _said(tg) == "one"
        tg.fail("getMe", *[Fault(401, "Unauthorized")] * 50)
        wrong = _config(_bot(tg, token="42:" + "b" * 35))
        (tmp_path / "bots.yaml").write_text(wrong, "utf-8")
        code, said = await _reload(tmp_path)

        assert code == 1
        assert "bot 'support' stays as it was" in said
        assert await _said(tg) == "one"


async def test_reload_without_a_gateway_says_so(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        (tmp_path / "bots.yaml").write_text(_config(_bot(tg)), "utf-8")
        code, said = await _reload(tmp_path)

    assert code == 1
    assert "No gateway runs" in said


async def test_status_tells_how_each_bot_stands(tmp_path: Path) -> None:
    site = "  site: {platform: local, agent: actor}\n"
    async with TelegramEmulator() as tg, Gateway(tmp_path, _config(_bot(tg), site)):
        tg.say("hang")
        await tg.until(lambda: tg.typing[CHAT])
        code, said = await _command("status", tmp_path)

    lines = [line.split() for line in said.splitlines()]
    assert code == 0
    assert lines[0] == ["site", "local", "up", "0", "running"]
    assert lines[1] == ["support", "telegram", "up", "1", "running"]
    code, said = await _command("status", tmp_path)
    assert (code, "No gateway runs" in said) == (1, True)


async def test_bot_that_was_refused_is_tried_again(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        tg.fail("getMe", Fault(401, "Unauthorized"))
        async with Gateway(tmp_path, _config(_bot(tg))) as gateway:
            await _logged(gateway, "misconfigured")
            code, said = await _reload(tmp_path)

            assert (code, said.strip()) == (0, "The configuration was read anew.")
            assert await _said(tg) == "one"
