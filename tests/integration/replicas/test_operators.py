"""What operators see of several processes, and what becomes of a configuration that differs."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import ROOT, until
from tests.integration.replicas.scene import (
    CHAT,
    LEASE,
    Replica,
    answered_once,
    shared_store,
    telegram_config,
    telegram_replicas,
)

pytestmark = pytest.mark.kill


async def _lastword(folder: Path, *words: str) -> tuple[int, str]:
    """Run a command as an operator would, with its exit code."""
    path = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "gateway",
        *words,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(30.0):
        out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


async def _get(replica: Replica, path: str) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.get(f"{replica.address}{path}")


async def test_stand_by_is_ready_and_tells_no_gauge_of_the_owner(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path) as (tg, one, other):
        tg.say("hi")
        await answered_once(tg, ["hello"])
        ready = [await _get(replica, "/readyz") for replica in (one, other)]
        held = [(await _get(replica, "/metrics")).text for replica in (one, other)]

        assert [answer.status_code for answer in ready] == [200, 200]
        assert [answer.json()["bots"] for answer in ready] == [{"support": "up"}, {"support": "standby"}]
        assert 'lastword_partitions_held{bot="support"} 1.0' in held[0]
        assert "lastword_partitions_held{" not in held[1]


async def test_status_tells_of_both_and_who_holds_what(tmp_path: Path) -> None:
    async with telegram_replicas(tmp_path) as (_, one, other):
        (code, told), (other_code, others) = await asyncio.gather(
            _lastword(one.folder, "status", "--output", "json"),
            _lastword(other.folder, "status", "--output", "json"),
        )
        mine, theirs = (cast("dict[str, Any]", json.loads(text)) for text in (told, others))

        assert (code, other_code) == (0, 0)
        assert mine["bots"]["support"]["state"] == "up"
        assert mine["bots"]["support"]["partitions"] == ["support"]
        assert theirs["bots"]["support"]["state"] == "standby"
        assert theirs["bots"]["support"]["detail"] == f"held by {mine['replica']}"


async def test_two_processes_of_one_folder_are_both_told_of_and_both_reloaded(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        text = telegram_config(tg, shared_store())
        async with Replica(tmp_path, text) as one, Replica(tmp_path, text) as other:
            await until(lambda: _settled(one, other))
            code, told = await _lastword(tmp_path, "status")
            (tmp_path / "bots.yaml").write_text(text.replace('say: "hello"', 'say: "good day"'), "utf-8")
            reload_code, _ = await _lastword(tmp_path, "reload")
            tg.say("hi")
            await answered_once(tg, ["good day"])

            assert code == reload_code == 0
            assert told.count("replica ") == 2
            assert sorted(word for word in told.split() if word in ("up", "standby")) == ["standby", "up"]
            assert all(replica.events("runtime.reloaded") for replica in (one, other))


async def _settled(*found: Replica) -> bool:
    return sorted([await replica.state() for replica in found]) == ["standby", "up"]


async def test_deploy_of_another_configuration_takes_over_when_the_old_one_goes(tmp_path: Path) -> None:
    """The newer one waits for the holder, the older stand-by refuses from then on, and nothing flaps."""
    async with telegram_replicas(tmp_path) as (tg, one, other):
        text = (one.folder / "bots.yaml").read_text("utf-8")
        folder = tmp_path / "newer"
        folder.mkdir()
        async with Replica(folder, text.replace('say: "hello"', 'say: "good day"')) as newer:
            await until(newer.stands_by)
            await asyncio.sleep(LEASE)
            tg.say("hi")
            await answered_once(tg, ["hello"])
            assert await one.stop() == 0
            await until(newer.leads)
            tg.say("hi")
            await answered_once(tg, ["hello", "good day"])
            await asyncio.sleep(2 * LEASE)
            _, told = await _lastword(other.folder, "status")

            assert await other.state() == "standby"
            assert "held by" in told or "newer configuration" in told
            (refused,) = other.events("ownership.stood_by")
            assert "has a newer configuration" in refused["why"]
            assert not other.events("ownership.taken")
            assert len(newer.events("ownership.taken")) == 1
            assert tg.texts(CHAT) == ["hello", "good day"]


async def test_code_of_the_owner_is_told_by_the_process_that_holds_the_bot(tmp_path: Path) -> None:
    async with TelegramEmulator() as tg:
        text = telegram_config(tg, shared_store()).replace("access: {dm: open}", "access: {dm: pairing}")
        folders = [tmp_path / name for name in ("one", "other")]
        for folder in folders:
            folder.mkdir()
        async with Replica(folders[0], text) as one:
            await until(one.leads)
            async with Replica(folders[1], text) as other:
                await until(other.stands_by)
                await until(lambda: _offers(one))
                await asyncio.sleep(0.5)
                before = _offers(other)
                await one.kill()
                await until(lambda: _offers(other))

                assert not before
                assert _offers(one) == _offers(other)


def _offers(replica: Replica) -> list[str]:
    return [line for line in replica.log if "/start" in line]
