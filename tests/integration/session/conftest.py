"""A bot whose agent remembers what it was asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from gateway.runtime import Runtime
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running
from tests.integration.session import recorder

Start = Callable[..., AbstractAsyncContextManager[tuple[Runtime, TelegramEmulator]]]

_MODULE = "tests.integration.session.recorder"


def config(tg: TelegramEmulator, *, bot: str = "", top: str = "", agent: str = "") -> str:
    """The YAML; each is more keys."""
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
{top}
agents:
  mine: {{target: "{_MODULE}:recorder", timeout: 20s{agent}}}
  clerk: {{target: "{_MODULE}:clerk"}}
bots:
  support:
    platform: telegram
    token: "{tg.token}"
    api_base: "{tg.base}"
    agent: mine
    surface_completion_reason: true
    access: {{dm: open, admins: ["99"]}}
    rates: {{overall: 0, chat: 0, group: 0}}
    {bot}
"""


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a gateway; entered again, it starts on the same store."""

    @asynccontextmanager
    async def begin(
        tg: TelegramEmulator, *, bot: str = "", top: str = "", agent: str = ""
    ) -> AsyncGenerator[Runtime]:
        recorder.asked.clear()
        async with running(tmp_path, config(tg, bot=bot, top=top, agent=agent)) as runtime:
            yield runtime

    @asynccontextmanager
    async def both(
        *, bot: str = "", top: str = "", agent: str = ""
    ) -> AsyncGenerator[tuple[Runtime, TelegramEmulator]]:
        async with TelegramEmulator() as tg, begin(tg, bot=bot, top=top, agent=agent) as runtime:
            yield runtime, tg

    return both
