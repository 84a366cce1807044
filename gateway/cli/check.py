"""`lastword check`: validate a configuration, show it, probe the platforms."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gateway.settings import Settings

__all__ = ["command"]

_PROBE = 20.0  # seconds for one platform's answer


@click.command("check")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--show", "bot", default="", help="Show this bot's effective values and where each comes from.")
@click.option("--probe", is_flag=True, help="Ask each platform who the bot is.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(file: Path | None, *, bot: str, probe: bool, output: str) -> None:
    """Check FILE (default: bots.yaml, then config/bots.yaml); exit 78 when it does not validate."""
    from gateway.cli.loading import load_file
    from gateway.errors import ConfigError

    try:
        settings = load_file(file)
        _check_texts(settings)
    except ConfigError as exc:
        if output == "json":
            click.echo(json.dumps({"ok": False, "problems": exc.problems}))
            sys.exit(78)
        raise
    if bot:
        _show(settings, bot, output)
        return
    facts = asyncio.run(_probed(settings)) if probe else {}
    _say(settings, facts, output)
    if any("problem" in found for found in facts.values()):
        sys.exit(1)


def _check_texts(settings: Settings) -> None:
    from gateway.errors import ConfigError
    from gateway.notes import validate_overrides

    problems = [
        f"{settings.where(('bots', name, 'notes', 'texts', *path))}: bots.{name}.notes.texts.{'.'.join(path)}: {told}"
        for name, bot in settings.bots.items()
        for path, told in validate_overrides(bot.notes.texts)
    ]
    if problems:
        raise ConfigError(problems)


def _show(settings: Settings, bot: str, output: str) -> None:
    from gateway.settings import describe

    if bot not in settings.bots:
        raise click.ClickException(f"there is no bot {bot!r}; there are: {', '.join(settings.bots)}")
    rows = describe(settings, bot)
    if output == "json":
        click.echo(
            json.dumps([{"path": path, "value": value, "origin": origin} for path, value, origin in rows])
        )
        return
    width = max(len(path) for path, _, _ in rows)
    for path, value, origin in rows:
        click.echo(f"{path.ljust(width)}  {value}  [{origin}]")


def _say(settings: Settings, facts: dict[str, dict[str, str]], output: str) -> None:
    if output == "json":
        click.echo(json.dumps({"ok": True, "bots": list(settings.bots), "probe": facts}))
        return
    for name, bot in settings.bots.items():
        notes = "endings are told" if bot.surface_completion_reason else "endings are NOT told"
        click.echo(f"{name}: {bot.platform}, agent {bot.agent}, private chats {bot.access.dm}; {notes}")
        for key, value in facts.get(name, {}).items():
            click.echo(f"  {key}: {value}")
    click.echo("The configuration is valid.")


async def _probed(settings: Settings) -> dict[str, dict[str, str]]:
    from gateway import plugins
    from gateway.errors import LastwordError

    facts: dict[str, dict[str, str]] = {}
    for name, bot in settings.bots.items():
        adapter = plugins.create_adapter(bot.platform, bot.options, bot=name)
        try:
            async with asyncio.timeout(_PROBE):
                facts[name] = dict(await adapter.probe())
        except (LastwordError, TimeoutError) as exc:
            facts[name] = {"problem": str(exc) or "no answer in time"}
        finally:
            await adapter.close()
    return facts
