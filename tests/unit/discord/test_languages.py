"""In which language a person wants to be spoken to."""

from __future__ import annotations

import pytest

from gateway_adapters.discord.languages import Languages, script_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("こんにちは、元気?", "ja"),
        ("東京の天気は", "ja"),
        ("안녕하세요", "ko"),
        ("שלום, מה נשמע", "he"),
        ("مرحبا كيف الحال", "ar"),
        ("سلام، چطوری؟ می‌خواهم بپرسم", "fa"),
        ("آپ کیسے ہیں", "ur"),
        ("नमस्ते", "hi"),
        ("Привет, как дела", ""),
        ("你好，世界", ""),
        ("hello", ""),
        ("what does こんにちは mean in English please", ""),
        ("12 + 30 = ?", ""),
        ("", ""),
    ],
)
def test_script_names_a_language_where_it_names_one(text: str, language: str) -> None:
    assert script_language(text) == language


def test_script_counts_for_more_than_the_app_and_the_app_for_more_than_the_server() -> None:
    languages = Languages()
    languages.server("g", "de")

    assert languages.of("a", text="hi", told="", guild="g") == "de"
    assert languages.of("a", text="hi", told="fr", guild="g") == "fr"
    assert languages.of("a", text="hi", told="", guild="g") == "fr"
    assert languages.of("a", text="שלום", told="en-US", guild="g") == "he"
    assert languages.of("a", text="ok", told="", guild="g") == "he"
    assert languages.of("b", text="ok", told="", guild="") == ""


def test_server_that_chose_none_any_more_lends_none() -> None:
    languages = Languages()
    languages.server("g", "de")
    languages.server("g", "")

    assert languages.of("a", text="hi", told="", guild="g") == ""


def test_people_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway_adapters.discord.languages._REMEMBERED", 2)
    languages = Languages()
    for person in ("a", "b", "c"):
        languages.of(person, text="", told="de", guild="")

    assert [languages.of(one, text="", told="", guild="") for one in ("a", "b", "c")] == ["", "de", "de"]
