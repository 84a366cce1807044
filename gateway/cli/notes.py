"""`lastword notes`: preview every text people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from gateway.errors import ConfigError

if TYPE_CHECKING:
    from gateway.notes import Notebook
    from gateway.notes.catalogue import Overrides

__all__ = ["command"]

_SAMPLES: Mapping[str, str] = {
    "limit": "20 MB",
    "contact": "help@firm.example",
    "code": "K7QW2M",
    "n": "3",
    "id": "4711",
    "name": "Ada",
    "bot": "helpdesk",
    "ref": "K7Q2M",
}
_WAITS = (1, 45, 300, 7_200, 172_800)  # seconds
_KEY = 26  # columns for the name of a text


@click.command("notes")
@click.argument("language", default="")
@click.option(
    "--config",
    "files",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    help="Show the texts of this file's bots in place of ours; may be given more than once.",
)
@click.option("--bot", default="", help="Only this bot's texts.")
def command(language: str, *, files: tuple[Path, ...], bot: str) -> None:
    """Preview all texts of LANGUAGE, or list the languages and how complete they are."""
    from gateway.notes import Notebook

    try:
        own = _overrides(files, bot)
    except ConfigError as exc:
        raise click.ClickException(str(exc)) from exc
    notebook = Notebook(own)
    if not language:
        for line in _coverage(notebook, own):
            click.echo(line)
        return
    tag = notebook.find(language)
    if not tag:
        spoken = ", ".join(notebook.languages)
        raise click.BadParameter(f"{language!r} is not spoken; these are: {spoken}", param_hint="LANGUAGE")
    for key, text in _preview(notebook, tag):
        click.echo(f"{key:<{_KEY}} {text}")


def _overrides(files: tuple[Path, ...], bot: str) -> dict[str, dict[str, Mapping[str, str]]]:
    """The texts of all chosen bots, later ones in place of earlier ones.

    Raises:
        ConfigError: A file does not validate, or has no such bot.
    """
    from gateway.cli.loading import load_file

    bots = [chosen for file in files for chosen in load_file(file).bots.values() if bot in ("", chosen.name)]
    if bot and not bots:
        raise ConfigError(
            [f"no bot is named {bot!r}: look under `bots` in the file, and give it by --config"]
        )
    merged: dict[str, dict[str, Mapping[str, str]]] = {}
    for chosen in bots:
        for tag, texts in chosen.notes.texts.items():
            merged.setdefault(tag, {}).update(texts)
    return merged


def _coverage(notebook: Notebook, own: Overrides) -> Iterator[str]:
    from gateway.notes.catalogue import canonical
    from gateway.notes.shipped import SHIPPED, load

    wanted = {*load("en")["groups"], *load("en")["lines"]}
    yield f"{'tag':<9}{'English name':<22}{'texts':>9}{'yours':>7}  own name"
    yours = Counter(canonical(tag) for tag, texts in own.items() for _ in texts)
    for tag in notebook.languages:
        shipped = {*load(tag)["groups"], *load(tag)["lines"]} if tag in SHIPPED else set[str]()
        english = load(tag)["english"] if tag in SHIPPED else "(not shipped)"
        count = f"{len(wanted & shipped)}/{len(wanted)}"
        yield f"{tag:<9}{english:<22}{count:>9}{yours[tag]:>7}  {notebook.name(tag)}"


def _preview(notebook: Notebook, tag: str) -> Iterator[tuple[str, str]]:
    from gateway.messages import ActionKind
    from gateway.notes.shipped import SHIPPED, load

    samples = {
        **_SAMPLES,
        "wait": notebook.wait(300, tag),
        "language": notebook.name(tag),
        "languages": ", ".join(notebook.languages),
    }
    for key, icon, reason in _groups():
        yield key, notebook.render(key, icon, tag, reason=reason, **samples)
    for key in load("en")["lines"]:
        yield key, notebook.line(key, tag, **samples)
    yield "reference", notebook.reference(_SAMPLES["ref"], tag)
    for kind in get_args(ActionKind):
        yield f"button {kind}", notebook.label(kind, tag)
    for name, does in notebook.menu(tag):
        yield f"menu /{name}", does
    for kind, words in load(tag if tag in SHIPPED else "en")["typed"].items():
        yield f"typed {kind}", ", ".join(words)
    yield "waits", ", ".join([*(notebook.wait(seconds, tag) for seconds in _WAITS), notebook.wait(None, tag)])


def _groups() -> Iterator[tuple[str, str, str]]:
    """Every text group once, with its icon and the first reason that is told by it."""
    from gateway.completion.registry import ENDINGS, ending

    shown: set[str] = {""}
    for row in (*ENDINGS.values(), ending("?")):
        for one in row.variants:
            if one.group not in shown:
                shown.add(one.group)
                yield one.group, one.icon, row.reason
