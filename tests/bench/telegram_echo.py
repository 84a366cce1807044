"""Echo over Telegram polling: the gateway against the bare library, round by round."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench.botapi import TOKEN, Platform
from tests.bench.rounds import Echo, against_bare
from tests.emulators.valkey import Valkey

__all__ = ["compare", "compare_on_valkey", "config"]

_CONFIG = """
version: 1
store: "{store}"
server: {{port: 0}}
agents:
  echo: {{target: "tests.bench.echo:answer"}}
bots:
  echo:
    platform: telegram
    token: "{token}"
    api_base: "{base}"
    agent: echo
    surface_completion_reason: true
    access: {{dm: open}}
    rates: {{overall: 0, chat: 0, group: 0}}
"""


async def compare(*, rounds: int, messages: int, lone: int) -> tuple[Echo, Echo]:
    """The gateway and the bare library, interleaved."""
    return await against_bare(
        Platform,
        config=config,
        bare=("tests.bench.bare_telegram", _environment),
        rounds=rounds,
        messages=messages,
        lone=lone,
    )


async def compare_on_valkey(*, rounds: int, messages: int, lone: int) -> tuple[Echo, Echo]:
    """The same with a Valkey that waits for its disk in place of the file."""
    with tempfile.TemporaryDirectory(prefix="lastword-bench-") as name, Valkey(Path(name)) as server:
        return await against_bare(
            Platform,
            config=lambda platform: config(platform, store=server.url),
            bare=("tests.bench.bare_telegram", _environment),
            rounds=rounds,
            messages=messages,
            lone=lone,
        )


def config(platform: Platform, *, store: str = "sqlite:lastword.db") -> str:
    """The YAML of an operator with this bot."""
    return _CONFIG.format(token=TOKEN, base=platform.base, store=store)


def _environment(platform: Platform) -> dict[str, str]:
    return {"TELEGRAM_BASE": platform.base, "TELEGRAM_TOKEN": TOKEN}
