"""Which way a text runs, by its first strong character (Unicode annex 9, rules P2 and P3)."""

from __future__ import annotations

from typing import Literal

import regex

__all__ = ["direction", "first_strong"]

_MARKS = regex.compile(
    r"(?P<open>[\u2066-\u2068])|(?P<close>\u2069)|(?P<ltr>\p{Bidi_Class=L})"
    r"|(?P<rtl>[\p{Bidi_Class=R}\p{Bidi_Class=AL}])"
)


def first_strong(text: str) -> Literal["ltr", "rtl"] | None:
    """The direction of the first strong character outside of isolates; `None` when there is none."""
    depth = 0
    for mark in _MARKS.finditer(text):
        if mark.lastgroup == "open":
            depth += 1
        elif mark.lastgroup == "close":
            depth = max(0, depth - 1)
        elif depth == 0:
            return "ltr" if mark.lastgroup == "ltr" else "rtl"
    return None


def direction(text: str) -> Literal["ltr", "rtl"]:
    """The direction a display gives a paragraph; left to right when nothing in it is strong."""
    return first_strong(text) or "ltr"
