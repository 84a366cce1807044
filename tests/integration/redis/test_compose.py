"""What docker-compose.yml runs as `replicas`, run without Docker: its commands and its settings."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.emulators.telegram import TelegramEmulator
from tests.emulators.valkey import Valkey
from tests.integration.process import Gateway

ROOT = Path(__file__).parents[3]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]


def _store_options() -> dict[str, str]:
    """What the store's command line sets."""
    words = SERVICES["valkey"]["command"][1:]
    return {key.removeprefix("--"): value or '""' for key, value in zip(words[::2], words[1::2], strict=True)}


def _config(telegram: TelegramEmulator) -> str:
    """The example that containers run, with the addresses of this test."""
    example = yaml.safe_load((ROOT / "config/examples/docker.yaml").read_text("utf-8"))
    example["server"] = {"port": 0}
    example["bots"]["support"] |= {"api_base": telegram.base, "access": {"dm": "open"}}
    return json.dumps(example)


async def test_replicas_of_compose_answer_once_and_go_on_when_one_is_killed(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = stack.enter_context(Valkey(tmp_path / "valkey", **_store_options()))
        telegram = await stack.enter_async_context(TelegramEmulator())
        env = {"TELEGRAM_TOKEN": telegram.token}
        gateways: list[Gateway] = []
        for name in ("gateway-a", "gateway-b"):
            store = SERVICES[name]["environment"]["LASTWORD_STORE"].replace(
                "valkey:6379", f"127.0.0.1:{server.port}"
            )
            folder = tmp_path / name
            folder.mkdir()
            gateway = Gateway(folder, _config(telegram), env=env | {"LASTWORD_STORE": store})
            gateways.append(await stack.enter_async_context(gateway))
        async with httpx.AsyncClient() as client:
            for gateway in gateways:
                assert (await client.get(f"{gateway.address}/healthz")).status_code == 200

        telegram.say("hello")
        await telegram.until(lambda: telegram.texts(4711), timeout=30)
        await asyncio.sleep(0.5)  # its receipt is kept; else it may be sent once more
        await gateways[0].kill()
        telegram.say("!max_steps")
        await telegram.until(lambda: len(telegram.texts(4711)) > 1, timeout=40)
        for gateway in gateways[1:]:
            assert await gateway.stop() == 0

        first, second = telegram.texts(4711)
        assert "Good day" in first
        assert "step limit" in second
