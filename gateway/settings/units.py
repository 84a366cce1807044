"""Durations as people write them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema

__all__ = ["FROM_FILE", "Duration", "seconds"]

FROM_FILE = {"from_file": True}  # validation context: a bare number is somebody's guess, not seconds
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_FORM = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*([smhd])")
_LONGEST = 366 * 86_400.0


def seconds(text: str) -> float:
    """Seconds from `90s`, `15m`, `24h`, `7d`.

    Raises:
        ValueError: It is written otherwise.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError("is no duration: write one like 90s, 15m, 24h or 7d")
    return float(match[1]) * _UNITS[match[2]]


def _read(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        return seconds(value)
    if info.context and not isinstance(value, bool) and isinstance(value, int | float):
        raise ValueError("has no unit: write it like 90s, 15m, 24h or 7d")
    return value


Duration = Annotated[
    float,
    Field(gt=0, le=_LONGEST, allow_inf_nan=False),
    BeforeValidator(_read),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*[smhd]\s*$", "examples": ["90s", "15m"]}
    ),
]
