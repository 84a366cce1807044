"""`lastword test`: try an agent of one's own before people do."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gateway.cli.trial import Finding, Plan
    from gateway.settings import AgentSettings

__all__ = ["command"]

_HELD = (
    "fail  shares      it held the whole gateway, every other person with it, until its time was over\n"
    "                  -> Something asynchronous blocks: make the function a plain 'def'."
)

_MARGIN = 1.0  # seconds beyond which a turn's own deadline cannot have been heard


@click.command("test")
@click.argument("target", required=False)
@click.option("--factory", is_flag=True, help="TARGET makes an object for each conversation.")
@click.option("--stream", is_flag=True, help="Show the answer of a framework's agent while it grows.")
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="The configuration file."
)
@click.option("--agent", "name", default="", help="Which agent of it; the first one by default.")
@click.option("--message", "messages", multiple=True, help="Gets an ordinary answer; may be repeated.")
@click.option("--slow", default="", help="A message that takes long, to be stopped.")
@click.option("--failing", default="", help="A message on which it fails.")
@click.option(
    "--people", default=5, show_default=True, type=click.IntRange(1, 100), help="Who write at once."
)
@click.option(
    "--patience",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.5, 3600),
    help="Seconds for a turn.",
)
@click.option("--output", type=click.Choice(["text", "json"]), default="text")
@click.option("--verbose", is_flag=True, help="Show the tracebacks of errors.")
def command(
    target: str | None,
    *,
    factory: bool,
    stream: bool,
    file: Path | None,
    name: str,
    messages: tuple[str, ...],
    slow: str,
    failing: str,
    people: int,
    patience: float,
    output: str,
    verbose: bool,
) -> None:
    """Try the agent TARGET (module:name), or an agent of a configuration, and say what people would meet.

    It is asked about fifteen times, by several people at once, as bots would ask it; a model behind it is
    paid for that. Exit codes: 0 nothing failed, 1 something did, 2 wrong usage, 78 configuration.
    """
    from gateway.cli.trial import Plan
    from gateway.observability import configure_logging

    configure_logging(level="critical")
    if bool(target) == bool(file or name):
        raise click.UsageError("name a TARGET such as my_bot:agent, or --config FILE and --agent NAME")
    chosen, base = _of_target(target, factory, stream) if target else _of_file(file, name)
    plan = Plan(messages or ("Hello",), slow, failing, people)
    # what the agent prints must not get between the braces
    with contextlib.redirect_stdout(sys.stderr) if output == "json" else contextlib.nullcontext():
        findings = asyncio.run(_tried(chosen, base, plan, patience, tell=output == "text", verbose=verbose))
    failed = [finding for finding in findings if finding.verdict == "fail"]
    if output == "json":
        click.echo(json.dumps(_facts(findings), ensure_ascii=False))
    else:
        click.echo(_summary(findings))
    sys.exit(1 if failed else 0)


def _of_target(target: str, factory: bool, stream: bool) -> tuple[AgentSettings, Path]:
    from pydantic import ValidationError

    from gateway import plugins
    from gateway.settings import AgentSettings

    wanted: dict[str, object] = {"factory" if factory else "target": target}
    try:
        options = plugins.options_of("agent", "python").model_validate(wanted | {"stream": stream})
    except ValidationError as exc:
        raise click.UsageError(f"{target!r} is not of the form module:name, such as my_bot:agent") from exc
    return AgentSettings(name="mine", kind="python", options=options), Path.cwd()


def _of_file(file: Path | None, name: str) -> tuple[AgentSettings, Path]:
    from gateway.cli.loading import load_file
    from gateway.errors import ConfigError

    settings = load_file(file)
    known = list(settings.agents)
    if name and name not in settings.agents:
        raise ConfigError([f"there is no agent {name!r}; there are: {', '.join(known)}"])
    return settings.agents[name or known[0]], settings.folder


async def _tried(
    chosen: AgentSettings, base: Path, plan: Plan, patience: float, *, tell: bool, verbose: bool
) -> list[Finding]:
    """What every check found, told as it is found."""
    from gateway import plugins
    from gateway.cli.trial import Finding, Trial, examine, watched
    from gateway.errors import LastwordError

    findings: list[Finding] = []

    def found(finding: Finding) -> None:
        findings.append(finding)
        if tell:
            click.echo(_line(finding))
        if verbose and finding.problem:
            click.echo(finding.problem, err=True)

    try:
        agent = plugins.create_agent(chosen.kind, chosen.options, name=chosen.name, base=base)
    except LastwordError as exc:
        found(Finding("loads", "fail", str(exc)))
        return findings
    found(Finding("loads", "pass", "it is there, and there is a way to ask it"))
    async with watched(patience + _MARGIN, _HELD):
        async for finding in examine(Trial(agent, patience=patience), plan):
            found(finding)
    return findings


def _line(finding: Finding) -> str:
    line = f"{finding.verdict.ljust(4)}  {finding.check.ljust(10)}  {finding.told}"
    return f"{line}\n{' ' * 18}-> {finding.advice}" if finding.advice else line


def _summary(findings: list[Finding]) -> str:
    counts = {verdict: sum(one.verdict == verdict for one in findings) for verdict in ("pass", "fail", "n/a")}
    return f"{counts['pass']} passed, {counts['fail']} failed, {counts['n/a']} not applicable."


def _facts(findings: list[Finding]) -> dict[str, object]:
    return {
        "ok": all(finding.verdict != "fail" for finding in findings),
        "checks": [
            {"check": one.check, "verdict": one.verdict, "told": one.told, "advice": one.advice or None}
            for one in findings
        ],
    }
