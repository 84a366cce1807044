"""What a gateway tells the service manager that started it."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

from tests.integration.process import Gateway

CONFIG = """\
version: 1
store: "sqlite:lastword.db"
server: {port: 0}
bots:
  site: {platform: local, agent: {kind: scripted, script: [{when: "*", say: hi}]}}
"""


async def test_service_manager_hears_ready_the_watchdog_and_the_stop(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        address = tmp_path / "notify"
        heard.bind(str(address))
        heard.settimeout(0)
        env = {"NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "300000"}

        async with Gateway(tmp_path, CONFIG, env=env) as gateway:
            told = await _until(heard, "READY=1")
            told += await _until(heard, "WATCHDOG=1")
            assert await gateway.stop() == 0
            told += await _until(heard, "STOPPING=1")

    assert "STATUS=Answers at http" in "".join(told)


async def _until(heard: socket.socket, word: str) -> list[str]:
    """What was heard until a word came."""
    found: list[str] = []
    async with asyncio.timeout(10):
        while not any(word in line for line in found):
            found.append((await asyncio.get_running_loop().sock_recv(heard, 4096)).decode())
    return found
