"""The agent's Markdown as HTML: what it says, and that nothing in it can act."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway_adapters.local.markdown import plain_html, to_html

_TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "em", "strong", "s", "a", "br"}
    | {"hr", "pre", "code", "table", "thead", "tbody", "tr", "th", "td"}
)
_ATTRIBUTES = {"dir", "href", "target", "rel", "align", "start", "tabindex", "class"}


class _Reader(HTMLParser):
    """Reads HTML as a browser would, and refuses whatever is not on the list."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.links: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _TAGS, tag
        named = dict(attrs)
        assert set(named) <= _ATTRIBUTES, named
        assert named.get("class") in (None, "lw-plain")
        if tag == "a":
            assert "a" not in self.open
            assert named["rel"] == "noopener noreferrer nofollow"
            assert named["target"] == "_blank"
            href = named["href"] or ""
            assert re.match(r"(?i)(https?://|mailto:)[^\s\x00-\x1f]", href), href
            self.links.append(href)
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def _read(markdown: str) -> _Reader:
    reader = _Reader()
    reader.feed(to_html(markdown))
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a *b* **c** ~~d~~", '<p dir="auto">a <em>b</em> <strong>c</strong> <s>d</s></p>'),
        ("one\ntwo", '<p dir="auto">one<br>two</p>'),
        ("## A", '<h2 dir="auto">A</h2>'),
        ("3. x", '<ol dir="auto" start="3"><li>x\n</li></ol>'),
        ("> q", '<blockquote dir="auto"><p>q</p></blockquote>'),
        ("`<b>`", '<p dir="auto"><code>&lt;b&gt;</code></p>'),
        ("```py\n<x>\n```", '<pre dir="ltr" tabindex="0"><code>&lt;x&gt;\n</code></pre>'),
        ("    <x>", '<pre dir="ltr" tabindex="0"><code>&lt;x&gt;\n</code></pre>'),
        ("---", "<hr>"),
    ],
)
def test_markdown_becomes_html(markdown: str, html: str) -> None:
    assert to_html(markdown) == html


def test_table_keeps_its_alignment_without_a_style() -> None:
    html = to_html("|a|b|\n|:-:|--|\n|1|2|")

    assert '<th align="center">a</th><th>b</th>' in html
    assert "style" not in html


@pytest.mark.parametrize(
    "href", ["https://e.org/?a=1&b=2", "http://e.org", "mailto:a@e.org", "HTTPS://e.org"]
)
def test_link_opens_outside_and_tells_nothing(href: str) -> None:
    assert _read(f"[x]({href})").links == [href]


@pytest.mark.parametrize(
    "markdown",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<!-- --><!DOCTYPE html><?php ?>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java&#115;cript:alert(1))",
        "[x](&#x6A;avascript:alert(1))",
        "[x](\\javascript:alert(1))",
        "[x](<java\tscript:alert(1)>)",
        "[x](<\x01javascript:alert(1)>)",
        "[x](vbscript:msgbox(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](file:///etc/passwd)",
        "[x](//e.org/x)",
        "[x](/chat/other/stop)",
        "[x](#top)",
        "[x](ｊavascript:alert(1))",
        "[x](javascript\u200b:alert(1))",
        "<javascript:alert(1)>",
        "[x]: javascript:alert(1)\n\n[x]",
        "![x](javascript:alert(1))",
        "![x](data:image/png;base64,AAAA)",
        "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    ],
)
def test_nothing_dangerous_becomes_a_link_or_a_tag(markdown: str) -> None:
    assert _read(markdown).links == []


@pytest.mark.parametrize(
    "markdown",
    [
        '[x](https://e.org "\\" onmouseover=alert(1) \\"")',
        '[x](https://e.org/"onmouseover="alert(1))',
        '[x"onclick="alert(1)](https://e.org)',
        '![x" onerror="alert(1)](https://e.org/a.png)',
        '```"><script>alert(1)</script>\ncode\n```',
        "[![a](https://e.org/i.png)](https://e.org)",
        "[a [b](https://e.org/1) c](https://e.org/2)",
        "<https://e.org/><script>",
    ],
)
def test_attributes_cannot_be_broken_out_of(markdown: str) -> None:
    _read(markdown)


def test_image_is_its_description_and_a_link_never_a_request() -> None:
    reader = _read("![a cat](https://e.org/cat.png)")

    assert (reader.text, reader.links) == ("a cat", ["https://e.org/cat.png"])


def test_image_without_description_shows_its_address() -> None:
    assert _read("![](https://e.org/cat.png)").text == "https://e.org/cat.png"


def test_refused_link_still_shows_where_it_went() -> None:
    assert _read("see [the page](/docs)").text == "see the page (/docs)"


def test_fence_cannot_choose_a_class() -> None:
    assert "class" not in to_html("```lw-note\nx\n```")


def test_long_text_is_shown_as_it_is() -> None:
    """Parsing takes time in proportion, and everybody else would wait for it."""
    html = to_html("**a** <b>\n" * 20_000)

    assert html.startswith('<p dir="auto" class="lw-plain">**a** &lt;b&gt;\n')


def test_plain_html_reads_nothing_into_the_text() -> None:
    assert plain_html("*a* <b> & [c](https://e.org)") == (
        '<p dir="auto" class="lw-plain">*a* &lt;b&gt; &amp; [c](https://e.org)</p>'
    )
    assert plain_html("") == ""


_MARKUP = [
    "](",
    "[",
    ")",
    "!",
    "![",
    "<",
    ">",
    '"',
    "'",
    "`",
    "```",
    "> ",
    "- ",
    "1. ",
    "|",
    "|--|",
    "**",
    "_",
    "~~",
]
_HOSTILE = [
    "<script>",
    "</script>",
    "<img src=x onerror=a>",
    "javascript:a",
    "data:text/html,a",
    "&#x6A;",
    "&lt;",
]
_OTHER = [
    "https://e.org/",
    "<https://e.org>",
    "\\",
    "\x00",
    "\u202e",
    "\u2066",
    "\ufeff",
    "é",
    "字",
    "# ",
    "---",
]
_SPACE = ["\n", "\n\n", "    ", "\t", " ", "a", "[x]: "]
_PIECES = st.sampled_from([*_MARKUP, *_HOSTILE, *_OTHER, *_SPACE])


@given(st.lists(_PIECES, max_size=40).map("".join))
@settings(max_examples=400, deadline=None)
def test_no_text_at_all_gets_past_the_list(markdown: str) -> None:
    _read(markdown)


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_words_are_never_dropped(text: str) -> None:
    """Letters and digits outside of markup stay, in order."""
    words = " ".join(re.findall(r"[A-Za-z0-9]+", text))

    assert _read(words).text.split() == words.split()


@given(st.text(alphabet="ab*_`~[]()<>#|-\n >!", max_size=120), st.integers(0, 120))
@settings(max_examples=200, deadline=None)
def test_text_cut_anywhere_stays_well_formed(text: str, cut: int) -> None:
    """A preview is cut wherever the agent has come to."""
    _read(text[:cut])
