"""Answers as blocks: what they say, how they are cut, and what they can never do."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.messages import Action, Answer, Note, Part
from gateway.text import inline_plain, parse
from gateway_adapters.slack.markup import measure, tame, weight
from gateway_adapters.slack.render import LIMIT, growing, render
from tests.emulators.slack_rules import check_blocks, looks, pings

_NOTE = Note("⏳ I stopped.", "max_steps", reference="Ref K7Q2M")
_GO, _NEW = Action("continue", "t1", "Continue"), Action("new", "t2", "New chat")
_PIECES = ["<!channel>", "<@U1>", "```", "é", "👩‍🚀", "\ud83d", "http://x.example/", "[a](b)"]
_HOSTILE = st.lists(st.sampled_from([*"ab <>&!@#|*_`~[]()\n\\:/.", *_PIECES]), max_size=300).map("".join)


def _elements(text: str) -> list[dict[str, Any]]:
    (part,) = render(Answer(text), key="k")
    (block,) = part.body["blocks"]
    found: list[dict[str, Any]] = block["elements"]
    return found


def _texts(parts: tuple[Part, ...]) -> list[str]:
    return [looks(part.body) for part in parts]


@pytest.mark.parametrize(
    ("said", "runs"),
    [
        ("plain", [{"type": "text", "text": "plain"}]),
        ("**b**", [{"type": "text", "text": "b", "style": {"bold": True}}]),
        ("*i*", [{"type": "text", "text": "i", "style": {"italic": True}}]),
        ("~~s~~", [{"type": "text", "text": "s", "style": {"strike": True}}]),
        ("`c <@U1>`", [{"type": "text", "text": "c <@U1>", "style": {"code": True}}]),
        ("***x***", [{"type": "text", "text": "x", "style": {"bold": True, "italic": True}}]),
        ("[a](https://x.example)", [{"type": "link", "url": "https://x.example", "text": "a"}]),
        (
            "see https://x.example/a.",
            [
                {"type": "text", "text": "see "},
                {"type": "link", "url": "https://x.example/a", "text": "https://x.example/a"},
                {"type": "text", "text": "."},
            ],
        ),
        ("`https://x.example`", [{"type": "text", "text": "https://x.example", "style": {"code": True}}]),
        ("[a](javascript:x)", [{"type": "text", "text": "[a](javascript:x)"}]),
        ("[a](tg://x)", [{"type": "text", "text": "a (tg://x)"}]),
        ("# Title", [{"type": "text", "text": "Title", "style": {"bold": True}}]),
    ],
)
def test_looks_become_elements(said: str, runs: list[dict[str, Any]]) -> None:
    assert _elements(said) == [{"type": "rich_text_section", "elements": runs}]


def test_code_and_quotations_are_elements_of_their_own() -> None:
    found = _elements("before\n\n```python\nx = '<!here>'\n```\n> quoted **b**\n> more\n\nafter")

    assert [one["type"].removeprefix("rich_text_") for one in found] == [
        "section",
        "preformatted",
        "quote",
        "section",
    ]
    assert found[1]["elements"] == [{"type": "text", "text": "x = '<!here>'"}]
    assert "".join(run["text"] for run in found[2]["elements"]) == "quoted b\nmore"


def test_quotation_inside_a_quotation_is_one() -> None:
    found = _elements("> a\n> > b\n> c")

    assert [one["type"] for one in found] == ["rich_text_quote"]


def test_code_keeps_its_blank_lines() -> None:
    found = _elements("a\n```\n\n  x\n\n```\nb")

    assert found[1]["elements"] == [{"type": "text", "text": "\n  x\n"}]


def test_addresses_that_are_longer_than_their_words_are_cut_like_any_text() -> None:
    """Five links of three thousand characters weigh more than a message takes."""
    said = " ".join(f"[w{number}](https://x.example/{'a' * 2900}{number})" for number in range(6))
    parts = render(Answer(said), key="k")

    for part in parts:
        check_blocks(part.body["blocks"])
        assert measure(part.body["text"]) <= LIMIT
    shown = json.dumps([part.body["blocks"] for part in parts])
    assert all(f"a{number}" in shown and f"w{number}" in shown for number in range(6))


def test_characters_that_weigh_more_than_one_are_counted_so() -> None:
    for part in render(Answer("\x01\x02a" * 1300), key="k"):
        check_blocks(part.body["blocks"])


def test_lead_that_is_too_long_for_the_first_message_stands_before_it() -> None:
    parts = render(Answer("text", lead="late " * 1000, note=_NOTE), key="k")

    assert "".join(_texts(parts)).count("late") == 1000
    assert _texts(parts)[-1].startswith("text")


def test_table_is_lined_up_in_code() -> None:
    found = _elements("| a | b |\n|---|---|\n| 1 | 22 |")

    assert [one["type"] for one in found] == ["rich_text_preformatted"]
    assert "22" in found[0]["elements"][0]["text"]


def test_note_is_a_context_block_below_and_buttons_below_it() -> None:
    (part,) = render(Answer("text", note=_NOTE, actions=(_GO, _NEW)), key="k")

    assert [block["type"] for block in part.body["blocks"]] == ["rich_text", "context", "actions"]
    assert part.body["blocks"][1]["elements"][0]["text"] == "⏳ I stopped.\n`Ref K7Q2M`"
    buttons = part.body["blocks"][2]["elements"]
    assert [(one["value"], one["text"]["text"]) for one in buttons] == [
        ("t1", "Continue"),
        ("t2", "New chat"),
    ]
    assert len({one["action_id"] for one in buttons}) == 2
    assert part.role == "text"


def test_answer_without_its_note_is_the_same_up_to_the_note() -> None:
    (noted,), (bare,) = (render(Answer("**t** x", note=note), key="k") for note in (_NOTE, None))

    assert noted.body["blocks"][:-1] == bare.body["blocks"]


def test_note_alone_has_a_role_of_its_own() -> None:
    (part,) = render(Answer(note=_NOTE), key="k")

    assert part.role == "note"


def test_lead_stands_before_everything() -> None:
    (part,) = render(Answer("text", lead="Late:", note=_NOTE), key="k")

    assert looks(part.body) == "Late:\n\ntext\n\n⏳ I stopped.\nRef K7Q2M"
    assert html.unescape(part.plain["text"]) == looks(part.body)


def test_text_cannot_look_like_a_note() -> None:
    parts = render(Answer("⏳ I stopped.\n`Ref K7Q2M`"), key="k")

    assert {block["type"] for part in parts for block in part.body["blocks"]} == {"rich_text"}


def test_note_of_a_right_to_left_script_runs_so() -> None:
    note = Note("⏳ 3 توقفت.", "max_steps", "ar", "rtl", reference="Ref K7Q2M")
    (part,) = render(Answer(note=note), key="k")

    lines = part.body["blocks"][0]["elements"][0]["text"].split("\n")
    assert lines[1].strip("`").startswith("\u200f")


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\u2060\ufeff"])
def test_text_of_which_nothing_is_seen_is_no_message(text: str) -> None:
    assert render(Answer(text), key="k") == ()


def test_long_note_is_whole() -> None:
    note = Note("word " * 2000, "error")
    parts = render(Answer("text", note=note), key="k")

    assert "".join(_texts(parts)).count("word") == 2000
    for part in parts:
        check_blocks(part.body["blocks"])


def test_code_over_several_messages_is_code_in_each() -> None:
    code = "\n".join(f"line {number}" for number in range(900))
    parts = render(Answer(f"```\n{code}\n```"), key="k")

    kinds = {one["type"] for part in parts for one in part.body["blocks"][0]["elements"]}
    assert kinds == {"rich_text_preformatted"}
    assert "\n".join(_texts(parts)) == code
    assert len(parts) > 1


def test_text_full_of_looks_is_not_too_heavy_and_whole() -> None:
    said = " ".join(f"**b{number}** *i{number}*" for number in range(300))
    parts = render(Answer(said), key="k")

    assert all(weight(part.body["blocks"]) <= 13_000 for part in parts)
    assert " ".join(_texts(parts)).split() == inline_plain(parse(said)).split()


def test_text_of_markup_alone_holds_up_nobody() -> None:
    parts = render(Answer("[" * 30_000), key="k")

    assert sum(len(text) for text in _texts(parts)) == 30_000


@settings(max_examples=300, deadline=None)
@given(_HOSTILE)
def test_nothing_is_dropped_and_nobody_is_called(said: str) -> None:
    """Of any text: every letter is there, Slack takes it, and finds no mention in it."""
    parts = render(Answer(said, note=_NOTE), key="k")

    shown = "".join(_texts(parts)).removesuffix("⏳ I stopped.\nRef K7Q2M")
    written = said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert "".join(shown.split()) == "".join(tame(parse(written)).text.split())
    for part in parts:
        check_blocks(part.body["blocks"])
        assert pings(part.body["text"]) == pings(part.plain["text"]) == []
        assert json.loads(json.dumps(part.body)) == part.body


@settings(max_examples=60, deadline=None)
@given(st.text(st.sampled_from(list("ab &<>é字😀\n")), min_size=3000, max_size=9000))
def test_every_message_is_short_enough_for_an_edit(said: str) -> None:
    for part in render(Answer(said, note=Note("word " * 300, "error")), key="k"):
        assert len(part.body["text"].encode("utf-16-le")) // 2 <= 4000
        check_blocks(part.body["blocks"])


@settings(max_examples=100, deadline=None)
@given(_HOSTILE, st.integers(0, 400))
def test_growing_text_is_taken_wherever_it_is_cut(said: str, end: int) -> None:
    shown = growing(said[:end])

    if shown:
        check_blocks(shown["blocks"])
        assert pings(shown["text"]) == []


def test_growing_text_shows_its_end() -> None:
    shown = growing("word " * 2000 + "last")

    assert looks(shown).startswith("…")
    assert looks(shown).endswith("last")
    assert measure(looks(shown)) <= LIMIT + 1


def test_parts_are_numbered() -> None:
    parts = render(Answer("a" * (LIMIT * 2 + 1)), key="k")

    assert [part.id for part in parts] == ["k.0", "k.1", "k.2"]
