"""`lastword dead`: answers that nobody got, and messages that nobody could read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import click

if TYPE_CHECKING:
    from gateway.settings import Settings

__all__ = ["command"]

_PATIENCE = 120.0  # seconds; there may be many of them
_config = click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
_output = click.option("--output", type=click.Choice(["text", "json"]), default="text")


@click.group("dead")
def command() -> None:
    """List answers that could not be delivered and messages that could not be read; deliver or drop them."""


@command.command("list")
@_config
@click.option("--bot", default="", help="Only this bot's.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 10_000))
@_output
def _list(*, file: Path | None, bot: str, limit: int, output: str) -> None:
    """List dead letters, newest first: whose, what became of them, and why."""
    asyncio.run(_listed(file, bot, limit, output))


@command.command("show")
@click.argument("letter")
@_config
@click.option("--text", is_flag=True, help="Show what was asked and what was to be told, too.")
@_output
def _show(letter: str, *, file: Path | None, text: bool, output: str) -> None:
    """Tell all of the dead letter LETTER (its id, or the reference that a person quotes)."""
    asyncio.run(_shown(letter, file, output, text=text))


@command.command("requeue")
@click.argument("letter", required=False, default="")
@click.option("--all", "every", is_flag=True, help="All of them, the oldest first.")
@_config
@click.option("--bot", default="", help="Of all, only this bot's.")
def _requeue(letter: str, *, every: bool, file: Path | None, bot: str) -> None:
    """Deliver LETTER after all: what was not sent of it, as if it were written now."""
    _pick(letter, every=every, bot=bot)
    asyncio.run(_worked("requeue", file, letter, bot=bot))


@command.command("drop")
@click.argument("letter", required=False, default="")
@click.option("--all", "every", is_flag=True, help="All of them.")
@_config
@click.option("--bot", default="", help="Of all, only this bot's.")
@click.option("--older", default="", help="Of all, only those written at least so long ago, such as 30d.")
def _drop(letter: str, *, every: bool, file: Path | None, bot: str, older: str) -> None:
    """Forget LETTER for good."""
    _pick(letter, every=every, bot=bot, older=older)
    asyncio.run(_worked("drop", file, letter, bot=bot, older=_age(older)))


def _pick(letter: str, *, every: bool, bot: str, older: str = "") -> None:
    """Make sure that it is said which letters are meant.

    Raises:
        click.UsageError: It is not, or twice.
    """
    if bool(letter) == every:
        raise click.UsageError("Name one letter, or say --all.")
    if letter and (bot or older):
        raise click.UsageError("--bot and --older choose among all: say --all instead of naming one letter.")


def _age(older: str) -> float:
    from gateway.settings.units import seconds

    try:
        return seconds(older) if older else 0.0
    except ValueError as exc:
        raise click.UsageError(f"--older {exc}") from exc


async def _listed(file: Path | None, bot: str, limit: int, output: str) -> None:
    import orjson

    from gateway.admin.dead import listed
    from gateway.admin.obituaries import as_dict, line_of
    from gateway.cli.loading import load_file, no_such_bot, open_for

    settings = load_file(file)
    store = open_for(settings, read_only=True)
    await store.open()
    try:
        found = await listed(store, bot=bot, limit=limit)
    finally:
        await store.close()
    if bot and not found and bot not in settings.bots:  # letters outlive their bot
        raise no_such_bot(settings, bot)
    for dead in found:
        click.echo(orjson.dumps(as_dict(dead)).decode() if output == "json" else line_of(dead))
    if not found and output == "text":
        click.echo("No letter is dead.", err=True)


async def _shown(letter: str, file: Path | None, output: str, *, text: bool) -> None:
    import orjson

    from gateway.admin.dead import find
    from gateway.admin.obituaries import as_dict, story
    from gateway.cli.loading import load_file, open_for

    store = open_for(load_file(file), read_only=True)
    await store.open()
    try:
        dead = await find(store, letter)
    finally:
        await store.close()
    click.echo(
        orjson.dumps(as_dict(dead, text=text)).decode() if output == "json" else story(dead, text=text)
    )


async def _worked(
    what: Literal["requeue", "drop"], file: Path | None, letter: str, *, bot: str, older: float = 0.0
) -> None:
    """Ask the running gateway, or do it in the store itself while no gateway holds it."""
    from gateway.admin.control import ask
    from gateway.cli.loading import control_socket, load_file, no_such_bot

    settings = load_file(file)
    request = {"do": "dead", "what": what, "key": letter, "bot": bot, "older": older}
    answer = await ask(control_socket(settings), request, patience=_PATIENCE)
    if answer is None:
        answer = await _offline(settings, what, letter, bot=bot, older=older)
    if not answer.get("ok"):
        raise click.ClickException(str(answer.get("problem", "it was refused")))
    problems, count = cast("list[str]", answer.get("problems") or []), cast("int", answer.get("count", 0))
    if bot and not count and not problems and bot not in settings.bots:
        raise no_such_bot(settings, bot)
    for problem in problems:
        click.echo(problem, err=True)
    if count or not problems:
        verb = "Requeued" if what == "requeue" else "Dropped"
        click.echo(f"{verb} {count} {'letter' if count == 1 else 'letters'}.")
    if problems and not letter:
        raise SystemExit(1)


async def _offline(
    settings: Settings, what: Literal["requeue", "drop"], letter: str, *, bot: str, older: float
) -> dict[str, object]:
    from gateway.abc import SystemClock
    from gateway.admin.dead import Picked, work
    from gateway.cli.loading import open_for, store_file

    path = store_file(settings)
    store = open_for(settings, read_only=path is not None and not path.exists())
    await store.open()
    try:
        done = await work(
            store, what, Picked(letter, bot, older), bots=frozenset(settings.bots), clock=SystemClock()
        )
    finally:
        await store.close()
    return {"ok": True, "count": done.count, "problems": list(done.problems)}
