"""Tables as lines of text."""

from __future__ import annotations

import pytest

from gateway.text import Rich, Span, parse
from gateway.text.tables import width


def _kinds(rich: Rich) -> list[tuple[str, str]]:
    return [(span.kind, rich.text[span.start : span.end]) for span in rich.spans]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("abc", 3),
        ("漢字", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("👍🏽", 2),
        ("🇩🇪", 2),
        ("❤\ufe0f", 2),
        ("\u200b", 0),
        ("", 0),
    ],
)
def test_width_is_in_columns(text: str, columns: int) -> None:
    assert width(text) == columns


def test_narrow_table_is_aligned() -> None:
    rich = parse("| a | bb | c |\n|:--|--:|:-:|\n| 漢字 | 1 | x |\n| d | 1000 | middle |\n")

    assert rich.text == ("a    |   bb |   c\n-----+------+-------\n漢字 |    1 |   x\nd    | 1000 | middle")
    assert [span.kind for span in rich.spans] == ["pre"]


def test_cells_say_what_their_markdown_says() -> None:
    rich = parse("|`x`|[l](http://a.b)|\n|-|-|\n|**b**|a\\|b|\n")

    assert rich.text == "x | l (http://a.b)\n--+---------------\nb | a|b"


def test_table_without_rows_is_its_head() -> None:
    assert parse("| a | b |\n|---|---|").text == "a | b\n--+--"


def test_row_with_more_cells_than_the_head_leaves_the_table_as_it_is_written() -> None:
    """The parser would drop the surplus."""
    source = "| a | b |\n|---|---|\n| 1 | 2 | 3 |"

    assert parse(source) == Rich(source, (Span(0, len(source), "pre"),))
    assert parse("\n".join(f"> {line}" for line in source.split("\n"))).text == source
    assert parse("a|b\n-|-\n1|2").text == "a | b\n--+--\n1 | 2"


_LONG = "a sentence that goes on for longer than a line on a phone has room"


def test_wide_table_is_told_row_by_row() -> None:
    rich = parse(f"|Name|What|Void|\n|-|-|-|\n|Foo|**{_LONG}**||\n||[x](http://a.b)||\n||||\n")

    assert rich.text == f"Name: Foo\nWhat: {_LONG}\nVoid:\n\nWhat: x"
    assert _kinds(rich) == [
        ("bold", "Name:"),
        ("bold", "What:"),
        ("bold", _LONG),
        ("bold", "Void:"),
        ("bold", "What:"),
        ("link", "x"),
    ]


def test_wide_table_without_labels_tells_its_cells() -> None:
    assert parse(f"| |b|\n|-|-|\n|{_LONG}|y|\n").text == f"{_LONG}\nb: y"


def test_wide_head_is_said_once() -> None:
    """Or a few kilobytes would become megabytes."""
    rows = "x|y\n" * 50

    rich = parse(f"|{_LONG}|b|\n|-|-|\n{rows}")

    assert rich.text == "\n".join([f"{_LONG} | b", *["x | y"] * 50])


def test_wide_head_without_rows_is_said() -> None:
    assert parse(f"|{_LONG}|b|\n|-|-|\n").text == f"{_LONG} | b"
