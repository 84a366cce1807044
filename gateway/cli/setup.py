"""`lastword setup`: what to do on a platform before a bot can run, and what the platform says about it."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from gateway.settings import BotSettings, Settings

__all__ = ["command", "guide"]

_EVERYTHING = "all messages"
_TAKES = {
    "mention": "in groups it answers a mention, a reply to it, and a command",
    "reply": "in groups it answers a reply to it, and a command",
    "all": "in groups it answers every message",
    "off": "it answers in no group",
}
_NONE = "none"


@click.command("setup")
@click.argument("platform")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Ask the platform about this file's bots instead of telling the steps.",
)
@click.option("--bot", "only", default="", help="Only this bot.")
@click.option(
    "--manifest",
    "manifest_only",
    is_flag=True,
    help="Print the app's manifest alone, for a pipe or the clipboard; with --config, as its bot needs it.",
)
def command(platform: str, *, file: Path | None, only: str, manifest_only: bool) -> None:
    """Tell, step by step, what to do on PLATFORM, such as telegram, before a bot can run there.

    With --config, ask PLATFORM about the bots of a file, and exit 1 when something is wrong.
    """
    if manifest_only:
        click.echo(_manifest(platform, file, only))
        return
    if file is None:
        steps = guide(platform)
        if not steps:
            raise click.ClickException(
                f"There is nothing to set up for {platform!r}: `lastword init` will do."
            )
        click.echo(steps, nl=False)
        return
    from gateway.cli.loading import load_file

    settings = load_file(file)
    bots = _bots(settings, platform, file, only)
    sound = [asyncio.run(_told(bot, settings)) for bot in bots]
    if not all(sound):
        sys.exit(1)


def _bots(settings: Settings, platform: str, file: Path, only: str) -> list[BotSettings]:
    bots = [bot for bot in settings.bots.values() if bot.platform == platform and only in ("", bot.name)]
    if not bots:
        named = f" named {only!r}" if only else ""
        raise click.ClickException(f"{file} has no bot{named} on {platform!r}.")
    return bots


def _manifest(platform: str, file: Path | None, only: str) -> str:
    """The manifest of a platform whose package makes one, in `manifest.py`."""
    from gateway import plugins
    from gateway.cli.loading import load_file

    package = plugins.options_of("adapter", platform).__module__.rpartition(".")[0]
    if importlib.util.find_spec(f"{package}.manifest") is None:
        raise click.ClickException(f"Apps on {platform!r} are made without a manifest.")
    make = importlib.import_module(f"{package}.manifest").manifest
    if file is None:
        return json.dumps(make(name=only or "Helper"), indent=2)
    settings = load_file(file)
    bot = _bots(settings, platform, file, only)[0]
    url = f"{settings.public_url}/{platform}/{bot.name}/events"
    try:
        return json.dumps(make(name=bot.name, receive=_receive(bot), url=url), indent=2)
    except ValueError as exc:
        raise click.ClickException(f"{file}: {exc}; set public_url.") from exc


def guide(platform: str) -> str:
    """The steps that the platform's package keeps in `setup.txt`; empty where there are none.

    Raises:
        PluginError: There is no such platform.
    """
    from gateway import plugins

    package = plugins.options_of("adapter", platform).__module__.rpartition(".")[0]
    steps = resources.files(package).joinpath("setup.txt")
    return steps.read_text("utf-8") if steps.is_file() else ""


async def _told(bot: BotSettings, settings: Settings) -> bool:
    """Tell what the platform says about one bot; whether all is well."""
    from gateway.cli.probing import facts_of
    from gateway.errors import LastwordError

    click.echo(f"{bot.name} ({bot.platform})")
    try:
        facts = await facts_of(bot.platform, bot.options, bot=bot.name, base=settings.folder)
    except LastwordError as exc:
        click.echo(f"  problem: {exc}")
        return False
    groups = bot.access.groups
    rows = {**facts, "access.groups": f"{groups}: {_TAKES[groups]}", "receive": _receive(bot) or _NONE}
    width = max(map(len, rows))
    for key, value in rows.items():
        click.echo(f"  {key.ljust(width)}  {value}")
    problems = [*_deaf_in_groups(bot, facts), *_misled(bot, facts, settings.public_url)]
    for problem in problems:
        click.echo(f"  problem: {problem}")
    if not problems:
        click.echo("  All is well.")
    return not problems


def _receive(bot: BotSettings) -> str:
    return str(getattr(bot.options, "receive", ""))


def _deaf_in_groups(bot: BotSettings, facts: Mapping[str, str]) -> Iterator[str]:
    """Whether the platform keeps back messages that the configuration counts on."""
    heard = facts.get("reads in groups", _EVERYTHING)
    if bot.access.groups == "all" and heard != _EVERYTHING:
        yield f"access.groups is all, but the platform hands it only {heard}; or write access.groups: mention"


def _misled(bot: BotSettings, facts: Mapping[str, str], public_url: str) -> Iterator[str]:
    """Whether the bot's messages go to somebody else, or nowhere."""
    host = facts.get("webhook", _NONE)
    if _receive(bot) == "polling":
        if host != _NONE:
            yield (
                f"a webhook at {host} receives for this bot; `lastword run` removes it, and if it is not"
                " yours, somebody else has the token: renew it"
            )
        return
    if _receive(bot) != "webhook":
        return
    if not public_url.startswith("https://"):
        yield "receive is webhook, but public_url is no https address: set it, or write receive: polling"
    elif host not in (_NONE, urlsplit(public_url).hostname):
        yield (
            f"the webhook leads to {host}, not to public_url; `lastword run` takes it back, and if that is"
            " not yours, somebody else has the token: renew it"
        )
    elif facts.get("last failure") and facts.get("waiting", "0") != "0":
        yield f"the platform cannot deliver to public_url: {facts['last failure']}"
