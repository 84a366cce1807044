"""Every shipped language says everything, in everyday words, in the same shape."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, cast, get_args

import jsonschema
import pytest
from langcodes import Language

from gateway.completion.model import TurnCompletion
from gateway.completion.registry import ENDINGS, ending, variant
from gateway.messages import ActionKind
from gateway.notes import SHIPPED, Notebook
from gateway.notes.catalogue import LINE_ICONS
from gateway.notes.filling import braces_pair, placeholders
from gateway.notes.plainness import banned_words, has_markup
from gateway.notes.plurals import categories
from gateway.notes.shipped import Plural, load

_PART = 125  # characters of one half of a text, at most
_BUTTON = 24  # characters a phone shows of a button, at most
_MENU = 100  # characters of what a list of commands says about one, at most
_WANTED = (
    *("en", "de", "fr", "es", "pt-BR", "it", "nl", "pl", "cs", "ru"),
    *("uk", "tr", "ar", "he", "fa", "hi", "id", "ja", "ko", "zh-Hans"),
)
_TYPED = ("continue", "retry", "new", "stop")
_COMMANDS = ("stop", "continue", "retry", "new", "status", "why", "language", "help", "whoami")
_UNITS = ("second", "minute", "hour", "day")

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_FORMS: dict[str, Any] = {"type": "object", "minProperties": 1, "additionalProperties": _TEXT}
_PAIR: dict[str, Any] = {
    "type": "object",
    "required": ["what", "do"],
    "additionalProperties": False,
    "properties": {"what": {"anyOf": [_TEXT, _FORMS]}, "do": {"anyOf": [_TEXT, _FORMS]}},
}


def _exactly(keys: tuple[str, ...], each: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(keys),
        "additionalProperties": False,
        "properties": dict.fromkeys(keys, each),
    }


_LIST = {"type": "array", "minItems": 1, "uniqueItems": True, "items": _TEXT}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": [
        *("name", "english", "direction", "joiner", "address", "groups", "lines"),
        *("reference", "labels", "menu", "typed", "wait", "banned"),
    ],
    "additionalProperties": False,
    "properties": {
        **dict.fromkeys(("name", "english", "joiner", "address", "reference"), _TEXT),
        "also": _LIST,
        "direction": {"enum": ["ltr", "rtl"]},
        "groups": {"type": "object", "additionalProperties": _PAIR},
        "lines": {"type": "object", "additionalProperties": _PAIR},
        "labels": _exactly(get_args(ActionKind), _TEXT),
        "menu": _exactly(_COMMANDS, {**_TEXT, "maxLength": _MENU}),
        "typed": _exactly(_TYPED, _LIST),
        "wait": {
            **_exactly((*_UNITS, "unknown"), _FORMS),
            "properties": {**dict.fromkeys(_UNITS, _FORMS), "unknown": _TEXT},
        },
        "banned": _LIST,
        "unbanned": _LIST,
    },
}

each_language = pytest.mark.parametrize("language", SHIPPED)


def _forms(text: str | Plural) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text.values())


def _texts(language: str) -> Iterator[tuple[str, str, str]]:
    """Group, line or command, part, text; each plural form by itself."""
    data = load(language)
    for key, pair in {**data["groups"], **data["lines"]}.items():
        for form in _forms(pair["what"]):
            yield key, "what", form
        for form in _forms(pair["do"]):
            yield key, "do", form
    for name, does in data["menu"].items():
        yield f"menu.{name}", "menu", does


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in cast("dict[str, object]", value).values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _strings(one)


def _offending(language: str, test: Callable[[str], object]) -> list[str]:
    return [f"{key}.{part}: {text}" for key, part, text in _texts(language) if test(text)]


def test_no_two_languages_share_a_name() -> None:
    data = [load(language) for language in SHIPPED]
    names = [{one["name"], one["english"], *one.get("also", ())} for one in data]

    assert sum(map(len, names)) == len(set[str]().union(*names))


def test_languages_that_are_promised_are_shipped() -> None:
    assert set(_WANTED) == set(SHIPPED)


@each_language
def test_locale_has_the_shape_of_a_catalogue(language: str) -> None:
    jsonschema.validate(load(language), _SCHEMA)


@each_language
def test_locale_is_named_by_its_canonical_tag(language: str) -> None:
    assert language == Language.get(language).to_tag()


@each_language
def test_locale_has_every_key_in_the_order_of_english(language: str) -> None:
    ours, english = load(language), load("en")

    assert list(ours["groups"]) == list(english["groups"])
    assert list(ours["lines"]) == list(english["lines"])
    assert tuple(ours["menu"]) == _COMMANDS


def test_every_text_group_of_the_registry_has_a_text_and_no_text_is_left_over() -> None:
    wanted = {one.group for row in (*ENDINGS.values(), ending("?")) for one in row.variants if one.group}

    assert wanted == set(load("en")["groups"])


def test_every_icon_belongs_to_a_line() -> None:
    assert set(LINE_ICONS) <= set(load("en")["lines"])


@pytest.mark.parametrize("reason", ["max_steps", "cancelled", "error", "some_unknown_word"])
def test_english_says_the_sentences_of_the_contract_word_for_word(reason: str) -> None:
    told = variant(reason)

    assert Notebook().render(told.group, told.icon, "en") == TurnCompletion(reason).note()


@each_language
def test_locale_uses_the_placeholders_of_english_and_no_other(language: str) -> None:
    """A plural form may say its number in a word, as Arabic does for one and two."""
    ours, english = load(language), load("en")

    for section in ("groups", "lines"):
        for key, pair in english[section].items():
            for part in ("what", "do"):
                wanted = frozenset[str]().union(*map(placeholders, _forms(pair[part])))
                found = [placeholders(form) for form in _forms(ours[section][key][part])]
                assert frozenset[str]().union(*found) == wanted, (key, part)


@each_language
def test_locale_counts_in_every_plural_category_of_its_language_last_the_most_general(language: str) -> None:
    data = load(language)
    counted = [
        text
        for pair in (*data["groups"].values(), *data["lines"].values())
        for text in (pair["what"], pair["do"])
        if not isinstance(text, str)
    ]
    counted += [data["wait"]["second"], data["wait"]["minute"], data["wait"]["hour"], data["wait"]["day"]]

    assert len(counted) == 6
    assert {tuple(forms) for forms in counted} == {categories(language)}


@each_language
def test_locale_pairs_its_braces(language: str) -> None:
    assert [text for text in _strings(load(language)) if not braces_pair(text)] == []


@each_language
def test_locale_speaks_in_everyday_words(language: str) -> None:
    """The three fixed sentences, and the generic one, keep their wording in English."""
    exempt = load(language).get("unbanned", [])
    found = {
        f"{key}: {word}"
        for key, _, text in _texts(language)
        if key not in exempt
        for word in banned_words(text, language)
    }
    data = load(language)
    around = [data["reference"], *data["labels"].values(), *_strings(data["wait"])]

    assert found == set()
    assert [text for text in around if banned_words(text, language)] == []


@each_language
def test_locale_holds_no_english_word_of_the_trade(language: str) -> None:
    banned = [
        word for word in load("en")["banned"] if word.strip("*") in ("API", "token", "prompt", "lastword")
    ]
    pattern = re.compile(rf"\b(?:{'|'.join(word.strip('*') for word in banned)})", re.IGNORECASE)

    assert len(banned) == 4
    assert _offending(language, pattern.search) == []


@each_language
def test_ban_list_of_a_locale_is_about_as_long_as_english(language: str) -> None:
    """Each word of the list has a translation, or is understood in the language as it is."""
    assert len(load(language)["banned"]) >= 20


@each_language
def test_locale_holds_no_markup_and_no_address(language: str) -> None:
    assert [text for text in _strings(load(language)) if has_markup(text)] == []


@each_language
def test_locale_holds_no_icon_in_a_text(language: str) -> None:
    """Icons come from the registry; symbols such as emoji are category So."""
    assert _offending(language, lambda text: any(unicodedata.category(mark) == "So" for mark in text)) == []


@each_language
def test_locale_holds_no_stray_space(language: str) -> None:
    data = load(language)
    spaced = [text for text in _strings({**data, "joiner": ""}) if text != text.strip() or "  " in text]
    before = re.compile(r"\s[.,;。、，]|[.,;]{2}" if language != "fr" else r"\s[.,。、，]|[.,;]{2}")

    assert spaced == []
    assert _offending(language, before.search) == []


def test_french_marks_stay_with_their_words() -> None:
    """A line must not begin with the mark that a space precedes."""
    loose = [text for text in _strings({**load("fr"), "joiner": ""}) if re.search(r" [;:!?»]|« ", text)]

    assert loose == []


@each_language
def test_only_second_halves_end_in_a_full_stop(language: str) -> None:
    """The joiner stands after a first half, and a list of commands has lines of its own."""
    for key, part, text in _texts(language):
        if part == "do":
            assert text[-1] in ".。?؟।", (key, text)
        else:
            assert text[-1] not in ".。!?؟।:：", (key, text)


@each_language
def test_second_half_begins_as_the_joiner_asks(language: str) -> None:
    """A capital after a full stop, none after a dash, in scripts that have both; a wait in words included.

    German nouns and the English "I" keep theirs.
    """
    joiner, wait = load(language)["joiner"].strip(), load(language)["wait"]["unknown"]
    for key, part, written in _texts(language):
        text = written.replace("{wait}", wait)
        if part == "do" and text[0].isalpha() and text[0].lower() != text[0].upper():
            kept = language == "de" or text.startswith("I ")
            assert text[0].isupper() == (joiner == ".") or kept, (key, text)


@each_language
def test_texts_are_short(language: str) -> None:
    long = [key for key, _, text in _texts(language) if len(text) > _PART]

    assert set(long) <= {"help"}


@each_language
def test_buttons_are_short_and_differ(language: str) -> None:
    labels = load(language)["labels"]

    assert [label for label in labels.values() if len(label) > _BUTTON] == []
    assert len(set(labels.values())) == len(labels)


@each_language
def test_menu_is_a_list_of_whole_lines_that_differ(language: str) -> None:
    """Each begins in a capital where there are any, holds nothing to fill in, and names no command."""
    does = load(language)["menu"].values()

    assert len(set(does)) == len(does)
    assert [text for text in does if set("{}/") & set(text) or text[0] != text[0].upper()] == []


@each_language
def test_brackets_and_quotes_pair(language: str) -> None:
    for key, _, text in _texts(language):
        opened = sum(text.count(mark) for mark in "([«「（\u2068")
        closed = sum(text.count(mark) for mark in ")]»」）\u2069")
        assert opened == closed, (key, text)
        assert text.count('"') % 2 == 0, (key, text)


@each_language
def test_texts_are_composed_and_in_the_script_of_the_language(language: str) -> None:
    assert [text for text in _strings(load(language)) if text != unicodedata.normalize("NFC", text)] == []
    script = Language.get(language).maximize().script
    names = {"Arab": "ARABIC", "Hebr": "HEBREW", "Cyrl": "CYRILLIC", "Deva": "DEVANAGARI", "Kore": "HANGUL"}
    wanted = names.get(script or "")
    if wanted is None:
        return
    for key, part, text in _texts(language):
        written = re.sub(r"\u2068[^\u2069]*\u2069|/[a-z]+|\{\w+\}", "", text)
        letters = {unicodedata.name(mark, "").split()[0] for mark in written if mark.isalpha()}
        assert letters <= {wanted}, (key, part, text)


@pytest.mark.parametrize("language", [tag for tag in SHIPPED if load(tag)["direction"] == "rtl"])
def test_right_to_left_texts_isolate_latin(language: str) -> None:
    for key, _, text in _texts(language):
        outside = re.sub(r"\u2068[^\u2069]*\u2069|\{\w+\}", "", text)
        assert re.search(r"[A-Za-z]", outside) is None, (key, text)


@each_language
def test_word_that_texts_tell_to_reply_with_is_understood(language: str) -> None:
    """What `max_steps` puts in quotes is among the typed words for going on."""
    for group in ("max_steps", "length", "restarted.resume"):
        text = load(language)["groups"][group]["do"]
        assert isinstance(text, str)
        quoted = re.search(r"[\"«„“「”‘’'](.+?)[\"»“”」’']", text)
        assert quoted is not None
        assert quoted.group(1).strip("\u00a0 ") in load(language)["typed"]["continue"]


@pytest.mark.parametrize("language", [tag for tag in SHIPPED if tag != "en"])
def test_locale_is_translated(language: str) -> None:
    """No text is English by oversight."""
    english = {text for _, _, text in _texts("en")}

    assert _offending(language, english.__contains__) == []
