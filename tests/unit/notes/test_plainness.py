"""Texts for people are plain."""

from __future__ import annotations

import pytest

from gateway.notes.plainness import banned_words, has_markup


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("The API said no", "en", ["API"]),
        ("Rate limits and prompts", "en", ["Rate limits", "prompts"]),
        ("A monkey took the keyring", "en", []),
        ("My turn", "en", ["turn"]),
        ("Please return", "en", []),
        ("Die Sitzungen sind zu Ende", "de", ["Sitzungen"]),
        ("Die Besitzung", "de", []),
        ("انتهى الرصيد", "ar", ["الرصيد"]),
        ("新しいセッションを開始", "ja", ["新しいセッションを開始"]),
        ("", "en", []),
    ],
)
def test_banned_words_are_found_as_words(text: str, language: str, words: list[str]) -> None:
    assert banned_words(text, language) == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plain, 3 < 5 (really) — fine_really", False),
        ("<b>", True),
        ("&amp;", True),
        ("ftp://x", True),
        ("www.example.com", True),
        ("[a](b)", True),
        ("**a**", True),
        ("`a`", True),
        ("a\tb", True),
    ],
)
def test_markup_is_found(text: str, found: bool) -> None:
    assert has_markup(text) is found
