"""A gateway with one Slack bot against the emulator."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from gateway.runtime import Runtime
from tests.emulators.slack import BOT_USER, SECRET, SlackEmulator
from tests.integration.inprocess import running

__all__ = ["AT", "CHANNEL", "CHAT", "config", "free_port", "slack_bot"]

AT = f"<@{BOT_USER}>"
CHAT, CHANNEL = "D0ANN", "C0TEAM"
_SCRIPT = """
      - {when: long, say: "LONG"}
      - {when: acting, action: send_report, say: "one two three four five", hang: true}
      - {when: cut short, say: "one two three", end: max_steps}
      - {when: hang, say: "thinking about it", hang: true}
"""


def config(
    slack: SlackEmulator,
    *,
    bot: str = "",
    agent: str = "pace: 0.0",
    script: str = _SCRIPT,
    receive: str = "socket",
    access: str = "dm: open",
    noted: bool = True,
    port: int = 0,
) -> str:
    """The YAML of a scene; `bot` and `agent` are more keys of each, in flow style."""
    return f"""
version: 1
store: "sqlite:lastword.db"
server: {{port: {port}}}
public_url: https://bots.example
agents:
  teller:
    kind: scripted
    directives: true
    {agent}
    script: {script}
bots:
  team:
    platform: slack
    token: "{slack.token}"
    app_token: "{slack.app_token}"
    signing_secret: "{SECRET}"
    receive: {receive}
    api_base: "{slack.base}"
    agent: teller
    surface_completion_reason: {str(noted).lower()}
    access: {{{access}}}
    rates: {{overall: 0, chat: 0, edits: 0}}
    {bot}
"""


@asynccontextmanager
async def slack_bot(
    folder: Path,
    *,
    bot: str = "",
    agent: str = "pace: 0.0",
    script: str = _SCRIPT,
    receive: str = "socket",
    access: str = "dm: open",
    noted: bool = True,
) -> AsyncGenerator[tuple[Runtime, SlackEmulator]]:
    """A running gateway and its Slack, where one person and one channel are known."""
    async with SlackEmulator() as slack:
        slack.chats.channel(CHAT)
        slack.chats.channel(CHANNEL)
        port = free_port() if receive == "webhook" else 0
        if port:
            slack.delivery.hook = f"http://127.0.0.1:{port}/slack/team/events"
        yaml = config(
            slack, bot=bot, agent=agent, script=script, receive=receive, access=access, noted=noted, port=port
        )
        async with running(folder, yaml) as gateway:
            yield gateway, slack


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
