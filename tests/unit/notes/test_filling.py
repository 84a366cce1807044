"""Names in braces are filled; nothing else in braces does anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.messages import Direction
from gateway.notes.filling import braces_pair, direction_of, fill, placeholders


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("plain", "plain"),
        ("{a} and {b}", "1 and {b}"),
        ("{missing}", ""),
        ("before {missing} after", "before after"),
        ("size ({missing})", "size"),
        ("大きさ（{missing}）を", "大きさを"),
        ("{a", "a"),
        ("a}", "a"),
        ("{{a}}", "1"),
        ("{a.__class__}", ""),
        ("{a!r}", ""),
        ("{a:>10}", ""),
    ],
)
def test_fill_replaces_bare_names_only(text: str, filled: str) -> None:
    assert fill(text, {"a": "1", "b": "{b}"}) == filled


@pytest.mark.parametrize(
    ("direction", "value", "filled"),
    [
        ("ltr", "abc", "abc"),
        ("ltr", "ابج", "\u2068ابج\u2069"),
        ("ltr", "אבג", "\u2068אבג\u2069"),
        ("rtl", "abc", "\u2068abc\u2069"),
        ("rtl", "-7", "\u2068-7\u2069"),
        ("rtl", "", ""),
    ],
)
def test_fill_isolates_what_may_disturb_its_surroundings(
    direction: Direction, value: str, filled: str
) -> None:
    assert fill("{x}", {"x": value}, direction) == filled


@pytest.mark.parametrize(
    ("text", "direction"),
    [("abc", "ltr"), ("12 ابج", "rtl"), ("⚠️ אבג", "rtl"), ("日本", "ltr"), ("12!", "ltr"), ("", "ltr")],
)
def test_direction_is_that_of_the_first_letter(text: str, direction: Direction) -> None:
    assert direction_of(text) == direction


def test_placeholders_are_the_names_in_braces() -> None:
    assert placeholders("{a} {b} {a} }{") == {"a", "b"}


@pytest.mark.parametrize(("text", "paired"), [("{a}", True), ("", True), ("{a", False), ("}", False)])
def test_braces_pair_only_around_names(text: str, paired: bool) -> None:
    assert braces_pair(text) is paired


@given(st.text(max_size=100), st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3))
def test_fill_takes_any_text(text: str, values: dict[str, str]) -> None:
    written = "".join(values.values())

    assert set("{}") & set(fill(text, values)) <= set(written)
