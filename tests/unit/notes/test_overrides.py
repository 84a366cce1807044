"""Operators' texts are held to the rules of ours, and told what to do about each breach."""

from __future__ import annotations

from typing import Any, cast

import pytest

from gateway.completion.registry import ENDINGS
from gateway.notes import SHIPPED, Notebook, validate_overrides
from gateway.notes.shipped import load


def _told(language: str, key: str, **parts: object) -> list[str]:
    found = validate_overrides({language: {key: cast("dict[str, str]", parts)}})
    return [text for _, text in found]


@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"de": {"busy": {"what": "Gerade ist viel los", "do": "bitte in einer Minute noch einmal senden."}}},
        {"de-AT": {"busy": {"what": "Gerade ist viel los"}}},
        {"en": {"rate_limited": {"do": "please come back in {wait}."}}},
        {"en": {"auth_failed": {"do": "write to {contact}."}}},
        {"en": {"queued": {"do": "{n} are before you."}}},
        {"en": {"pairing": {"what": "Your code is {code}"}}},
        {"en": {"cancelled": {"what": "Your turn was interrupted"}}},
        {"sv": {"busy": {"what": "Det är kö", "do": "skriv igen om en minut."}}},
        {"pt": {"busy": {"what": "Há muitas mensagens", "do": "envie de novo em um minuto."}}},
    ],
)
def test_good_texts_pass(overrides: dict[str, dict[str, dict[str, str]]]) -> None:
    assert validate_overrides(overrides) == []


@pytest.mark.parametrize("language", SHIPPED)
def test_shipped_texts_pass_as_overrides(language: str) -> None:
    """Whoever copies one of ours to change a word meets no complaint."""
    data = load(language)
    plain: dict[str, dict[str, str]] = {
        key: {part: text for part, text in cast("dict[str, Any]", pair).items() if isinstance(text, str)}
        for key, pair in {**data["groups"], **data["lines"]}.items()
    }

    assert validate_overrides({language: plain}) == []


def test_every_told_reason_can_be_overridden() -> None:
    told = [reason for reason, row in ENDINGS.items() if any(one.group for one in row.variants)]

    assert validate_overrides({"en": {reason: {"what": "Sorry"} for reason in told}}) == []
    assert "completed" not in told


def test_problems_say_where_they_are() -> None:
    found = validate_overrides(
        {"english!": {}, "en": {"bussy": {"what": "x"}, "busy": {"wat": "x", "do": ""}}}
    )

    assert [where for where, _ in found] == [
        ("english!",),
        ("en", "bussy"),
        ("en", "busy", "wat"),
        ("en", "busy", "do"),
    ]


@pytest.mark.parametrize(
    ("language", "key", "parts", "told"),
    [
        ("en", "bussy", {"what": "x"}, "there is no text 'bussy'; did you mean 'busy'?"),
        (
            "en",
            "qqqqqqqq",
            {"what": "x"},
            "there is no text 'qqqqqqqq'; `lastword notes en` lists what there is",
        ),
        ("en", "completed", {"what": "x"}, "there is no text 'completed'"),
        ("eng-", "busy", {"what": "x"}, "'eng-' is not a language tag; did you mean 'en'?"),
        ("en", "busy", {"waht": "x"}, "'waht' is not a part of a text; did you mean 'what'?; there are"),
        ("en", "busy", {"what": "  "}, "is empty: write some text, or leave the line out to keep ours"),
        ("en", "busy", {"what": 5}, "is empty: write some text, or leave the line out to keep ours"),
        ("en", "busy", {"what": "x" * 201}, "is 201 characters long: keep it within 200"),
        ("en", "busy", {"what": " x"}, "has spaces that nobody sees"),
        ("en", "busy", {"what": "x  y"}, "has spaces that nobody sees"),
        ("en", "busy", {"what": "<b>x</b>"}, "holds markup or an address: write plain text"),
        ("en", "busy", {"what": "see https://x.example"}, "holds markup or an address"),
        ("en", "busy", {"what": "[x](y)"}, "holds markup or an address"),
        ("en", "busy", {"what": "**x**"}, "holds markup or an address"),
        ("en", "busy", {"what": "x\ny"}, "holds markup or an address"),
        ("en", "busy", {"what": "⏳ Wait"}, "holds an icon: leave it out, each text gets its own"),
        ("en", "busy", {"what": "The API is down"}, "says 'API', which means nothing to people in a chat"),
        ("en", "busy", {"what": "Our MODELS rest"}, "says 'MODELS'"),
        ("de", "busy", {"what": "Das Kontingent ist leer"}, "says 'Kontingent'"),
        ("de-CH", "busy", {"what": "Das Guthaben ist leer"}, "says 'Guthaben'"),
        ("ja", "busy", {"what": "トークンがありません"}, "says 'トークン"),
        ("ar", "busy", {"what": "انتهى الرصيد"}, "says 'الرصيد'"),
        ("sv", "busy", {"what": "Vår server vilar", "do": "x."}, "says 'server'"),
        ("en", "busy", {"what": "{wait}"}, "{wait} means nothing in this text; known here: none"),
        ("en", "budget", {"what": "{n} {wait}"}, "{n} means nothing in this text; known here: {wait}"),
        ("en", "budget", {"what": "{wait!r}"}, "{wait!r} means nothing in this text"),
        (
            "en",
            "budget",
            {"what": "in {wait"},
            "has a brace without its partner: use braces only around a name",
        ),
        (
            "sv",
            "busy",
            {"what": "x"},
            "write 'do' too: nothing is shipped in 'sv' that could stand in its place",
        ),
        ("sv", "budget", {"what": "x", "do": "om {wait}."}, "{wait} cannot be said in 'sv'"),
    ],
)
def test_breach_is_named_with_what_to_do(
    language: str, key: str, parts: dict[str, object], told: str
) -> None:
    found = _told(language, key, **parts)

    assert len(found) == 1
    assert found[0].startswith(told)


def test_all_breaches_are_told_at_once() -> None:
    assert len(_told("en", "busy", what=" <b>API</b> {x} {", do="🛑")) == 6


def test_text_that_passes_is_what_people_read() -> None:
    overrides = {"en": {"rate_limited": {"do": "please come back in {wait}."}}}
    notebook = Notebook(overrides)

    assert validate_overrides(overrides) == []
    assert notebook.render("crowded.wait", "⏳", "en", reason="rate_limited", wait="2 hours").endswith(
        "please come back in 2 hours."
    )
