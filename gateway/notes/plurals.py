"""Plural categories of the shipped languages for whole numbers (Unicode CLDR 48, read 2026-11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["CATEGORIES", "category"]

_Rule = Callable[[int], str]


def _other(_: int) -> str:
    return "other"


def _one(n: int) -> str:
    return "one" if n == 1 else "other"


def _one_or_none(n: int) -> str:
    return "one" if n in (0, 1) else "other"


def _arabic(n: int) -> str:
    if n <= 2:  # the three small numbers have forms of their own
        return ("zero", "one", "two")[n]
    if 3 <= n % 100 <= 10:
        return "few"
    return "many" if 11 <= n % 100 <= 99 else "other"


def _hebrew(n: int) -> str:
    return {1: "one", 2: "two"}.get(n, "other")


def _east_slavic(n: int) -> str:
    if n % 10 == 1 and n % 100 != 11:
        return "one"
    if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14:
        return "few"
    return "many"


def _polish(n: int) -> str:
    return "one" if n == 1 else "few" if _east_slavic(n) == "few" else "many"


def _czech(n: int) -> str:
    return "one" if n == 1 else "few" if 2 <= n <= 4 else "other"


_RULES: Mapping[str, _Rule] = {
    "ar": _arabic,
    "cs": _czech,
    "fa": _one_or_none,
    "fr": _one_or_none,
    "he": _hebrew,
    "hi": _one_or_none,
    "id": _other,
    "ja": _other,
    "ko": _other,
    "pl": _polish,
    "pt": _one_or_none,
    "ru": _east_slavic,
    "uk": _east_slavic,
    "zh": _other,
}
CATEGORIES: Mapping[str, frozenset[str]] = {
    "ar": frozenset({"zero", "one", "two", "few", "many", "other"}),
    "cs": frozenset({"one", "few", "other"}),
    "he": frozenset({"one", "two", "other"}),
    "id": frozenset({"other"}),
    "ja": frozenset({"other"}),
    "ko": frozenset({"other"}),
    "pl": frozenset({"one", "few", "many"}),
    "ru": frozenset({"one", "few", "many"}),
    "uk": frozenset({"one", "few", "many"}),
    "zh": frozenset({"other"}),
}


def category(language: str, n: int) -> str:
    """The plural category of a whole number, such as `few`."""
    return _RULES.get(language.partition("-")[0], _one)(n)
