"""Ask an operator on a terminal, or take what was given on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click
from pydantic import BaseModel, ValidationError

__all__ = ["TRIES", "Interview", "wrong_with"]

TRIES = 3


class Interview:
    """Asks for what was not given.

    Args:
        asks: Whether somebody is there; otherwise what is not given takes its default.
    """

    def __init__(self, *, asks: bool) -> None:
        self.asks = asks

    def say(self, text: str = "") -> None:
        """Explain, where somebody is there to read it."""
        if self.asks:
            click.echo(text)

    def choice(self, question: str, words: Mapping[str, str], *, default: str, given: str = "") -> str:
        """One of some words, each with what it means."""
        if given or not self.asks:
            return given or default
        click.echo(question)
        width = max(map(len, words))
        for word, means in words.items():
            click.echo(f"  {word.ljust(width)}  {means}")
        found: str = click.prompt(
            "Your choice", type=click.Choice(list(words)), default=default, show_choices=False
        )
        return found

    def text(self, question: str, wrong: Callable[[str], str], *, default: str, given: str = "") -> str:
        """A text that nothing is wrong with.

        Args:
            question: What is asked.
            wrong: Says what is wrong with an answer; empty when nothing is.
            default: The answer to Enter.
            given: The answer, where it was given already.

        Raises:
            click.UsageError: What was given is wrong, or so were all tries.
        """
        told = ""
        for _ in range(TRIES if self.asks and not given else 1):
            answer: str = given or (click.prompt(question, default=default) if self.asks else default)
            told = wrong(answer.strip())
            if not told:
                return answer.strip()
            if not given:
                click.echo(told, err=True)
        raise click.UsageError(f"{told}. Nothing was written.")

    def secret(self, question: str, *, default: str | None = None) -> str:
        """What is typed unseen."""
        found: str = click.prompt(question, hide_input=True, default=default, show_default=False)
        return found.strip()


def wrong_with(options: type[BaseModel], values: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with some options, by key; a value is never told."""
    try:
        options.model_validate(dict(values))
    except ValidationError as exc:
        return {
            str(error["loc"][0]) if error["loc"] else "": error["msg"].removeprefix("Value error, ")
            for error in exc.errors(include_input=False, include_url=False)
        }
    return {}
