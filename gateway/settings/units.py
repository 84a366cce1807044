"""Durations as people write them."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema

__all__ = ["FROM_FILE", "Clock", "Duration", "Quota", "Rate", "Size", "seconds", "spelled"]

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


def spelled(duration: float) -> str:
    """Seconds as people write them, in the largest unit that leaves a whole number."""
    unit = next(unit for unit in ("d", "h", "m", "s") if not duration % _UNITS[unit] or unit == "s")
    return f"{duration / _UNITS[unit]:g}{unit}"


def _read(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        return seconds(value)
    if info.context and not isinstance(value, bool) and isinstance(value, int | float):
        raise ValueError("has no unit: write it like 90s, 15m, 24h or 7d")
    return value


class Rate(NamedTuple):
    """So many in so many seconds."""

    number: int
    seconds: float


_PERIODS = {"minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_RATE = re.compile(r"\s*([0-9]{1,9})\s*/\s*([a-z]+)\s*")
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def _rate(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = _RATE.fullmatch(value)
    seconds = _PERIODS.get(match[2]) if match is not None else None
    if match is None or seconds is None or not int(match[1]):
        raise ValueError("is no rate: write one like 50/day; minute, hour and week are known too")
    return Rate(int(match[1]), seconds)


def _time_of_day(value: object) -> object:
    """Seconds after midnight; YAML 1.1 readers make a number of an unquoted time, ours does not."""
    if not isinstance(value, str):
        return value
    match = _TIME.fullmatch(value.strip())
    if match is None:
        raise ValueError('is no time of day: write it like "04:00"')
    return int(match[1]) * 3600.0 + int(match[2]) * 60.0


_SIZES = {"kB": 1_000, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}
_SIZE = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(kB|KB|MB|GB)\s*")


def _size(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        match = _SIZE.fullmatch(value)
        if match is None:
            raise ValueError("is no size: write one like 20MB or 500kB")
        return int(float(match[1]) * _SIZES[match[2]])
    if info.context:
        raise ValueError("has no unit: write it like 20MB or 500kB")
    return value


Size = Annotated[
    int,
    Field(ge=1_000, le=2_000_000_000),
    BeforeValidator(_size),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*([kK]B|MB|GB)\s*$", "examples": ["20MB"]}
    ),
]
Quota = Annotated[
    Rate,
    BeforeValidator(_rate),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\s*\d+\s*/\s*(minute|hour|day|week)\s*$", "examples": ["50/day"]}
    ),
]
Clock = Annotated[
    float,
    Field(ge=0, lt=86_400),
    BeforeValidator(_time_of_day),
    WithJsonSchema({"type": "string", "pattern": r"^([01]?\d|2[0-3]):[0-5]\d$", "examples": ["04:00"]}),
]
Duration = Annotated[
    float,
    Field(gt=0, le=_LONGEST, allow_inf_nan=False),
    BeforeValidator(_read),
    WithJsonSchema(
        {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*[smhd]\s*$", "examples": ["90s", "15m"]}
    ),
]
