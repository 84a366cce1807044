"""Durations are read as people write them."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from gateway.settings.units import FROM_FILE, Duration, seconds, spelled

_DURATION: TypeAdapter[float] = TypeAdapter(Duration)


@pytest.mark.parametrize(
    ("text", "meant"), [("90s", 90), ("15m", 900), ("24h", 86_400), ("7d", 604_800), (" 1.5 m ", 90)]
)
def test_duration_is_read(text: str, meant: float) -> None:
    assert seconds(text) == meant


@pytest.mark.parametrize("text", ["", "90", "m", "-5s", "5 minutes", "1h30m", "9" * 5000 + "s", "٣s ", "5S"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^is no duration: write one like 90s, 15m, 24h or 7d$"):
        seconds(text)


@pytest.mark.parametrize(
    ("duration", "told"),
    [(31_622_400.0, "366d"), (3_600.0, "1h"), (90.0, "90s"), (900.0, "15m"), (0.5, "0.5s")],
)
def test_duration_is_told_as_people_write_it(duration: float, told: str) -> None:
    assert spelled(duration) == told
    assert seconds(told) == duration


def test_number_in_code_is_seconds() -> None:
    assert _DURATION.validate_python(90) == 90.0


@pytest.mark.parametrize("value", [90, 90.0])
def test_number_in_a_file_lacks_its_unit(value: float) -> None:
    with pytest.raises(ValidationError, match="has no unit"):
        _DURATION.validate_python(value, context=FROM_FILE)


@pytest.mark.parametrize("value", ["0s", "400d", float("nan"), float("inf"), -1.0])
def test_duration_out_of_bounds_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        _DURATION.validate_python(value)
