"""`lastword ask`: one question to an agent, with an exit code that says how it ended."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gateway.abc.agent import Agent, TurnContext, TurnRequest, TurnResult
    from gateway.completion.model import TurnCompletion
    from gateway.session.record import Record
    from gateway.settings import AgentSettings

__all__ = ["command"]

_CANCELLED = 130


@click.command("ask")
@click.argument("text", nargs=-1)
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--agent", "name", default="", help="Which agent of it; the first one by default.")
@click.option("--model", default="", help="Ask a model without a file: openai-chat:gpt-5-mini.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
def command(text: tuple[str, ...], *, file: Path | None, name: str, model: str, output: str) -> None:
    """Ask an agent TEXT (or `-`, or standard input) and print its answer.

    The note and what an operator should know go to standard error. Exit codes: 0 completed, 1 failed,
    2 wrong usage, 3 cut short, 4 declined or filtered, 75 try again later, 78 configuration, 130 cancelled.
    """
    from gateway.observability import configure_logging

    configure_logging(level="critical")  # standard error belongs to the note
    question = _question(text)
    chosen, base = _chosen(file, name, model)
    try:
        record = asyncio.run(_asked(chosen, base, question))
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        sys.exit(_CANCELLED)
    sys.exit(_tell(record, output))


def _question(text: tuple[str, ...]) -> str:
    words = " ".join(text)
    if words == "-" or (not words and not sys.stdin.isatty()):
        words = sys.stdin.read()
    if not words.strip():
        raise click.UsageError("say what to ask: lastword ask TEXT, or pipe it in")
    return words


def _chosen(file: Path | None, name: str, model: str) -> tuple[AgentSettings, Path]:
    """The agent to ask, and the folder its imports start from."""
    from pydantic import ValidationError

    from gateway import plugins
    from gateway.errors import ConfigError
    from gateway.settings import AgentSettings

    if model:
        try:
            options = plugins.options_of("agent", "builtin").model_validate({"model": model})
        except ValidationError as exc:
            raise click.UsageError(
                f"--model {model!r}: write provider:model, such as openai-chat:gpt-5-mini"
            ) from exc
        return AgentSettings(name="model", kind="builtin", options=options), Path.cwd()
    from gateway.cli.loading import load_file

    settings = load_file(file)
    known = list(settings.agents)
    if name and name not in settings.agents:
        raise ConfigError([f"there is no agent {name!r}; there are: {', '.join(known)}"])
    return settings.agents[name or known[0]], settings.folder


async def _asked(chosen: AgentSettings, base: Path, question: str) -> Record:
    from gateway import plugins
    from gateway.embedded import BotSessionManager

    agent = plugins.create_agent(chosen.kind, chosen.options, name=chosen.name, base=base)
    sessions = BotSessionManager(platform="ask", timeout=chosen.timeout, idle_timeout=chosen.idle_timeout)
    try:
        return await sessions.chat_record(_through(agent), "cli", question)
    finally:
        await agent.close()


def _through(agent: Agent) -> Callable[[TurnRequest, TurnContext], Awaitable[TurnResult]]:
    """The runtime as a plain function of a request, which is what the session manager takes."""

    async def ask(request: TurnRequest, context: TurnContext) -> TurnResult:
        return await agent.run(request, context)

    return ask


def _tell(record: Record, output: str) -> int:
    """Print the answer and how it ended; the exit code."""
    import orjson

    from gateway.completion import TurnCompletion, ending, operator_text

    completion = TurnCompletion.from_dict(record.completion)
    row = ending(completion.reason)
    if output == "json":
        facts = {
            "result": record.partial,
            "status": row.status,
            "reason": completion.reason,
            "code": completion.code,
            "ref": record.ref,
            "retryable": row.retry_as_is,
            "remedy": row.remedy or None,
            "retry_after": completion.retry_after,
            "usage": record.usage,
        }
        click.echo(orjson.dumps(facts).decode())
    elif record.partial:
        click.echo(record.partial)
    if completion.truncated:
        click.echo(_note(completion, record), err=True)
        shown = ("partial",) if record.partial.strip() else ()
        click.echo(f"{completion.code}: {operator_text(completion, when=shown)}", err=True)
    return row.exit_code


def _note(completion: TurnCompletion, record: Record) -> str:
    """What a person in a chat would read."""
    from gateway.notes import Circumstances, Notebook, NoteSettings, decide

    shown = bool(record.partial.strip())
    around = Circumstances(partial=shown, visible=shown, ref=record.ref, wait=completion.retry_after)
    decision = decide(completion, around, NoteSettings(surface=True, reference="never"), Notebook())
    return decision.note.text if decision.note is not None else ""
