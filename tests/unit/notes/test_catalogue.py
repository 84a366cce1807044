"""A notebook says the right text, filled in, in the right language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.notes import SHIPPED, Notebook
from gateway.notes.catalogue import Overrides, canonical
from gateway.notes.shipped import load

_SWEDISH: Overrides = {"sv": {"busy": {"what": "Det är kö", "do": "skriv igen om en minut."}}}


def test_note_joins_icon_and_both_halves() -> None:
    assert Notebook().render("busy", "⏳", "de") == (
        "⏳ Es warten schon zu viele Nachrichten, deshalb habe ich diese nicht angenommen"
        " – bitte in einer Minute noch einmal senden."
    )


def test_note_without_icon_begins_with_its_text() -> None:
    assert Notebook().line("welcome", "en") == "Hello, I am here — send me a message and I will answer."


def test_line_brings_its_icon() -> None:
    assert Notebook().line("not_your_button", "en").startswith("🛑 Only the person who asked")


def test_text_that_nobody_wrote_is_the_generic_one() -> None:
    assert Notebook().render("no.such.text", "⏳", "en") == "⏳ This turn ended early — please try again."


def test_values_named_like_parameters_are_values() -> None:
    assert Notebook().line("language_set", "en", language="Deutsch").endswith("my notes in Deutsch.")


def test_missing_values_leave_no_braces_and_no_holes() -> None:
    notebook = Notebook()

    assert notebook.render("file.large", "⚠️", "en").startswith("⚠️ This file is larger than I can take —")
    assert notebook.render("budget", "⏳", "en").endswith("you can go on in a while.")
    assert notebook.render("budget", "⏳", "en", wait="").endswith("you can go on in a while.")
    assert notebook.line("queued", "en").endswith("I will answer it after others.")


@pytest.mark.parametrize(
    ("language", "n", "text"),
    [
        ("en", 1, "after 1 other."),
        ("en", 2, "after 2 others."),
        ("de", 1, "vorher ist noch 1 andere dran."),
        ("de-AT", 2, "vorher sind noch 2 andere dran."),
        ("ar", 2, "بعد رسالتين أخريين."),
        ("ar", 3, "بعد \u20683\u2069 رسائل أخرى."),
        ("ja", 1, "ほかの1件の後に回答します。"),
        ("tlh", 1, "after 1 other."),
        ("en", "1", "after 1 other."),
        ("en", "many", "after many others."),
        ("en", 10**7, "after 10000000 others."),
    ],
)
def test_queued_counts_in_the_plural_of_the_language(language: str, n: int | str, text: str) -> None:
    assert Notebook().line("queued", language, n=n).endswith(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 second"),
        (1, "1 second"),
        (1.01, "2 seconds"),
        (59, "59 seconds"),
        (99, "99 seconds"),
        (100, "2 minutes"),
        (3_600, "60 minutes"),
        (6_000, "2 hours"),
        (86_400, "24 hours"),
        (172_800, "2 days"),
        (200_000, "3 days"),
        (400 * 86_400, "400 days"),
        (400 * 86_400 + 1, "a while"),
        (0, "a while"),
        (-5, "a while"),
        (None, "a while"),
        (float("nan"), "a while"),
        (float("inf"), "a while"),
    ],
)
def test_wait_is_rounded_up_to_a_unit_people_use(seconds: float | None, text: str) -> None:
    assert Notebook().wait(seconds, "en") == text


@pytest.mark.parametrize(
    ("seconds", "language", "text"),
    [
        (1, "ar", "ثانية واحدة"),
        (2, "ar", "ثانيتين"),
        (5, "ar", "5 ثوانٍ"),
        (45, "ar", "45 ثانية"),
        (300, "ja", "5分"),
        (1, "de", "1 Sekunde"),
        (300, "sv", "5 minutes"),
    ],
)
def test_wait_speaks_the_language(seconds: float, language: str, text: str) -> None:
    assert Notebook().wait(seconds, language) == text


def test_inserts_that_run_the_other_way_are_isolated() -> None:
    arabic = Notebook().render("unavailable.contact", "⚠️", "ar", contact="help@firm.example")
    english = Notebook().line("language_set", "en", language="العربية")

    assert "\u2068help@firm.example\u2069" in arabic
    assert "\u2068العربية\u2069" in english


def test_inserts_that_run_along_are_not_isolated() -> None:
    assert "\u2068" not in Notebook().render("unavailable.contact", "⚠️", "de", contact="help@firm.example")


def test_reference_is_a_line_of_its_own_language() -> None:
    assert Notebook().reference("K7Q2M", "en") == "Ref K7Q2M"
    assert Notebook().reference("K7Q2M", "ar") == "المرجع \u2068K7Q2M\u2069"


def test_label_speaks_the_language() -> None:
    notebook = Notebook()

    assert notebook.label("confirm_retry", "en") == "Retry anyway"
    assert notebook.label("dismiss", "de") == "Abbrechen"
    assert notebook.label("continue", "tlh") == "Continue"


def test_menu_tells_what_commands_do_in_the_order_they_are_listed() -> None:
    menu = Notebook().menu("de")

    assert menu[0] == ("stop", "Stoppen, was ich gerade tue")
    assert [name for name, _ in menu] == list(load("en")["menu"])


def test_menu_of_a_language_that_is_not_shipped_is_that_of_the_fallback() -> None:
    assert Notebook(_SWEDISH, fallback="de").menu("sv") == Notebook().menu("de")


def test_override_replaces_one_half_and_leaves_the_other() -> None:
    notebook = Notebook({"de": {"busy": {"what": "Gerade ist viel los"}}})

    assert notebook.render("busy", "⏳", "de") == (
        "⏳ Gerade ist viel los – bitte in einer Minute noch einmal senden."
    )


def test_override_of_a_reason_beats_that_of_its_group() -> None:
    notebook = Notebook({"en": {"hiccup": {"what": "Group"}, "network_error": {"what": "Reason"}}})

    assert notebook.render("hiccup", "⚠️", "en", reason="network_error").startswith("⚠️ Reason —")
    assert notebook.render("hiccup", "⚠️", "en", reason="provider_error").startswith("⚠️ Group —")


def test_override_of_a_region_beats_that_of_the_language() -> None:
    notebook = Notebook({"de": {"busy": {"what": "Viel los"}}, "de-AT": {"busy": {"what": "Servus"}}})

    assert notebook.render("busy", "", "de-AT").startswith("Servus –")
    assert notebook.render("busy", "", "de-CH").startswith("Viel los –")


def test_override_reaches_the_shipped_language_however_its_tag_is_written() -> None:
    notebook = Notebook({"de_DE": {"busy": {"what": "Viel los"}}, "de": {"stuck": {"what": "Fest"}}})

    assert notebook.render("busy", "", "de").startswith("Viel los –")
    assert notebook.render("stuck", "", "de").startswith("Fest –")
    assert notebook.languages == SHIPPED


def test_override_under_no_language_at_all_is_passed_over() -> None:
    assert Notebook({"not a tag": {"busy": {"what": "?"}}}).languages == SHIPPED


def test_override_reaches_no_attribute() -> None:
    hostile = "a{n.__class__}b{n!r:>99999999}c{0}d{wait[0]}e{}f{{n}}g}h{i"
    text = Notebook({"en": {"queued": {"what": "X", "do": hostile}}}).line("queued", "en", n=1)

    assert text == "⏳ X — abcdef1ghi"


def test_language_of_overrides_alone_falls_back_for_the_rest() -> None:
    notebook = Notebook(_SWEDISH, fallback="de")

    assert "sv" in notebook.languages
    assert notebook.render("busy", "⏳", "sv") == "⏳ Det är kö – skriv igen om en minut."
    assert notebook.render("stuck", "⚠️", "sv") == Notebook().render("stuck", "⚠️", "de")
    assert notebook.name("sv") == "sv"


def test_language_of_overrides_alone_falls_back_to_what_its_people_understand_first() -> None:
    notebook = Notebook({"zh-Hant": {"busy": {"what": "訊息太多", "do": "請稍後再傳。"}}})

    assert notebook.negotiate("zh-TW") == "zh-Hant"
    assert notebook.render("busy", "", "zh-Hant").startswith("訊息太多")
    assert notebook.render("stuck", "", "zh-Hant") == Notebook().render("stuck", "", "zh-Hans")


def test_fallback_that_is_not_shipped_gives_way_to_english() -> None:
    assert Notebook(fallback="tlh").label("new", "sv") == "New chat"


@pytest.mark.parametrize(
    ("language", "direction"),
    [("en", "ltr"), ("ar", "rtl"), ("ar-EG", "rtl"), ("ur", "rtl"), ("sv", "ltr"), ("no tag at all", "ltr")],
)
def test_direction_follows_the_script(language: str, direction: str) -> None:
    assert Notebook().direction(language) == direction


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("de", "de"),
        (" DE ", "de"),
        ("Deutsch", "de"),
        ("german", "de"),
        ("日本語", "ja"),
        ("العربية", "ar"),
        ("de-CH", "de"),
        ("en_GB", "en"),
        ("", ""),
        ("french", "fr"),
        ("francais", "fr"),
        ("ESPAÑOL.", "es"),
        ("turkce", "tr"),
        ("Portuguese", "pt-BR"),
        ("portugues (brasil)", "pt-BR"),
        ("中文", "zh-Hans"),
        ("chinese", "zh-Hans"),
        ("farsi", "fa"),
        ("中", ""),
        ("pt", "pt-BR"),
        ("iw", "he"),
        ("klingon", ""),
        ("tlh", ""),
        ("af", ""),
        ("a" * 10_000, ""),
    ],
)
def test_find_takes_tags_and_names(wanted: str, language: str) -> None:
    """A language that is merely understood, as Dutch by speakers of Afrikaans, is not what was asked for."""
    assert Notebook().find(wanted) == language


def test_find_knows_languages_of_overrides() -> None:
    assert Notebook(_SWEDISH).find("sv-SE") == "sv"


def test_notebook_negotiates_among_its_own_languages() -> None:
    assert Notebook(_SWEDISH).negotiate("sv-FI", "de") == "sv"
    assert Notebook().negotiate("sv-FI", "de") == "de"


@pytest.mark.parametrize(
    ("tag", "found"),
    [("EN", "en"), ("de-DE", "de"), ("de-AT", "de-AT"), ("sv_se", "sv-SE"), ("", ""), ("?", "")],
)
def test_canonical_spells_tags_one_way(tag: str, found: str) -> None:
    assert canonical(tag) == found


@given(st.sampled_from(SHIPPED), st.text(max_size=200), st.text(max_size=200))
def test_operators_texts_never_raise_and_never_show_braces(language: str, what: str, do: str) -> None:
    notebook = Notebook({language: {"busy": {"what": what, "do": do}}})

    text = notebook.render("busy", "⏳", language, wait="5", contact="{x}")

    assert text.startswith("⏳")
    assert set("{}") & set(text.replace("{x}", "")) == set()
