"""Echo over Slack's Socket Mode: the gateway against the bare library, round by round."""

from __future__ import annotations

from tests.bench.rounds import Echo, against_bare
from tests.bench.slackapi import APP_TOKEN, TOKEN, Slack

__all__ = ["compare", "config"]

_CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {{port: 0}}
agents:
  echo: {{target: "tests.bench.echo:answer"}}
bots:
  echo:
    platform: slack
    token: "{token}"
    app_token: "{app_token}"
    api_base: "{base}/api"
    agent: echo
    surface_completion_reason: true
    access: {{dm: open}}
    rates: {{overall: 0, chat: 0, edits: 0}}
"""


async def compare(*, rounds: int, messages: int, lone: int) -> tuple[Echo, Echo]:
    """The gateway and the bare library, interleaved."""
    return await against_bare(
        Slack,
        config=config,
        bare=("tests.bench.bare_slack", _environment),
        rounds=rounds,
        messages=messages,
        lone=lone,
    )


def config(platform: Slack) -> str:
    """The YAML of an operator with this bot."""
    return _CONFIG.format(token=TOKEN, app_token=APP_TOKEN, base=platform.base)


def _environment(platform: Slack) -> dict[str, str]:
    return {"SLACK_BASE": platform.base, "SLACK_BOT_TOKEN": TOKEN, "SLACK_APP_TOKEN": APP_TOKEN}
