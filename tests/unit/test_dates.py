"""What time it is at a platform."""

from __future__ import annotations

import time

import pytest

from gateway.abc.dates import Dates

_DATE, _MOMENT = "Tue, 01 Dec 2026 12:00:00 GMT", 1_796_126_400.0


def test_date_of_an_answer_is_passed_on_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    heard: list[float] = []
    dates = Dates()
    dates.answered(_DATE, began=now)
    dates.begin(heard.append)

    for _ in range(3):
        dates.answered(_DATE, began=now)
    assert heard == [_MOMENT]
    now += 31.0
    dates.answered(_DATE, began=now)
    assert heard == [_MOMENT] * 2


@pytest.mark.parametrize(
    "date", [None, "", "yesterday", "Tue, 99 Dec 2026 12:00:00 GMT", "Tue, 01 Dec 99999999"]
)
def test_what_is_no_date_says_nothing(date: str | None) -> None:
    heard: list[float] = []
    dates = Dates()
    dates.begin(heard.append)
    dates.answered(date, began=time.monotonic())
    assert heard == []


def test_answer_that_took_long_says_nothing_of_now() -> None:
    heard: list[float] = []
    dates = Dates()
    dates.begin(heard.append)
    dates.answered(_DATE, began=time.monotonic() - 20.0)
    assert heard == []
