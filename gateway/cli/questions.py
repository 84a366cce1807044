"""The three questions of `init`: where people talk to the bot, what answers, who may talk to it."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gateway import plugins
from gateway.cli.asking import Interview, wrong_with
from gateway.cli.drafting import Brain, Draft, reference
from gateway.cli.introducing import Introduction
from gateway.cli.keeping import Secrets
from gateway.observability import register_secret

__all__ = ["Given", "ask", "next_steps"]

_MODEL, _TARGET = "openai-chat:gpt-5-mini", "my_bot:agent"
_PLACES = {
    "telegram": "a Telegram bot",
    "slack": "a Slack app",
    "discord": "a Discord bot",
    "local": "a web chat on this machine",
}
_WAYS = {
    "demo": "a script: no key, no cost, and every ending on demand",
    "model": f"a language model, such as {_MODEL}",
    "python": f"your own Python, such as {_TARGET}",
}
_DOORS = {
    "pairing": "you, and whom you let in; anybody else is shown a code for you to approve",
    "open": "everybody",
}
_BOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says already; empty where it says nothing.

    Attributes:
        way: What answers: demo, model or python.
        name: The model or the Python object.
        probe: Whether the platform may be asked who the token is.
    """

    platform: str = ""
    token: str = ""
    way: str = ""
    name: str = ""
    dm: str = ""
    api_base: str = ""
    probe: bool = True


def ask(given: Given, interview: Interview, secrets: Secrets) -> tuple[Draft, Mapping[str, str]]:
    """The configuration that the answers come to, and what the platform says about its bot.

    Raises:
        click.ClickException: An answer stayed wrong, or is missing and nobody is there to ask.
        PluginError: There is no such platform.
    """
    platform = _platform(given, interview)
    introduction = Introduction(platform, interview, secrets)
    options, facts = introduction.made(token=given.token, api_base=given.api_base, probe=given.probe)
    brain = _brain(given, interview, secrets)
    dm = given.dm
    if options:  # a platform without secrets is the operator's own page
        dm = interview.choice("\n3 of 3  Who may talk to it?", _DOORS, default="pairing", given=given.dm)
    name = facts.get("name", "").removeprefix("@")
    bot = name if _BOT.fullmatch(name) else (platform if options else "site")
    return Draft(platform, bot, brain, options, dm), facts


def next_steps(file: Path, draft: Draft, facts: Mapping[str, str]) -> Iterator[str]:
    """What to do next, a line each."""
    named = "" if file == Path("bots.yaml") else f" {shlex.quote(str(file))}"
    address = facts.get("address", "")
    yield "\nNext:"
    if draft.brain.kind == "python":
        yield from _code(draft.brain.name, file.parent)
    if draft.brain.lacks:
        yield f"  Write {draft.brain.lacks}=... into {file.parent / '.env'}, or base_url into {file}."
    yield f"  lastword run{named}"
    if draft.dm == "pairing":
        where = f"open {address} and " if address else ""
        yield f"  It shows a message with a code: {where}send that to the bot, and it is yours."
    elif address:
        yield f"  Open {address} and write to it."
    else:
        yield "  It shows where the chat is."
    if draft.brain.kind == "demo":
        yield "  Say hello, then !max_steps: that is how an ending is told."
    yield f"  lastword check --probe{named}   after each change of the file"


def _code(target: str, folder: Path) -> Iterator[str]:
    """What to write where the operator's module is not there yet."""
    module, _, name = target.partition(":")
    if _importable(module.partition(".")[0], folder):
        return
    yield f"  Write {folder / module.replace('.', '/')}.py, with any function or object that answers:"
    yield f"      async def {name}(text):"
    yield '          return f"You said {text}"'


def _importable(module: str, folder: Path) -> bool:
    if (folder / f"{module}.py").exists() or (folder / module).is_dir():
        return True
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _platform(given: Given, interview: Interview) -> str:
    words = {kind: _PLACES.get(kind, "") for kind in sorted(plugins.kinds("adapter"), reverse=True)}
    question = "1 of 3  Where do people talk to it?"
    return interview.choice(question, words, default="telegram", given=given.platform)


def _brain(given: Given, interview: Interview, secrets: Secrets) -> Brain:
    match interview.choice("\n2 of 3  What answers?", _WAYS, default="demo", given=given.way):
        case "model":
            name = interview.text("Which model", _wrong_model, default=_MODEL, given=given.name)
            return _model(name, interview, secrets)
        case "python":
            name = interview.text("Which object", _wrong_target, default=_TARGET, given=given.name)
            return Brain("python", name)
        case _:
            return Brain("demo")


def _wrong_model(name: str) -> str:
    return wrong_with(plugins.options_of("agent", "builtin"), {"model": name}).get("model", "")


def _wrong_target(name: str) -> str:
    return wrong_with(plugins.options_of("agent", "python"), {"target": name}).get("target", "")


def _model(name: str, interview: Interview, secrets: Secrets) -> Brain:
    """A model with its key, which is kept under the name that its provider uses."""
    variable = f"{re.split(r'[-:]', name)[0]}_api_key".upper()
    found = secrets.find(variable)
    if found:
        interview.say(f"{variable} stands in {secrets.home(variable)} and is used.")
    elif interview.asks:
        found = interview.secret("Its key (nothing, for a server of your own)", default="")
        register_secret(found)
    if not found:
        return Brain("model", name, key=reference(variable, needed=False), lacks=variable)
    return Brain("model", name, key=reference(secrets.keep(variable, found)))
