"""`lastword init`: three questions, and a bot that runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gateway.cli.asking import Interview
    from gateway.cli.questions import Given

__all__ = ["command"]


@click.command("init")
@click.argument("file", default="bots.yaml", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--platform", default="", help="Where people talk to it: telegram, slack, discord, or local (a web chat)."
)
@click.option(
    "--token", default="", help="Its token; rather set TELEGRAM_TOKEN, which no process list shows."
)
@click.option("--model", default="", help="Answer with a model: openai-chat:gpt-5-mini.")
@click.option("--target", default="", help="Answer with your own Python: my_bot:agent.")
@click.option("--demo", is_flag=True, help="Answer from a script, without a key.")
@click.option("--dm", type=click.Choice(["pairing", "open"]), help="Who may talk to it.")
@click.option("--api-base", default="", help="The platform's server, where it is not the usual one.")
@click.option("--force", is_flag=True, help="Write FILE anew, although it exists.")
@click.option(
    "--probe/--no-probe", default=True, show_default=True, help="Ask the platform who the token is."
)
def command(
    *,
    file: Path,
    platform: str,
    token: str,
    model: str,
    target: str,
    demo: bool,
    dm: str | None,
    api_base: str,
    force: bool,
    probe: bool,
) -> None:
    """Write a first configuration to FILE (bots.yaml), and its secrets to .env beside it.

    On a terminal it asks for what the options leave open; elsewhere that takes its default.
    """
    from gateway.cli.asking import Interview
    from gateway.cli.questions import Given

    chosen = {"model": model, "python": target, "demo": "demo" if demo else ""}
    ways = [(way, name) for way, name in chosen.items() if name]
    if len(ways) > 1:
        raise click.UsageError("--model, --target and --demo: give one of them.")
    way, name = ways[0] if ways else ("", "")
    _refuse(file, force=force)
    try:
        _begin(
            file,
            Given(platform, token.strip(), way, name, dm or "", api_base, probe=probe),
            Interview(asks=sys.stdin.isatty()),
        )
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nNothing was written.", err=True)
        raise


def _refuse(file: Path, *, force: bool) -> None:
    if file.exists() and not force:
        raise click.ClickException(
            f"{file} exists already: `lastword check {file}` says what it comes to; --force writes it anew."
        )
    if not file.parent.is_dir():
        raise click.ClickException(f"There is no folder {str(file.parent)!r}: make it first.")


def _begin(file: Path, given: Given, interview: Interview) -> None:
    """Ask, write, and tell what comes next."""
    from gateway.cli.drafting import SCHEMA
    from gateway.cli.keeping import Page, Secrets, write
    from gateway.cli.questions import ask, next_steps
    from gateway.cli.schema import text as schema

    secrets = Secrets(file.parent, os.environ)
    draft, facts = ask(given, interview, secrets)
    pages = {Page(file, draft.text()): "the bot"}
    kept = secrets.page()
    if kept is not None:
        pages[kept] = "its secrets; keep them out of version control"
    if not (file.parent / SCHEMA).exists():
        pages[Page(file.parent / SCHEMA, schema())] = "by which editors complete and check it"
    try:
        write(pages)
    except OSError as exc:
        raise click.ClickException(f"It cannot be written: {exc.strerror}. Nothing was written.") from exc
    for page, about in pages.items():
        click.echo(f"Wrote {page.path}, {about}.")
    for line in next_steps(file, draft, facts):
        click.echo(line)
