"""Durations as people write them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

__all__ = ["Duration", "seconds"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")


def seconds(value: object) -> object:
    """Seconds from `90s`, `15m`, `24h`, `7d`; anything else as it is, for pydantic to judge."""
    if isinstance(value, str):
        match = _FORM.fullmatch(value.strip())
        if match is None:
            raise ValueError(f"{value!r} is no duration; write one like 90s, 15m, 24h or 7d")
        return float(match.group(1)) * _UNITS[match.group(2)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise ValueError(f"{value!r} has no unit; write it like {value}s or {value}m")
    return value


Duration = Annotated[
    float,
    BeforeValidator(seconds, json_schema_input_type=str),
    Field(gt=0, le=366 * 86_400.0, description="A duration such as 90s, 15m, 24h or 7d."),
]
