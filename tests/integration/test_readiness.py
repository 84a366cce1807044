"""`/readyz` over HTTP: the store and the bots are judged, and told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx

from tests.emulators.valkey import Valkey
from tests.integration.process import Gateway

CONFIG = """\
version: 1
store: "{store}"
server: {{port: 0}}
bots:
  site: {{platform: local, agent: &agent {{kind: scripted, script: [{{when: "*", say: hi}}]}}}}
  broken:
    platform: telegram
    token: "12345:not-a-token-anybody-knows-aaaaaaaaaaa"
    api_base: "http://127.0.0.1:9"
    agent: {{kind: scripted, script: [{{when: "*", say: hi}}]}}
"""


async def test_readiness_judges_bots_unless_any_will_do(tmp_path: Path) -> None:
    async with Gateway(tmp_path, CONFIG.format(store="sqlite:lastword.db")) as gateway:
        code, told = await _asked(gateway, "/readyz")
        any_code, any_told = await _asked(gateway, "/readyz?bots=any")

    assert (code, any_code) == (503, 200)
    assert told["store"] == any_told["store"] == "up"
    assert told["bots"]["broken"] != "up"


async def test_readiness_falls_with_the_store_and_returns_with_it(tmp_path: Path) -> None:
    with Valkey(tmp_path / "server") as server:
        folder = tmp_path / "gateway"
        folder.mkdir()
        async with Gateway(folder, CONFIG.format(store=server.url)) as gateway:
            assert (await _asked(gateway, "/readyz?bots=any"))[0] == 200

            server.kill()
            code, told = await _asked(gateway, "/readyz?bots=any")
            assert (code, told["store"]) == (503, "down")
            assert (await _asked(gateway, "/healthz"))[0] == 200

            server.start()
            async with asyncio.timeout(20):
                while (await _asked(gateway, "/readyz?bots=any"))[0] != 200:
                    await asyncio.sleep(0.1)


async def _asked(gateway: Gateway, path: str) -> tuple[int, dict[str, Any]]:
    async with httpx.AsyncClient(timeout=10) as client:
        answer = await client.get(f"{gateway.address}{path}")
    return answer.status_code, answer.json() if "json" in answer.headers["content-type"] else {}
