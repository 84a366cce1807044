"""What a text for people must not hold: markup, addresses, and words of the trade."""

from __future__ import annotations

import re
from functools import cache

from gateway.notes.shipped import load

__all__ = ["banned_words", "has_markup"]

_MARKUP = re.compile(r"<[^<>]*>|&#?\w+;|\w://|\bwww\.|\]\(|[`*_~]{2}|[`\n\r\t]")


def has_markup(text: str) -> bool:
    """Whether a text holds HTML, Markdown, an address, or a control character."""
    return _MARKUP.search(text) is not None


def banned_words(text: str, language: str) -> list[str]:
    """The words in a text that a shipped language does without in front of people."""
    return [found.group() for found in _banned(language).finditer(text)]


@cache
def _banned(language: str) -> re.Pattern[str]:
    return re.compile("|".join(_pattern(word) for word in load(language)["banned"]), re.IGNORECASE)


def _pattern(word: str) -> str:
    """A word as a pattern; `*` at an end stands for any letters there."""
    before = r"\b\w*" if word.startswith("*") else r"(?<!\w)"
    after = r"\w*" if word.endswith("*") else r"(?!\w)"
    return f"{before}{re.escape(word.strip('*'))}{after}"
