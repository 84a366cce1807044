"""`lastword classify`: what an answer or error of a provider means, and what people are told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

if TYPE_CHECKING:
    from gateway.completion import TurnCompletion, Variant

__all__ = ["command"]


@click.command("classify")
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"))
@click.option("--lines", is_flag=True, help="Read one JSON object a line.")
@click.option("--explain", is_flag=True, help="Say in words what it means and what people are told.")
def command(*, file: TextIO, lines: bool, explain: bool) -> None:
    """Read what a provider sent from FILE (or `-`) and print how the turn ended, as JSON, one a line.

    A document is an object with `status` (or `http_status`), `body`, `headers`, `provider`, and `exception`
    with `class` and `message`, as far as they are known; or the body alone.
    """
    from gateway.completion import classify_exchange

    for document in _documents(file, lines=lines):
        found = classify_exchange(document)
        click.echo(_explained(found) if explain else _json(found))


def _documents(file: TextIO, *, lines: bool) -> Iterator[object]:
    """The decoded documents; ends the command with exit 2 at the first that is not JSON."""
    if not lines:
        yield _decoded(file.read(), first=1)
        return
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield _decoded(line, first=number)


def _decoded(text: str, *, first: int) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as exc:
        where = f"line {first + exc.lineno - 1}, column {exc.colno}"
        hint = " (give --lines for one object a line)" if exc.msg == "Extra data" else ""
        _refuse(f"{where}: this is not JSON: {exc.msg}{hint}")
    except (ValueError, RecursionError) as exc:
        _refuse(f"line {first}: this cannot be read as JSON: {exc}")


def _refuse(problem: str) -> NoReturn:
    click.echo(f"Error: {problem}", err=True)
    sys.exit(2)


def _json(found: TurnCompletion | None) -> str:
    record = found.to_dict() if found is not None else {"reason": None}
    return json.dumps(record, ensure_ascii=True)


def _explained(found: TurnCompletion | None) -> str:
    from gateway.completion import advice, ending, operator_text, variant

    if found is None:
        return "ended      no: this says nothing about an ending"
    row = ending(found.reason)
    told = variant(found.reason, when={"wait"} if found.retry_after is not None else ())
    facts = {
        "ended": ascii(found.code)[1:-1],
        "meaning": row.meaning,
        "said": "nothing (no word of its own)" if found.token is None else ascii(found.token),
        "wait": "" if found.retry_after is None else f"{found.retry_after:g} s",
        "people": _note(found, told),
        "buttons": ", ".join(told.buttons) or "none",
        "advice": advice(found.reason) or "none needed",
        "operator": _printable(operator_text(found, when=("wait",) if found.retry_after is not None else ())),
        "exit": f"{row.exit_code} ({row.status})",
    }
    return "\n".join(f"{name.ljust(9)}  {value}" for name, value in facts.items() if value)


def _printable(text: str) -> str:
    """Text a terminal can take: no controls, no halves of characters."""
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def _note(found: TurnCompletion, told: Variant) -> str:
    """What a person reads in English when notes are on and nothing of the answer is visible."""
    from gateway.notes import Notebook

    if not told.group:
        return "are told nothing"
    notebook = Notebook()
    wait = notebook.wait(found.retry_after, "en")
    return notebook.render(told.group, told.icon, "en", reason=found.reason, wait=wait)
