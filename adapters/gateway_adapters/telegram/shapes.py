"""What is read of Telegram's JSON, which may hold anything; pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["MALFORMED", "Json", "mapping"]

Json = Mapping[str, Any]
MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading raises when a value is not what it should be."""


def mapping(value: object) -> Json:
    """A JSON object.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(value, Mapping):
        raise TypeError("not an object")
    return cast("Json", value)
