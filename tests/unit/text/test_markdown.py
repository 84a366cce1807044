"""Markdown as text with spans: what it looks like, and that no word is left out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text import Rich, Span, parse

_MARKS = [
    "**",
    "*",
    "_",
    "__",
    "~~",
    "`",
    "```",
    "```py\n",
    "~~~ more words\n",
    "\n",
    "\n\n",
    "- ",
    "  - ",
    "1. ",
    "7) ",
    "> ",
    "# ",
    "|",
    "|\n|-|-|\n",
    "[",
    "](",
    "http://a.bc/",
    "ftp://",
    "]",
    "(",
    ")",
    "![",
    "<",
    ">",
    "\\",
    "&",
    "\t",
    "    ",
    "---\n",
    "===\n",
    "- [ ] ",
    "- [x] ",
    "@",
    "<div>",
    " ",
    "  \n",
    '"',
    "\r\n",
    "é",
    "👩\u200d👩\u200d👧",
    "ש",
    "]: http://",
    "\0",
]

_SAMPLE = r"""# Plan for **today**
Intro with **bold *both* `code`** and ~~gone~~ [link](https://en.wikipedia.org/wiki/Foo_(bar)).

- one
  - deep
    1. number
- [x] done

> quoted
> - item

```python
def f():
    return "x"
```

| name | value |
|------|------:|
| 漢字 | `1` |

![chart](http://i.mg/c.png)
"""


def _kinds(markdown: str) -> list[tuple[str, str]]:
    rich = parse(markdown)
    return [(span.kind, rich.text[span.start : span.end]) for span in rich.spans]


def _everything(rich: Rich) -> str:
    return " ".join([rich.text, *(span.value for span in rich.spans)])


def _assert_nested(rich: Rich) -> None:
    """Spans are in the text, by position, and each lies within those around it."""
    around: list[Span] = []
    for span in rich.spans:
        assert 0 <= span.start < span.end <= len(rich.text)
        while around and around[-1].end <= span.start:
            around.pop()
        assert not around or (around[-1].start <= span.start and span.end <= around[-1].end)
        around.append(span)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(_MARKS), st.integers(0, 999)), max_size=40))
def test_no_word_is_left_out(pieces: list[str | int]) -> None:
    words = [f"w{piece}q" for piece in pieces if isinstance(piece, int)]
    source = "".join(piece if isinstance(piece, str) else f"w{piece}q" for piece in pieces)

    rich = parse(source)

    said = _everything(rich)
    assert [word for word in words if word not in said] == []
    _assert_nested(rich)


@pytest.mark.parametrize("end", range(0, len(_SAMPLE), 3))
def test_text_cut_anywhere_keeps_its_words(end: int) -> None:
    rich = parse(_SAMPLE[:end])

    said = _everything(rich)
    assert [word for word in re.findall(r"\w{2,}", _SAMPLE[:end]) if word not in said] == []
    _assert_nested(rich)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    rich = parse(text)

    assert not text.strip() or rich.text.strip()
    _assert_nested(rich)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello, it's 5-10 % (or so)!\nNext line.\n\n\n  Indented, as it was: 1.5 x 2 = 3",
        "漢字。 ✨ שלום",
        "trailing space  \n and more ",
        "see https://a.b/c-d?e=f",
    ],
)
def test_text_without_markdown_is_returned_as_it_is(text: str) -> None:
    assert parse(text) == Rich(text)


def test_emphasis_becomes_spans() -> None:
    assert _kinds("a **b *c*** ~~d~~ `e *f*`") == [
        ("bold", "b c"),
        ("italic", "c"),
        ("strike", "d"),
        ("code", "e *f*"),
    ]


def test_emphasis_within_its_own_kind_is_one_span() -> None:
    assert _kinds("# a **b** c") == [("bold", "a b c")]


def test_outer_span_comes_before_an_inner_one_of_the_same_length() -> None:
    assert [kind for kind, _ in _kinds("***b***")] == ["italic", "bold"]


def test_marks_without_a_partner_are_text() -> None:
    assert parse("use `_` and *") == Rich("use _ and *", (Span(4, 5, "code"),))
    assert parse("**unfinished `code") == Rich("**unfinished `code")
    assert parse("2 * 3 * 4, a_b_c") == Rich("2 * 3 * 4, a_b_c")


def test_escapes_and_character_references_are_read() -> None:
    assert parse(r"\*a\* &amp; &lt;b&gt; C:\dir") == Rich(r"*a* & <b> C:\dir")


def test_raw_html_stays_text() -> None:
    text = "Use the <div> tag<br>\n\n<!-- and this -->\n<script>x</script>"

    assert parse(text) == Rich(text)


@pytest.mark.parametrize(
    ("markdown", "text", "target"),
    [
        ("[a](http://x.y)", "a", "http://x.y"),
        ("[a (b)](https://x.y/z_(w))", "a (b)", "https://x.y/z_(w)"),
        ("[](https://x.y)", "https://x.y", "https://x.y"),
        ("<https://x.y>", "https://x.y", "https://x.y"),
        ("<me@x.y>", "me@x.y", "mailto:me@x.y"),
        ("[t](tg://resolve?domain=x)", "t", "tg://resolve?domain=x"),
        ("[a](HTTPS://x.y)", "a", "HTTPS://x.y"),
        ("![alt *text*](http://x.y)", "alt text", "http://x.y"),
        ("![](http://x.y/z)", "http://x.y/z", "http://x.y/z"),
    ],
)
def test_link_becomes_a_span(markdown: str, text: str, target: str) -> None:
    assert parse(markdown) == Rich(text, (Span(0, len(text), "link", target),))


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("[a](ftp://x.y)", "a (ftp://x.y)"),
        ("[a](docs/ф.md)", "a (docs/ф.md)"),
        ("[](docs/x.md)", "docs/x.md"),
        ("[a]()", "a"),
        ("[a](javascript:alert(1))", "[a](javascript:alert(1))"),
        ("<ftp://x.y>", "ftp://x.y"),
        ("![alt](x.png)", "alt (x.png)"),
        ("![](x.png)", "x.png"),
        ("![alt]()", "alt"),
        ("![alt](data:image/png;base64,AAAA)", "alt (data:image/png)"),
        ("[a][1]\n\n[1]: http://x.y", "[a][1]\n\n[1]: http://x.y"),
    ],
)
def test_what_is_no_link_shows_its_target(markdown: str, text: str) -> None:
    assert parse(markdown) == Rich(text)


def test_title_of_a_link_is_written_out() -> None:
    assert parse('[a](http://x.y "b c") ![d](e "f")').text == "a (b c) d (e) (f)"


def test_image_in_a_link_shows_where_it_is() -> None:
    rich = parse("[![alt](http://i.mg/x)](http://x.y)")

    assert rich == Rich("alt (http://i.mg/x)", (Span(0, 19, "link", "http://x.y"),))


def test_lists_are_marked_and_indented() -> None:
    source = "- a\n  b\n  - c\n    - d\n      - e\n\n10. f\n    g\n11. h\n\n    i"

    assert parse(source).text == "• a\n  b\n  ◦ c\n    ▪ d\n      ▪ e\n\n10. f\n    g\n11. h\n\n    i"


def test_numbers_only_rise() -> None:
    assert parse("1. a\n1. b\n1. c").text == "1. a\n2. b\n3. c"
    assert parse("2. a\n5. b\n5. c").text == "2. a\n5. b\n6. c"
    assert parse("0) a\n1) b").text == "0) a\n1) b"


def test_tasks_have_boxes() -> None:
    assert parse("- [ ] a\n- [x] b\n1. [x] c").text == "☐ a\n☑ b\n1. ☑ c"


def test_items_without_text_are_there() -> None:
    assert parse("-\n- b\n- - c\n- > d\n- ").text == "• \n• b\n• ◦ c\n• d\n• "


def test_blank_lines_stay_where_they_are() -> None:
    assert parse("# a\nb\n\n\n\nc\n- d\n\n- e\nf").text == "a\nb\n\nc\n• d\n\n• e\n  f"


def test_rule_below_a_paragraph_is_a_rule() -> None:
    assert parse("a\n---\nb\n\n***") == Rich("a\n———\nb\n\n———")


def test_line_ends_are_kept() -> None:
    assert parse("*a*\r\nb\\\nc  \nd").text == "a\nb\nc\nd"


def test_quotes_are_spans() -> None:
    rich = parse("> a *b*\n> c\n>\n> > d\n\n> - e\n\n- > f\n\n> \n\ng")

    assert rich.text == "a b\nc\n\nd\n\n• e\n\n• f\n\ng"
    assert [(span.kind, rich.text[span.start : span.end]) for span in rich.spans] == [
        ("quote", "a b\nc\n\nd"),
        ("italic", "b"),
        ("quote", "d"),
        ("quote", "• e"),
        ("quote", "f"),
    ]


def test_code_blocks_keep_their_text_and_language() -> None:
    rich = parse("a\n```python\n  x\n\n\ty\n```\nb\n\n    c\n\n- ~~~\n  d\n  ~~~")

    assert rich.text == "a\n  x\n\n\ty\nb\n\nc\n\n• \nd"
    assert [(span.value, rich.text[span.start : span.end]) for span in rich.spans] == [
        ("python", "  x\n\n\ty"),
        ("", "c"),
        ("", "d"),
    ]


def test_open_fence_is_code_to_the_end() -> None:
    assert parse("```js\nlet a") == Rich("let a", (Span(0, 5, "pre", "js"),))


def test_first_line_of_a_fence_is_not_lost() -> None:
    assert parse('```js title="a.js"\nb\n```') == Rich('title="a.js"\nb', (Span(13, 14, "pre", "js"),))
    assert parse("```just words") == Rich("just words")
    assert parse("a\n```\n```\nb").text == "a\nb"


@pytest.mark.parametrize("source", ["#", ">", "```", "> > ", "[]()"])
def test_marks_alone_stay_as_they_are(source: str) -> None:
    assert parse(source) == Rich(source)


@pytest.mark.parametrize("mark", ["> ", "- ", "1. ", "> - "])
def test_text_nested_too_deep_for_the_parser_stays_as_it_is(mark: str) -> None:
    source = f"{mark * 40}deep"

    assert parse(source) == Rich(source)


def test_text_too_long_to_parse_stays_as_it_is() -> None:
    source = "**b** " * 20_000

    assert parse(source) == Rich(source)
