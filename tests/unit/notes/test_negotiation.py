"""The language is the first of the hints that we speak, or something near it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.notes import SHIPPED, negotiate


@pytest.mark.parametrize(
    ("hints", "language"),
    [
        (("de",), "de"),
        (("de", "ja"), "de"),
        (("", "ja", "de"), "ja"),
        (("tlh", "ar"), "ar"),
        (("en_US",), "en"),
        (("de_DE.UTF-8",), "de"),
        (("de_DE@euro",), "de"),
        (("DE-at",), "de"),
        (("gsw",), "de"),
        (("pt",), "pt-BR"),
        (("pt-PT",), "pt-BR"),
        (("iw",), "he"),
        (("in",), "id"),
        (("zh-hans",), "zh-Hans"),
        (("zh_CN",), "zh-Hans"),
        (("zh-Hant",), "zh-Hans"),
        (("zh-TW",), "zh-Hans"),
        (("zh_HK",), "zh-Hans"),
        (("zh-Hant-MO", "ja"), "zh-Hans"),
        (("yue",), "zh-Hans"),
        (("sk",), "cs"),
        (("ar-EG",), "ar"),
        ((" ja ",), "ja"),
        (("C",), "en"),
        (("POSIX",), "en"),
        (("x\n", "de"), "de"),
        (("de\n",), "de"),
        (("und",), "en"),
        (("mul", "zxx"), "en"),
        (("i-klingon",), "en"),
        (("x-private",), "en"),
        (("en--US",), "en"),
        (("日本",), "en"),
        (("\x00",), "en"),
        (("d" * 10_000, "ar"), "ar"),
        ((), "en"),
    ],
)
def test_negotiate_takes_the_first_hint_that_fits(hints: tuple[str, ...], language: str) -> None:
    assert negotiate(*hints) == language


def test_negotiate_falls_back_where_no_hint_fits() -> None:
    assert negotiate("tlh", fallback="ja") == "ja"


def test_negotiate_speaks_english_where_the_fallback_is_unknown() -> None:
    assert negotiate("tlh", fallback="?") == "en"


def test_negotiate_chooses_among_given_languages() -> None:
    assert negotiate("sv-SE", languages=("en", "sv")) == "sv"


def test_negotiate_prefers_traditional_chinese_where_somebody_wrote_it() -> None:
    assert negotiate("zh-TW", languages=("en", "zh-Hans", "zh-Hant")) == "zh-Hant"


def test_negotiate_takes_no_simplified_chinese_for_granted() -> None:
    assert negotiate("zh-TW", "ja", languages=("en", "ja")) == "ja"


@given(st.text(max_size=40), st.text(max_size=40))
def test_negotiate_takes_any_text(hint: str, fallback: str) -> None:
    assert negotiate(hint, fallback=fallback) in SHIPPED


@given(st.from_regex(r"[A-Za-z]{1,3}([-_][A-Za-z0-9]{1,8}){0,4}", fullmatch=True))
def test_negotiate_takes_anything_like_a_tag(hint: str) -> None:
    assert negotiate(hint) in SHIPPED
