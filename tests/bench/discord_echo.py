"""Echo over Discord's gateway: ours against the bare library, round by round."""

from __future__ import annotations

from tests.bench.discordapi import TOKEN, Discord
from tests.bench.rounds import Echo, against_bare

__all__ = ["compare", "config"]

_CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  echo: {{target: "tests.bench.echo:answer"}}
bots:
  echo:
    platform: discord
    token: "{token}"
    api_base: "{base}/api"
    gateway_url: "{gateway}"
    agent: echo
    surface_completion_reason: true
    access: {{dm: open}}
    rates: {{overall: 0, channel: 0}}
"""


async def compare(*, rounds: int, messages: int, lone: int) -> tuple[Echo, Echo]:
    """The gateway and the bare library, interleaved."""
    return await against_bare(
        Discord,
        config=config,
        bare=("tests.bench.bare_discord", _environment),
        rounds=rounds,
        messages=messages,
        lone=lone,
    )


def config(platform: Discord) -> str:
    """The YAML of an operator with this bot."""
    return _CONFIG.format(token=TOKEN, base=platform.base, gateway=platform.gateway)


def _environment(platform: Discord) -> dict[str, str]:
    return {"DISCORD_BASE": platform.base, "DISCORD_GATEWAY": platform.gateway, "DISCORD_TOKEN": TOKEN}
