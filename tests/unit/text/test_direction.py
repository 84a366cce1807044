"""The direction of a text by its first strong character."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text import direction, first_strong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello", "ltr"),
        ("שלום", "rtl"),
        ("مرحبا", "rtl"),
        ("⏳ 12: مرحبا", "rtl"),
        ("⏳ 12: 日本", "ltr"),
        ("(א) abc", "rtl"),
        ("\u2067אבג\u2069 abc", "ltr"),
        ("\u2068abc \u2066def\u2069 ghi\u2069 שלום", "rtl"),
        ("\u2069\u2069 abc", "ltr"),
        ("\u2068abc", None),
        ("⏳ 123 !?", None),
        ("", None),
    ],
)
def test_first_strong_character_outside_of_isolates_decides(text: str, expected: str | None) -> None:
    assert first_strong(text) == expected
    assert direction(text) == (expected or "ltr")


@settings(deadline=None)
@given(st.characters(codec="utf-8"))
def test_first_strong_agrees_with_the_character_database(char: str) -> None:
    kinds = {"L": "ltr", "R": "rtl", "AL": "rtl"}

    assert unicodedata.category(char) == "Cn" or first_strong(char) == kinds.get(
        unicodedata.bidirectional(char)
    )
