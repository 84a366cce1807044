"""Cutting texts: where, how large, and that nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text import Rich, Span, split, utf16_length

_FAMILY = "👩\u200d👩\u200d👧"
_PIECES = [
    "a",
    "word ",
    " ",
    "\n",
    "\n\n",
    "。",
    ". ",
    "é",
    "e\u0301",
    " \u0301",
    _FAMILY,
    "🇩🇪",
    "👍🏽",
    "\u00a0",
    "\t",
]


def _bytes(text: str) -> int:
    return len(text.encode())


def _texts(rich: Rich, limit: int, measure: Callable[[str], int] = utf16_length) -> list[str]:
    return [part.text for part in split(rich, limit=limit, measure=measure)]


def _gaps(text: str, parts: list[str]) -> list[str]:
    """What lies between the parts; fails where they are not in the text in order."""
    gaps: list[str] = []
    read = 0
    for part in parts:
        found = text.index(part, read)
        gaps.append(text[read:found])
        read = found + len(part)
    return [*gaps, text[read:]]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(_PIECES), max_size=60).map("".join),
    st.integers(2, 40),
    st.sampled_from([len, utf16_length]),
)
def test_parts_hold_everything_within_the_limit(text: str, limit: int, measure: Callable[[str], int]) -> None:
    parts = _texts(Rich(text), limit, measure)

    assert all(measure(part) <= limit for part in parts)
    assert all(part.strip() for part in parts)
    assert all(not gap.strip() for gap in _gaps(text, parts))


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(4, 60))
def test_parts_hold_any_text(text: str, limit: int) -> None:
    parts = _texts(Rich(text), limit, lambda part: len(part.encode("utf-8", "surrogatepass")))

    assert all(not gap.strip() for gap in _gaps(text, parts))


@settings(deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=60).map("".join), st.integers(20, 40))
def test_no_grapheme_is_cut(text: str, limit: int) -> None:
    whole = [found.group() for found in regex.finditer(r"\X", text)]

    parts = [found.group() for part in _texts(Rich(text), limit) for found in regex.finditer(r"\X", part)]

    assert [one for one in parts if not one.isspace()] == [one for one in whole if not one.isspace()]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(_PIECES), max_size=60).map("".join),
    st.integers(2, 40),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_spans_cover_the_same_characters_as_before(text: str, limit: int, edges: tuple[int, int]) -> None:
    start, end = (min(edge, len(text)) for edge in sorted(edges))
    spans = (Span(start, end, "pre", "py"),) if start < end else ()

    covered: list[str] = []
    for part in split(Rich(text, spans), limit=limit, measure=utf16_length):
        assert all(span.kind == "pre" and span.value == "py" for span in part.spans)
        covered += (part.text[span.start : span.end] for span in part.spans)

    assert "".join("".join(covered).split()) == "".join(text[start:end].split())


def test_a_text_that_fits_is_left_as_it_is() -> None:
    rich = Rich("  a b \n\n", (Span(2, 3, "bold"),))

    assert split(rich, limit=8, measure=len) == [rich]


@pytest.mark.parametrize("text", ["", " ", "\n \n" * 20])
def test_a_blank_text_has_no_parts(text: str) -> None:
    assert split(Rich(text), limit=10, measure=len) == []


def test_a_blank_line_is_cut_first() -> None:
    assert _texts(Rich("aaaa bbbb cc\n\ncccc. dddd\neeee"), 22, len) == ["aaaa bbbb cc", "cccc. dddd\neeee"]


def test_a_line_is_cut_before_a_sentence() -> None:
    assert _texts(Rich("aaaa bbbb\ncccc. dddd eeee"), 17, len) == ["aaaa bbbb", "cccc. dddd eeee"]


def test_a_sentence_is_cut_before_a_word() -> None:
    assert _texts(Rich('aaa bbb "ccc." dddd eeee fff'), 20, len) == ['aaa bbb "ccc."', "dddd eeee fff"]


def test_a_sentence_without_spaces_is_cut_after_its_stop() -> None:
    assert _texts(Rich("你好你好你好。」你好你好你好"), 10, len) == ["你好你好你好。」", "你好你好你好"]


def test_a_sentence_that_ends_with_the_text_is_no_place_to_cut() -> None:
    assert _texts(Rich("aa。"), 2, len) == ["aa", "。"]


def test_a_sentence_is_not_cut_before_a_mark_of_its_stop() -> None:
    assert _texts(Rich("你好你好。\ufe0e你好你好你好"), 8, len)[0] == "你好你好。\ufe0e你好"


def test_a_word_is_cut_before_a_grapheme() -> None:
    assert _texts(Rich("aaaaaa bbbbbb cccccc"), 16, len) == ["aaaaaa bbbbbb", "cccccc"]


def test_a_no_break_space_is_no_place_to_cut() -> None:
    assert _texts(Rich("aaaa bbb\u00a0cccc dddd"), 12, len)[0] == "aaaa bbb\u00a0ccc"


def test_code_is_not_cut_where_it_can_go_whole_into_the_next_part() -> None:
    text = "intro intro\ncode\n\ncode\ncode"
    code = Span(12, len(text), "pre", "py")

    parts = split(Rich(text, (code,)), limit=22, measure=len)

    assert parts == [Rich("intro intro"), Rich("code\n\ncode\ncode", (Span(0, 15, "pre", "py"),))]


def test_code_that_is_too_long_is_cut_between_its_lines_and_keeps_its_indentation() -> None:
    parts = split(Rich("def f():\n    return 1", (Span(0, 21, "pre", "py"),)), limit=16, measure=len)

    assert parts == [
        Rich("def f():", (Span(0, 8, "pre", "py"),)),
        Rich("    return 1", (Span(0, 12, "pre", "py"),)),
    ]


def test_a_blank_line_after_code_is_a_place_to_cut() -> None:
    text = "ccc\n\nccc\n\ntext text text"

    parts = split(Rich(text, (Span(0, 8, "pre"),)), limit=16, measure=len)

    assert [part.text for part in parts] == ["ccc\n\nccc", "text text text"]


def test_a_last_crumb_takes_from_the_part_before_it() -> None:
    parts = _texts(Rich("a" * 4097), 4096)

    assert [len(part) for part in parts] == [3584, 513]


def test_a_grapheme_over_the_limit_is_cut_inside() -> None:
    text = f"ab{_FAMILY * 3}"

    parts = _texts(Rich(text), 10)

    assert "".join(parts) == text
    assert all(utf16_length(part) <= 10 for part in parts)


def test_flags_stay_whole_over_a_long_run() -> None:
    parts = _texts(Rich("🇩🇪" * 300), 1003)

    assert "".join(parts) == "🇩🇪" * 300
    assert all(utf16_length(part) % 4 == 0 for part in parts)


def test_a_long_run_of_marks_is_one_grapheme() -> None:
    """The first step of the search ends inside of it."""
    text = "b" * 700 + "a" + "\u0301" * 250 + "c" * 200

    assert _texts(Rich(text), 800)[0] == "b" * 700


def test_bytes_can_be_the_measure() -> None:
    parts = _texts(Rich("漢字" * 10), 15, _bytes)

    assert "".join(parts) == "漢字" * 10
    assert max(map(_bytes, parts)) <= 15


@pytest.mark.parametrize(
    "unit", ["a", " ", "word ", "ab\n", "漢", "a\n\n", " \u0301", "。", "🇩🇪", "\u0301"], ids=repr
)
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    """Twice the text takes about twice the time; a quadratic search would take four times it and minutes."""
    size = 2**18
    texts = [unit * (count // len(unit)) for count in (size, 2 * size)]

    spent = [min(_seconds(text) for _ in range(3)) for text in texts]

    assert spent[1] < 3 * spent[0] + 0.05


def _seconds(text: str) -> float:
    begun = time.process_time()
    split(Rich(text, (Span(0, len(text), "bold"),)), limit=4096, measure=utf16_length)
    return time.process_time() - begun
