"""What comes from agents, made plain before anything relies on it.

An agent is other people's code: its texts may be subclasses of `str`, hold halves of characters, or be no
text; its completion may be anything. What cannot be kept or told is put right here, not in a later step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import cast

from gateway.abc.agent import TurnResult
from gateway.completion.model import TurnCompletion

__all__ = ["plain_text", "received"]

_LONGEST_WORD = 500  # characters of a reason, a site, a token
_MOST_NUMBERS = 64
_LONGEST_SUMMARY = 64_000  # characters
_LARGEST = 2**53


def plain_text(value: object) -> str:
    """An exact `str` with whole characters.

    Raises:
        TypeError: It is no text.
    """
    if not isinstance(value, str):
        raise TypeError(f"text was expected, not {type(value).__name__}")
    text = value if type(value) is str else str.__str__(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def received(result: TurnResult) -> TurnResult:
    """A result that can be kept and told, whatever the agent put into it."""
    return TurnResult(
        text=_text(result.text),
        completion=_completion(result.completion),
        data=bytes(result.data) if isinstance(cast("object", result.data), bytes) else b"",
        usage=_numbers(result.usage),
        summary=_text(result.summary)[:_LONGEST_SUMMARY],
    )


def _text(value: object) -> str:
    """Text as it is; a number as it is written; anything else is nothing a person could read."""
    if isinstance(value, str):
        return plain_text(value)
    return str(value) if type(value) in (int, float) else ""


def _completion(value: object) -> TurnCompletion | None:
    """A completion of plain values; a bare word counts, and a word that is no text is an error's."""
    if value is None:
        return None
    if isinstance(value, str):
        return TurnCompletion(plain_text(value)[:_LONGEST_WORD])
    if isinstance(value, TurnCompletion):
        facts = {field.name: cast("object", getattr(value, field.name)) for field in fields(value)}
    elif isinstance(value, Mapping):
        known = cast("Mapping[object, object]", value)
        facts = {field.name: known[field.name] for field in fields(TurnCompletion) if field.name in known}
    else:
        return None
    made = TurnCompletion.from_dict({name: _fact(name, one) for name, one in facts.items()})
    odd = "reason" in facts and not isinstance(facts["reason"], str)
    return replace(made, reason="error") if odd else made


def _fact(name: str, value: object) -> object:
    if isinstance(value, str):
        text = plain_text(value)
        return text if name == "detail" else text[:_LONGEST_WORD]
    if type(value) is int and abs(value) > _LARGEST:
        return None
    return value


def _numbers(value: object) -> dict[str, int]:
    if not isinstance(value, Mapping):
        return {}
    found: dict[str, int] = {}
    for key, number in list(cast("Mapping[object, object]", value).items())[:_MOST_NUMBERS]:
        if isinstance(key, str) and type(number) is int and abs(number) <= _LARGEST:
            found[plain_text(key)[:_LONGEST_WORD]] = number
    return found
