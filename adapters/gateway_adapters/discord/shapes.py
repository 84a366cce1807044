"""What is read of Discord's JSON, which may hold anything; pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["MALFORMED", "Json", "mapping", "mappings", "moment", "snowflake", "whole"]

Json = Mapping[str, Any]
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading raises when a value is not what it should be."""

_EPOCH = 1_420_070_400.0  # seconds; ids count milliseconds from here


def mapping(value: object) -> Json:
    """A JSON object.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, Mapping):
        raise TypeError("not an object")
    return cast("Json", value)


def mappings(value: object) -> list[Json]:
    """The objects of a list that may be missing.

    Raises:
        TypeError: It is something else.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise TypeError("not a list")
    return [mapping(one) for one in cast("list[object]", value)]


def snowflake(value: object) -> str:
    """An id, which travels as a string of digits.

    Raises:
        ValueError: It is something else.
    """
    if not (isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 20):
        raise ValueError("not an id")
    return value


def moment(identity: str) -> float:
    """When something got its id, unix seconds."""
    return (int(identity) >> 22) / 1000 + _EPOCH


def whole(value: object) -> str:
    """A text that may be missing; halves of characters that stand alone become one that can be written."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
