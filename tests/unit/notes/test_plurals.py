"""Plural categories are those of the Unicode CLDR."""

from __future__ import annotations

import pytest

from gateway.notes import SHIPPED
from gateway.notes.plurals import categories, category

# Whole numbers that CLDR 48 gives as samples, read 2026-11 (supplemental/plurals.json).
_SAMPLES: dict[str, dict[str, list[int]]] = {
    "en": {"one": [1], "other": [0, 2, 16, 100, 1000]},
    "de": {"one": [1], "other": [0, 2, 16, 21, 101]},
    "es": {"one": [1], "other": [0, 2, 16, 21, 101]},
    "it": {"one": [1], "other": [0, 2, 16, 21, 101]},
    "nl": {"one": [1], "other": [0, 2, 16, 21, 101]},
    "tr": {"one": [1], "other": [0, 2, 16, 21, 101]},
    "fr": {"one": [0, 1], "other": [2, 17, 21, 101]},
    "pt-BR": {"one": [0, 1], "other": [2, 17, 21, 101]},
    "fa": {"one": [0, 1], "other": [2, 17, 101]},
    "hi": {"one": [0, 1], "other": [2, 17, 101]},
    "he": {"one": [1], "two": [2], "other": [0, 3, 17, 20, 100, 102]},
    "pl": {"one": [1], "few": [2, 4, 22, 24, 102], "many": [0, 5, 12, 14, 19, 21, 100, 112]},
    "cs": {"one": [1], "few": [2, 4], "other": [0, 5, 19, 22, 100]},
    "ru": {"one": [1, 21, 31, 101], "few": [2, 4, 22, 24, 102], "many": [0, 5, 11, 12, 14, 19, 100, 111]},
    "uk": {"one": [1, 21, 31, 101], "few": [2, 4, 22, 24, 102], "many": [0, 5, 11, 12, 14, 19, 100, 111]},
    "ar": {
        "zero": [0],
        "one": [1],
        "two": [2],
        "few": [3, 10, 103, 110, 1003],
        "many": [11, 26, 99, 111, 1011],
        "other": [100, 102, 200, 202, 1000],
    },
    **{language: {"other": [0, 1, 2, 15, 100, 1000]} for language in ("id", "ja", "ko", "zh-Hans")},
}


@pytest.mark.parametrize("language", _SAMPLES)
def test_category_is_that_of_the_samples(language: str) -> None:
    samples = _SAMPLES[language]

    assert {form: [category(language, n) for n in numbers] for form, numbers in samples.items()} == {
        form: [form] * len(numbers) for form, numbers in samples.items()
    }
    assert categories(language) == tuple(samples)


@pytest.mark.parametrize("language", SHIPPED)
def test_every_number_has_a_category_that_its_language_lists(language: str) -> None:
    assert {category(language, n) for n in range(1200)} == set(categories(language))


def test_every_shipped_language_has_samples() -> None:
    assert set(SHIPPED) <= set(_SAMPLES)
