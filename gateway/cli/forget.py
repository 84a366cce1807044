"""`lastword forget`: remove all that is kept of a person or a chat."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gateway.settings import Settings

__all__ = ["command"]

_PATIENCE = 170.0  # seconds; every record is looked at


@click.command("forget")
@click.option("--bot", required=True, help="The bot that is to forget.")
@click.option("--person", default="", help="Whom: the id that /whoami tells.")
@click.option("--chat", default="", help="Or which chat, with everybody in it: the platform's id.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--dry-run", is_flag=True, help="Only count.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(
    bot: str, person: str, chat: str, *, file: Path | None, dry_run: bool, yes: bool, output: str
) -> None:
    """Remove, for good, what BOT keeps of a person or a chat.

    That is messages, history, answers that wait or were lost, records, and what it knows of them, such as a
    language or that they were let in. What is being answered ends without an answer. Messages in the chat
    itself stay: they are the platform's. Copies made before know nothing of it.
    """
    if bool(person) == bool(chat):
        raise click.UsageError("Say --person or --chat, one of them.")
    from gateway.cli.loading import confirm, load_file, no_such_bot

    settings = load_file(file)
    if bot not in settings.bots:
        raise no_such_bot(settings, bot)
    request = {"do": "forget", "bot": bot, "person": person, "chat": chat}
    count = asyncio.run(_asked(settings, {**request, "dry": True}))
    who = f"person {person}" if person else f"chat {chat}"
    if dry_run or not count:
        _tell(
            f"{count} rows are kept of {who}." if count else f"Nothing is kept of {who}.",
            output,
            kept=count,
            removed=0,
        )
        return
    if not yes:
        confirm(f"Remove {count} rows that are kept of {who}, for good?")
    gone = asyncio.run(_asked(settings, {**request, "dry": False}))
    _tell(f"Removed {gone} rows of {who}.", output, kept=0, removed=gone)


def _tell(text: str, output: str, *, kept: int, removed: int) -> None:
    import orjson

    rows = {"kept": kept, "removed": removed}
    click.echo(orjson.dumps(rows).decode() if output == "json" else text)


async def _asked(settings: Settings, request: dict[str, object]) -> int:
    """Ask the running gateway, or do it in the store itself while no gateway holds it; how many rows."""
    from gateway.admin.control import ask
    from gateway.cli.loading import control_socket

    answer = await ask(control_socket(settings), request, patience=_PATIENCE)
    if answer is None:
        return await _offline(settings, request)
    count = answer.get("count")
    if not answer.get("ok") or not isinstance(count, int):
        raise click.ClickException(str(answer.get("problem", "it was refused")))
    return count


async def _offline(settings: Settings, request: dict[str, object]) -> int:
    from gateway.admin.forgetting import asked
    from gateway.cli.loading import open_for, store_file

    path = store_file(settings)
    store = open_for(settings, read_only=path is not None and not path.exists())
    await store.open()
    try:
        return await asked(store, request)
    finally:
        await store.close()
