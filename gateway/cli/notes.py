"""`lastword notes`: preview every text people read."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]

_SAMPLES = {
    "wait": "5 s",
    "limit": "20 MB",
    "contact": "help@example.org",
    "code": "K7QW2M",
    "n": "3",
    "id": "4711",
    "language": "English",
    "languages": "de, en",
}


@click.command("notes")
@click.argument("language", required=False, default="")
@click.option(
    "--config", "file", type=click.Path(path_type=Path, dir_okay=False), help="Show a bot's overrides too."
)
@click.option("--bot", default="", help="The bot whose overrides are shown.")
def command(language: str, *, file: Path | None, bot: str) -> None:
    """Preview all texts of LANGUAGE, or list the languages and how complete they are."""
    from gateway.notes import Notebook

    notebook = Notebook(_overrides(file, bot))
    if not language:
        _coverage(notebook.languages)
        return
    tag = notebook.find(language)
    if not tag:
        raise click.ClickException(f"{language!r} is not spoken; these are: {', '.join(notebook.languages)}")
    _preview(tag, file, bot)


def _overrides(file: Path | None, bot: str) -> dict[str, dict[str, dict[str, str]]]:
    if file is None:
        return {}
    from gateway.cli.loading import load_file

    settings = load_file(file)
    chosen = settings.bots.get(bot) or next(iter(settings.bots.values()), None)
    return {} if chosen is None else {tag: dict(texts) for tag, texts in chosen.notes.texts.items()}


def _coverage(languages: tuple[str, ...]) -> None:
    from gateway.notes.catalogue import SHIPPED, load

    english = load("en")
    wanted = {*english["groups"], *english["lines"]}
    for tag in languages:
        if tag not in SHIPPED:
            click.echo(f"{tag:<8} overrides only")
            continue
        data = load(tag)
        have = wanted & {*data["groups"], *data["lines"]}
        click.echo(f"{tag:<8} {data['name']:<12} {len(have)}/{len(wanted)} texts")


def _preview(tag: str, file: Path | None, bot: str) -> None:
    from gateway.completion.registry import ENDINGS, ending
    from gateway.notes import Notebook
    from gateway.notes.catalogue import load

    notebook = Notebook(_overrides(file, bot))
    samples = _SAMPLES | {"wait": notebook.wait(300, tag)}
    shown: set[str] = set()
    for row in [*ENDINGS.values(), ending("?")]:
        for one in row.variants:
            if one.group and one.group not in shown:
                shown.add(one.group)
                text = notebook.render(one.group, one.icon, tag, reason=row.reason, **samples)
                click.echo(f"{one.group:<22} {text}")
    for key in load(tag)["lines"]:
        click.echo(f"{key:<22} {notebook.line(key, tag, **samples)}")
    click.echo(f"{'reference':<22} {notebook.reference('K7Q2M', tag)}")
    for kind in ("continue", "retry", "new", "stop", "confirm_retry", "dismiss"):
        click.echo(f"button {kind:<15} {notebook.label(kind, tag)}")
