"""A gateway with one Telegram bot against the emulator."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.runtime import Runtime
from tests.emulators.telegram import TelegramEmulator
from tests.integration.inprocess import running

__all__ = ["config", "telegram_bot"]

_SCRIPT = """
      - {when: long, say: "LONG"}
      - {when: acting, action: send_report, say: "one two three four five", hang: true}
      - {when: cut short, say: "one two three", end: max_steps}
      - {when: hang, say: "thinking about it", hang: true}
"""


def config(tg: TelegramEmulator, *, bot: str = "", agent: str = "pace: 0.0", script: str = _SCRIPT) -> str:
    """The YAML of a scene; `bot` and `agent` are more keys of each, in flow style."""
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  teller:
    kind: scripted
    directives: true
    {agent}
    script: {script}
bots:
  support:
    platform: telegram
    token: "{tg.token}"
    api_base: "{tg.base}"
    agent: teller
    surface_completion_reason: true
    access: {{dm: open}}
    rates: {{overall: 0, chat: 0, group: 0}}
    {bot}
"""


@asynccontextmanager
async def telegram_bot(
    folder: Path, *, bot: str = "", agent: str = "pace: 0.0", script: str = _SCRIPT
) -> AsyncGenerator[tuple[Runtime, TelegramEmulator]]:
    """A running gateway and its Telegram."""
    async with (
        TelegramEmulator() as tg,
        running(folder, config(tg, bot=bot, agent=agent, script=script)) as gateway,
    ):
        yield gateway, tg
