"""`lastword pair`: let somebody in."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

__all__ = ["command"]


@click.command("pair")
@click.argument("code")
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--bot", default="", help="Only this bot's requests.")
def command(code: str, *, file: Path | None, bot: str) -> None:
    """Approve the person who was shown CODE."""
    asyncio.run(_approve(code, file, bot))


async def _approve(code: str, file: Path | None, bot: str) -> None:
    from gateway.admin.control import ask
    from gateway.cli.loading import control_socket, load_file, no_such_bot

    settings = load_file(file)
    if bot and bot not in settings.bots:
        raise no_such_bot(settings, bot)
    answer = await ask(control_socket(settings), {"do": "pair", "code": code, "bot": bot})
    if answer is None:
        answer = await _offline(code, file, bot)
    if not answer.get("ok"):
        raise click.ClickException(str(answer.get("problem", "it was refused")))
    click.echo(f"{answer.get('name') or answer['person']} may now talk to {answer['bot']}.")


async def _offline(code: str, file: Path | None, bot: str) -> dict[str, object]:
    """Approve in the store itself, while no gateway holds it."""
    from gateway.abc import SystemClock
    from gateway.access import Door
    from gateway.cli.loading import load_file, open_for

    settings = load_file(file)
    store = open_for(settings, read_only=False)
    await store.open()
    try:
        for chosen in settings.bots.values():
            if bot and chosen.name != bot:
                continue
            person = await Door(chosen.access, store, SystemClock(), chosen.name).approve(code)
            if person is not None:
                return {"ok": True, "bot": chosen.name, "person": person.id, "name": person.name}
    finally:
        await store.close()
    return {
        "ok": False,
        "problem": f"No open pairing request has the code {code!r}; codes work for one hour.",
    }
