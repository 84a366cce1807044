"""Plural categories of the shipped languages (Unicode CLDR 48, read 2026-11).

For whole numbers below a million; nothing we count goes beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["categories", "category"]

_Rule = Callable[[int], str]
_ONE_OTHER = ("one", "other")
_SLAVIC = ("one", "few", "many")


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
    return "many" if n % 100 >= 11 else "other"


def _hebrew(n: int) -> str:
    return {1: "one", 2: "two"}.get(n, "other")


def _is_few(n: int) -> bool:
    return 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14


def _east_slavic(n: int) -> str:
    if n % 10 == 1 and n % 100 != 11:
        return "one"
    return "few" if _is_few(n) else "many"


def _polish(n: int) -> str:
    if n == 1:
        return "one"
    return "few" if _is_few(n) else "many"


def _czech(n: int) -> str:
    if n == 1:
        return "one"
    return "few" if 2 <= n <= 4 else "other"


_RULES: Mapping[str, tuple[_Rule, tuple[str, ...]]] = {
    "ar": (_arabic, ("zero", "one", "two", "few", "many", "other")),
    "cs": (_czech, ("one", "few", "other")),
    "fa": (_one_or_none, _ONE_OTHER),
    "fr": (_one_or_none, _ONE_OTHER),
    "he": (_hebrew, ("one", "two", "other")),
    "hi": (_one_or_none, _ONE_OTHER),
    "id": (_other, ("other",)),
    "ja": (_other, ("other",)),
    "ko": (_other, ("other",)),
    "pl": (_polish, _SLAVIC),
    "pt": (_one_or_none, _ONE_OTHER),
    "ru": (_east_slavic, _SLAVIC),
    "uk": (_east_slavic, _SLAVIC),
    "zh": (_other, ("other",)),
}


def category(language: str, n: int) -> str:
    """The plural category of a whole number, such as `few`."""
    return _of(language)[0](n)


def categories(language: str) -> tuple[str, ...]:
    """The categories that a language's whole numbers use."""
    return _of(language)[1]


def _of(language: str) -> tuple[_Rule, tuple[str, ...]]:
    return _RULES.get(language.partition("-")[0], (_one, _ONE_OTHER))
