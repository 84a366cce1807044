"""What is read of Slack's JSON, which may hold anything; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

__all__ = ["MALFORMED", "Json", "items", "mapping", "maybe", "moment", "stamp", "text", "whole"]

Json = Mapping[str, Any]
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading raises when a value is not what it should be."""

_NOTHING: Json = {}
_LONGEST = 128  # characters of an id; the longest, of a trigger, have about sixty
_LATEST = 10.0**11  # unix seconds; beyond that it is no time


def mapping(value: object) -> Json:
    """A JSON object.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, Mapping):
        raise TypeError("not an object")
    return cast("Json", value)


def maybe(value: object) -> Json:
    """A JSON object that may be missing; an empty one then.

    Raises:
        TypeError: It is something else.
    """
    return mapping(value) if value else _NOTHING


def items(value: object) -> Sequence[object]:
    """A JSON array; empty for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else ()


def whole(value: object) -> str:
    """A text that may be missing; halves of characters that stand alone become one that can be written."""
    if not isinstance(value, str):
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def text(value: object) -> str:
    """A word that must be there, such as an id.

    Raises:
        TypeError: It is no text.
        ValueError: It is empty, or none that Slack makes.
    """
    if not isinstance(value, str):
        raise TypeError("not a text")
    if not (value.isascii() and value.isprintable() and 0 < len(value) <= _LONGEST):
        raise ValueError("not an id")
    return value


def stamp(value: object) -> str:
    """A message's timestamp, which is its id in its channel; a text, since a float has too few digits.

    Raises:
        TypeError: It is no text.
        ValueError: It is no timestamp.
    """
    told = text(value)
    moment(told)
    return told


def moment(value: str) -> float:
    """A timestamp as unix seconds.

    Raises:
        ValueError: It is none.
    """
    seconds, _, fraction = value.partition(".")
    if not (seconds.isascii() and seconds.isdigit() and (not fraction or fraction.isdigit())):
        raise ValueError("not a timestamp")
    at = float(value)
    if at > _LATEST:
        raise ValueError("not a timestamp")
    return at
