"""What Telegram sets apart, what it does not, and what would ping."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text import Rich, Span, parse
from gateway_adapters.telegram.entities import entities, tame, unpinged, with_contacts
from tests.unit.telegram.reading import pings, read

_BREAK = "\u2060"


def _tamed(markdown: str) -> tuple[str, list[tuple[str, str]]]:
    rich = tame(parse(markdown))
    return rich.text, [(str(entity["type"]), part) for entity, part in read(_body(rich))]


def _body(rich: Rich) -> dict[str, Any]:
    return {"text": rich.text, "entities": entities(rich)}


def test_entities_count_in_utf16_and_carry_their_value() -> None:
    rich = Rich("👍 a b c", (Span(2, 3, "link", "http://x.y"), Span(4, 5, "pre", "py"), Span(6, 7, "pre")))

    assert entities(rich) == [
        {"type": "text_link", "offset": 3, "length": 1, "url": "http://x.y"},
        {"type": "pre", "offset": 5, "length": 1, "language": "py"},
        {"type": "pre", "offset": 7, "length": 1},
    ]


def test_entities_have_no_white_space_at_their_edges_and_none_is_blank() -> None:
    spans = (
        Span(0, 5, "bold"),
        Span(1, 4, "italic"),
        Span(4, 5, "code"),
        Span(5, 7, "pre"),
        Span(7, 8, "pre"),
    )

    assert entities(Rich("  a  \tb\n", spans)) == [
        {"type": "bold", "offset": 2, "length": 1},
        {"type": "italic", "offset": 2, "length": 1},
        {"type": "pre", "offset": 5, "length": 2},
    ]


@pytest.mark.parametrize(
    ("markdown", "text", "expected"),
    [
        ("**b `c` d**", "b c d", [("bold", "b"), ("code", "c"), ("bold", "d")]),
        ("*`c`*", "c", [("code", "c")]),
        (
            "**a `c` [l](http://x.y) `d`**",
            "a c l d",
            [("bold", "a"), ("code", "c"), ("bold", "l"), ("text_link", "l"), ("code", "d")],
        ),
        ("[a `c`](http://x.y) `d`", "a c d", [("text_link", "a c"), ("code", "d")]),
        ("`a\tb`\tc", "a    b\tc", [("code", "a    b")]),
        ("```\n\tx\n```", "    x", [("pre", "    x")]),
    ],
)
def test_code_and_links_exclude_each_other(markdown: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert _tamed(markdown) == (text, expected)


def test_quotation_of_the_agent_is_marked_by_its_lines() -> None:
    text, kinds = _tamed("> a **b**\n> c\n>\n> > d\n\n- > e\n\n> ```\n> f\n> g\n> ```")

    assert text == "> a b\n> c\n> \n> > d\n\n• > e\n\nf\ng"
    assert kinds == [("bold", "b"), ("pre", "f\ng")]


@pytest.mark.parametrize(
    "target",
    [
        "http://x.y",
        "https://u@x.y:8080/p?q#f",
        "https://[2001:db8::1]/x",
        "https://xn--80ak6aa92e.com",
        "tg://resolve?domain=x",
        "tg://user_list",
    ],
)
def test_address_that_telegram_takes_is_a_link(target: str) -> None:
    assert _tamed(f"[a]({target})") == ("a", [("text_link", "a")])


@pytest.mark.parametrize(
    "target",
    [
        "tg://user?id=1",
        "TG://User/?id=1",
        "http://localhost:3000/x",
        "mailto:me@x.y",
        f"https://x.y/{'a' * 2048}",
    ],
)
def test_address_that_telegram_does_not_take_is_written_out(target: str) -> None:
    text, kinds = _tamed(f"[a]({target})")

    assert text.replace(_BREAK, "") == f"a ({target})"
    assert kinds == []


@pytest.mark.parametrize(
    "text",
    ["@name", "hi @name!", "(@name)", "a/@name", ".@name", "é@name", "x\r@name", "\u202a@name", "@_1"],
)
def test_name_is_parted_from_its_at(text: str) -> None:
    assert tame(Rich(text)).text == text.replace("@", f"@{_BREAK}")
    assert unpinged(text) == text.replace("@", f"@{_BREAK}")


@pytest.mark.parametrize("hidden", ["\r", "\u202e", "\u0333", "\u030a", "\r\u2028"])
def test_name_is_parted_from_its_at_also_behind_what_telegram_takes_out(hidden: str) -> None:
    assert tame(Rich(f"@{hidden}name")).text == f"@{_BREAK}{hidden}name"


@pytest.mark.parametrize("text", ["me@x.y", "a@b", "@ name", "@", "1 @ 2", "@é", "a_@b", "no at"])
def test_at_that_pings_nobody_stays(text: str) -> None:
    assert tame(Rich(text)) == Rich(text)
    assert unpinged(text) == text


def test_code_keeps_its_at() -> None:
    text, kinds = _tamed("`@app.get` @x\n```\n@property\n```")

    assert text == f"@app.get @{_BREAK}x\n@property"
    assert kinds == [("code", "@app.get"), ("pre", "@property")]


def test_address_keeps_its_at_and_is_a_link() -> None:
    rich = tame(Rich("see https://medium.com/@me/x. and http://x.y/z"))

    assert rich == Rich(
        "see https://medium.com/@me/x. and http://x.y/z",
        (Span(4, 28, "link", "https://medium.com/@me/x"),),
    )


@pytest.mark.parametrize("text", ["https://@name", "https://x/@name", "https://a_b.cc/@name", "x.y/@name"])
def test_what_only_looks_like_an_address_is_parted(text: str) -> None:
    assert tame(Rich(text)).text == text.replace("/@", f"/@{_BREAK}")


def test_address_that_runs_into_code_or_a_link_is_parted() -> None:
    text, kinds = _tamed("https://x.yz/@a`c` and [https://x.yz/@b](http://x.y)")

    assert text == f"https://x.yz/@{_BREAK}ac and https://x.yz/@{_BREAK}b"
    assert kinds == [("code", "c"), ("text_link", f"https://x.yz/@{_BREAK}b")]


def test_our_own_names_open_a_profile() -> None:
    rich = with_contacts("ask @support_1 or me@x.y, @ab or @some, @more, @last")

    assert rich.text == f"ask @support_1 or me@x.y, @{_BREAK}ab or @some, @more, @{_BREAK}last"
    assert [(span.value, rich.text[span.start : span.end]) for span in rich.spans] == [
        ("https://t.me/support_1", "@support_1"),
        ("https://t.me/some", "@some"),
        ("https://t.me/more", "@more"),
    ]
    assert not pings(_body(rich))


_PIECES = [
    "@bob",
    "@",
    "/",
    "https://x.yz/",
    "`",
    "```\n",
    "[",
    "](http://x.y)",
    "a",
    "é",
    " ",
    "\n",
    "> ",
    "**",
    ".",
    "\r",
    "\u202a",
    "_",
    "<",
    "https://",
    "[a](tg://user?id=1)",
    "1",
    "\u2060",
    "👍",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join))
def test_no_text_of_an_agent_pings(text: str) -> None:
    for rich in (tame(parse(text)), tame(Rich(text))):
        assert pings(_body(rich)) == []
        assert not [span for span in rich.spans if re.match(r"tg://user\b", span.value, re.IGNORECASE)]
    assert pings({"text": unpinged(text)}) == []
