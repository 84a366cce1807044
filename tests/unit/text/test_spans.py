"""Editing and joining texts with spans."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text import Edit, Rich, Span, amend, inline_plain, join, write_out


def _read(rich: Rich) -> list[tuple[str, str]]:
    return [(span.kind, rich.text[span.start : span.end]) for span in rich.spans]


def test_amend_leaves_a_text_without_edits_alone() -> None:
    rich = Rich("abc", (Span(0, 1, "bold"),))

    assert amend(rich, []) is rich


def test_amend_keeps_insertions_at_the_edges_outside_of_a_span() -> None:
    rich = amend(Rich("abc", (Span(1, 2, "bold"),)), [Edit(1, 1, "<"), Edit(2, 2, ">")])

    assert rich.text == "a<b>c"
    assert _read(rich) == [("bold", "b")]


def test_amend_grows_a_span_around_an_insertion() -> None:
    rich = amend(Rich("abcd", (Span(0, 4, "italic"), Span(3, 4, "bold"))), [Edit(2, 2, "--")])

    assert _read(rich) == [("italic", "ab--cd"), ("bold", "d")]


def test_amend_moves_an_edge_behind_what_replaced_it() -> None:
    rich = amend(Rich("abcdef", (Span(0, 3, "bold"), Span(3, 6, "italic"))), [Edit(2, 5, "XY")])

    assert rich.text == "abXYf"
    assert _read(rich) == [("bold", "abXY"), ("italic", "f")]


def test_amend_drops_a_span_whose_text_is_gone() -> None:
    rich = amend(Rich("abc", (Span(1, 2, "code"),)), [Edit(0, 3, "")])

    assert rich == Rich("")


@settings(deadline=None)
@given(st.text("ab", max_size=12), st.lists(st.tuples(st.integers(0, 12), st.text("xy", max_size=3))))
def test_amend_inserts_all_texts_in_order(text: str, places: list[tuple[int, str]]) -> None:
    edits = sorted((Edit(min(at, len(text)), min(at, len(text)), new) for at, new in places), key=_start)

    rich = amend(Rich(text), edits)

    assert "".join(char for char in rich.text if char in "ab") == text
    assert "".join(char for char in rich.text if char in "xy") == "".join(edit.text for edit in edits)


def _start(edit: Edit) -> int:
    return edit.start


def test_join_moves_spans_along() -> None:
    rich = join("--", Rich("ab", (Span(0, 1, "bold"),)), Rich("cd", (Span(1, 2, "link", "u"),)))

    assert rich == Rich("ab--cd", (Span(0, 1, "bold"), Span(5, 6, "link", "u")))


def test_inline_plain_shows_the_target_of_each_link() -> None:
    rich = Rich("see this or that", (Span(4, 8, "link", "http://a.b/c"), Span(12, 16, "bold")))

    assert inline_plain(rich) == "see this (http://a.b/c) or that"


def test_inline_plain_does_not_repeat_a_target_that_is_shown() -> None:
    text = "http://a.b a.b me@a.b"
    spans = (Span(0, 10, "link", "http://a.b/"), Span(11, 14, "link", "http://a.b/"))

    assert inline_plain(Rich(text, (*spans, Span(15, 21, "link", "mailto:me@a.b")))) == text


def test_write_out_keeps_the_links_it_is_asked_to_keep() -> None:
    rich = Rich("one two", (Span(0, 3, "link", "http://a"), Span(4, 7, "link", "http://b")))

    out = write_out(rich, keep=lambda span: span.value == "http://b")

    assert out == Rich("one (http://a) two", (Span(15, 18, "link", "http://b"),))
    assert write_out(rich, keep=lambda _: True) is rich
