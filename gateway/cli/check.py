"""`lastword check`: validate a configuration, show it, probe what it names."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gateway.settings import AgentSettings, BotSettings, Settings

__all__ = ["command"]

_PROBLEM = "problem"

Facts = Mapping[str, Mapping[str, str]]


@click.command("check")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--show", "bot", default="", help="Show this bot's effective values and where each comes from.")
@click.option("--probe", is_flag=True, help="Build each agent, and ask each platform who the bot is.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(file: Path | None, *, bot: str, probe: bool, output: str) -> None:
    """Check FILE (default: bots.yaml, then config/bots.yaml); exit 78 when it does not validate."""
    from gateway.cli.loading import load_or_environment
    from gateway.errors import ConfigError

    try:
        settings = load_or_environment(file)
        _check_texts(settings)
    except ConfigError as exc:
        if output == "text":
            raise
        click.echo(json.dumps({"ok": False, "problems": exc.problems}))
        sys.exit(78)
    if bot:
        _show(settings, bot, output)
        return
    facts: Facts = asyncio.run(_probed(settings)) if probe else {}
    sound = not any(_PROBLEM in found for found in facts.values())
    _say(settings, facts, output, sound=sound, probed=probe)
    if not sound:
        sys.exit(1)


def _check_texts(settings: Settings) -> None:
    from gateway.errors import ConfigError
    from gateway.notes import validate_overrides

    problems = [
        f"{settings.where(('bots', name, 'notes', 'texts', *path))}: "
        f"bots.{name}.notes.texts.{'.'.join(path)}: {told}"
        for name, bot in settings.bots.items()
        for path, told in validate_overrides(bot.notes.texts)
    ]
    if problems:
        raise ConfigError(problems)


def _advice(settings: Settings) -> Iterator[str]:
    """What is valid, but hardly meant."""
    from gateway.notes import Notebook

    secrets = settings.folder / ".env"
    if os.name == "posix" and secrets.is_file() and secrets.stat().st_mode & 0o066:
        yield f"{secrets}: others on this machine can read it: chmod 600 {shlex.quote(str(secrets))}"
    for name, bot in settings.bots.items():
        notebook = Notebook(bot.notes.texts)
        for key, tag in (("language", bot.language), ("fallback_language", bot.fallback_language)):
            if tag == "auto" or notebook.find(tag):
                continue
            told = (
                f"there are no notes in {tag!r}: `lastword notes` lists the languages, notes.texts adds one"
            )
            yield f"{settings.where(('bots', name, key))}: bots.{name}.{key}: {told}"


def _show(settings: Settings, bot: str, output: str) -> None:
    from gateway.cli.loading import no_such_bot
    from gateway.settings import describe

    if bot not in settings.bots:
        raise no_such_bot(settings, bot)
    rows = describe(settings, bot)
    if output == "json":
        found = [{"path": row.path, "value": row.value, "origin": row.origin} for row in rows]
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    width = max(len(row.path) for row in rows)
    for row in rows:
        click.echo(f"{row.path.ljust(width)}  {row.value}  [{row.origin}]")


_VERDICTS = {
    (False, True): "The configuration is valid. Agents were not loaded, nor platforms asked: add --probe.",
    (True, True): "The configuration is valid, its agents load, and the platforms know its bots.",
    (True, False): "The configuration is valid, but what it names has the problems told.",
}


def _say(settings: Settings, facts: Facts, output: str, *, sound: bool, probed: bool) -> None:
    if output == "json":
        said = {
            "ok": sound,
            "bots": list(settings.bots),
            "agents": list(settings.agents),
            "advice": list(_advice(settings)),
            "probe": facts,
        }
        click.echo(json.dumps(said, ensure_ascii=False))
        return
    for name, bot in settings.bots.items():
        notes = (
            "endings are told"
            if bot.surface_completion_reason
            else "endings are NOT told: surface_completion_reason is false"
        )
        click.echo(f"{name}: {bot.platform}, agent {bot.agent}, private chats {bot.access.dm}; {notes}")
    for told in _advice(settings):
        click.echo(told, err=True)
    for name, found in facts.items():
        for key, value in found.items():
            click.echo(f"{name}: {key}: {value}", err=key == _PROBLEM)
    click.echo(_VERDICTS[probed, sound])


async def _probed(settings: Settings) -> Facts:
    agents: dict[str, Mapping[str, str]] = {
        f"agents.{name}": await _agent_probed(agent, settings.folder)
        for name, agent in settings.agents.items()
    }
    bots = await asyncio.gather(*(_bot_probed(bot, settings.folder) for bot in settings.bots.values()))
    return agents | {f"bots.{name}": found for name, found in zip(settings.bots, bots, strict=True)}


async def _agent_probed(agent: AgentSettings, folder: Path) -> dict[str, str]:
    from gateway import plugins
    from gateway.errors import LastwordError

    try:
        built = plugins.create_agent(agent.kind, agent.options, name=agent.name, base=folder)
    except LastwordError as exc:
        return {_PROBLEM: str(exc)}
    await built.close()
    return {"kind": f"{agent.kind}, can be built"}


async def _bot_probed(bot: BotSettings, folder: Path) -> Mapping[str, str]:
    from gateway.cli.probing import facts_of
    from gateway.errors import LastwordError

    try:
        return await facts_of(bot.platform, bot.options, bot=bot.name, base=folder)
    except LastwordError as exc:
        return {_PROBLEM: str(exc)}
