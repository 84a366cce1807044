"""A gateway on Telegram whose store is looked after."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.emulators.telegram import TelegramEmulator
from tests.integration.process import Gateway
from tests.integration.terminal import lastword

__all__ = ["config", "kept", "ran", "talking"]


def config(telegram: TelegramEmulator, *, more: str = "", store: str = "sqlite:lastword.db") -> str:
    """One bot that says everything back, and hangs when it is told to."""
    return f"""
version: 1
store: "{store}"
server: {{port: 0}}
{more}
agents:
  echo:
    kind: scripted
    script:
      - {{when: hang, say: "thinking", hang: true}}
      - {{when: "*", say: "Heard."}}
bots:
  support:
    platform: telegram
    token: "{telegram.token}"
    api_base: "{telegram.base}"
    agent: echo
    surface_completion_reason: true
    access: {{dm: open, groups: all}}
    rates: {{overall: 0, chat: 0, group: 0}}
"""


@asynccontextmanager
async def talking(folder: Path, *, more: str = "") -> AsyncGenerator[tuple[Gateway, TelegramEmulator]]:
    """A gateway and the platform its people write on."""
    async with TelegramEmulator() as telegram, Gateway(folder, config(telegram, more=more)) as gateway:
        yield gateway, telegram


async def ran(gateway: Gateway, *command: str) -> tuple[int, str]:
    """One `lastword` command in the gateway's folder."""
    return await lastword(gateway.folder, *command)


def kept(folder: Path, text: str) -> list[str]:
    """The files of the store in which a text stands, in any place, used or free."""
    files = (path for path in folder.glob("lastword.db*") if path.is_file())
    return sorted(path.name for path in files if text.encode() in path.read_bytes())
