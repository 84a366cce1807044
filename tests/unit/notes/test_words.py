"""Typed words stand for buttons, however they are typed."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.messages import ActionKind
from gateway.notes import SHIPPED, typed
from gateway.notes.shipped import load
from gateway.notes.words import folded

_KINDS: tuple[ActionKind, ...] = ("continue", "retry", "new", "stop")


@pytest.mark.parametrize("language", SHIPPED)
def test_every_word_and_label_is_understood_in_its_language(language: str) -> None:
    data = load(language)

    for kind in _KINDS:
        for word in (*data["typed"][kind], data["labels"][kind]):
            assert typed(word, language) == kind, word


def test_no_word_means_different_things_in_any_two_languages() -> None:
    """So a word is understood whatever language the person was taken to speak."""
    meant: dict[str, set[str]] = defaultdict(set)
    for language in SHIPPED:
        data = load(language)
        for kind in _KINDS:
            for word in (*data["typed"][kind], data["labels"][kind]):
                meant[folded(word)].add(kind)

    assert {word: kinds for word, kinds in meant.items() if len(kinds) > 1} == {}
    assert "" not in meant


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("continue", "en", "continue"),
        ("  CONTINUE!  ", "en", "continue"),
        ('"continue"', "en", "continue"),
        ("“Continue”.", "en", "continue"),
        ("ｃｏｎｔｉｎｕｅ", "en", "continue"),
        ("go   on", "en", "continue"),
        ("continue 🙏", "en", "continue"),
        ("„Weiter“", "de", "continue"),
        ("weiter", "en", "continue"),
        ("continue", "de", "continue"),
        ("continue", "tlh", "continue"),
        ("weiter", "de-AT", "continue"),
        ("Neuer Chat", "de", "new"),
        ("«متابعة»", "ar", "continue"),
        ("متابعه", "ar", "continue"),
        ("اكمل", "ar", "continue"),
        ("\u2067متابعة\u2069", "ar", "continue"),
        ("ايقاف", "ar", "stop"),
        ("「続けて」", "ja", "continue"),
        ("続けて。", "ja", "continue"),
        ("ｽﾄｯﾌﾟ", "ja", "stop"),
        ("REESSAYER", "fr", "retry"),
        ("YENİDEN DENE", "tr", "retry"),
        ("yenıden dene", "tr", "retry"),
        ("еще раз", "ru", "retry"),
        ("“계속”", "ko", "continue"),
        ("“继续”。", "zh-Hans", "continue"),
        ("گفتگوی جديد", "fa", "new"),
        ("continuar", "pt", "continue"),
    ],
)
def test_typed_understands_words_however_they_are_written(text: str, language: str, kind: ActionKind) -> None:
    assert typed(text, language) == kind


@pytest.mark.parametrize(
    "text", ["", " ", "?!", "please continue with the second part", "continued", "continue" * 9, "🙏", "no"]
)
def test_typed_leaves_messages_alone(text: str) -> None:
    assert typed(text, "en") is None


@given(st.text(max_size=60), st.text(max_size=12))
def test_typed_takes_any_text(text: str, language: str) -> None:
    assert typed(text, language) in {*_KINDS, None}
