"""Answers as Telegram messages: complete, within the limits, the note apart from the agent's text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.messages import Action, Answer, Note, Part
from gateway_adapters.telegram.render import render
from tests.unit.telegram.reading import pings, read, units

_NOTE = Note(
    '⏳ I stopped after reaching the step limit — reply "continue" to carry on.',
    "max_steps",
    reference="Ref K7Q2M",
)
_SAID = f"{_NOTE.text}\n{_NOTE.reference}"
_OURS = [("blockquote", _SAID), ("italic", _NOTE.text), ("code", _NOTE.reference)]
_PREVIEW = {"link_preview_options": {"is_disabled": True}}


def _texts(parts: tuple[Part, ...]) -> list[str]:
    return [str(part.body["text"]) for part in parts]


def _kinds(part: Part) -> list[tuple[str, str]]:
    return [(str(entity["type"]), text) for entity, text in read(part.body)]


def _one(answer: Answer) -> Part:
    (part,) = render(answer, key="k")
    return part


def test_plain_text_goes_as_it_is() -> None:
    text = "Hello, it's me!\n\n\n  2 lines below. 漢字 👍 "

    assert _one(Answer(text)) == Part(
        "k.0", body={"text": text, **_PREVIEW}, plain={"text": text, **_PREVIEW}
    )


def test_markdown_goes_as_entities_and_plainly_as_text() -> None:
    part = _one(Answer("**Hi** [you](https://x.y/z)"))

    assert part.body == {
        "text": "Hi you",
        "entities": [
            {"type": "bold", "offset": 0, "length": 2},
            {"type": "text_link", "offset": 3, "length": 3, "url": "https://x.y/z"},
        ],
        **_PREVIEW,
    }
    assert part.plain == {"text": "Hi you (https://x.y/z)", **_PREVIEW}


def test_our_own_wording_is_not_read_as_markdown() -> None:
    part = _one(Answer("*a* `b` > c\n- d", plain=True))

    assert part.body == {"text": "*a* `b` > c\n- d", **_PREVIEW}


@pytest.mark.parametrize("text", ["", " \n", "\u200b\u2060", "\u2800", "\x00", "&#8203;", "\u00ad\ufeff"])
def test_answer_of_which_nothing_can_be_seen_is_no_message(text: str) -> None:
    assert render(Answer(text), key="k") == ()
    assert _one(Answer(text, _NOTE)).role == "note"


def test_half_characters_are_replaced_or_put_together() -> None:
    part = _one(Answer("a\ud83d b \ud83d\ude00", Note("x\udc00", "error", reference="\udc00"), lead="\ud800"))

    assert part.body["text"] == "\ufffd\n\na\ufffd b 😀\n\nx\ufffd\n\ufffd"


# The note.


def test_note_stands_after_a_blank_line_set_apart() -> None:
    part = _one(Answer("Some *text*", _NOTE))

    assert part.body["text"] == f"Some text\n\n{_SAID}"
    assert _kinds(part) == [("italic", "text"), *_OURS]
    assert part.plain["text"] == part.body["text"]
    assert part.role == "text"


def test_note_without_reference_is_one_line() -> None:
    part = _one(Answer("a", Note("⚠️ Sorry.", "error")))

    assert _kinds(part) == [("blockquote", "⚠️ Sorry."), ("italic", "⚠️ Sorry.")]


def test_note_without_text_is_a_note_part() -> None:
    part = _one(Answer(note=_NOTE))

    assert (part.id, part.role, part.body["text"]) == ("k.0", "note", _SAID)


def test_note_is_never_in_an_open_fence() -> None:
    part = _one(Answer("```py\ncut off", _NOTE))

    assert _kinds(part) == [("pre", "cut off"), *_OURS]
    assert part.plain["text"] == f"cut off\n\n{_SAID}"


@pytest.mark.parametrize(("end", "between"), [("", "\n\n"), ("\n", "\n"), ("\n\n", ""), ("\n\n\n", "")])
def test_note_leaves_the_text_before_it_as_it_is(end: str, between: str) -> None:
    assert _one(Answer(f"text{end}", _NOTE)).body["text"] == f"text{end}{between}{_SAID}"


def test_note_fills_the_message_to_the_last_unit() -> None:
    room = 4096 - units(_SAID) - 2

    fitting = render(Answer("a" * room, _NOTE), key="k")
    over = render(Answer("a" * (room + 1), _NOTE), key="k")

    assert [units(text) for text in _texts(fitting)] == [4096]
    assert _texts(over) == ["a" * (room + 1), _SAID]
    assert [(part.id, part.role) for part in over] == [("k.0", "text"), ("k.1", "note")]


@pytest.mark.parametrize(
    "forged",
    [
        _SAID,
        f"> *{_NOTE.text}*\n> `{_NOTE.reference}`",
        f"> {_NOTE.text}",
        f"<blockquote><i>{_NOTE.text}</i></blockquote>",
        f"text\n\n>> *{_NOTE.text}*\n\ntext",
    ],
)
def test_note_cannot_be_forged(forged: str) -> None:
    """Only the gateway's words stand in a block quotation."""
    assert "blockquote" not in dict(_kinds(_one(Answer(forged))))
    both = [text for kind, text in _kinds(_one(Answer(forged, _NOTE))) if kind == "blockquote"]
    assert both == [_SAID]


def test_note_too_long_for_a_message_is_cut() -> None:
    parts = render(Answer("text", Note("word " * 1000, "error")), key="k")

    assert [part.role for part in parts] == ["text", "note", "note"]
    assert " ".join(_texts(parts)[1:]) == ("word " * 1000).strip()
    assert all(_kinds(part)[0] == ("blockquote", part.body["text"]) for part in parts[1:])


@pytest.mark.parametrize(
    ("text", "direction", "shown"),
    [
        ("⏳ توقفت", "rtl", "⏳ توقفت"),
        ("⏳ Telegram توقف", "rtl", "\u200f⏳ Telegram توقف"),
        ("⏳ I stopped", "ltr", "⏳ I stopped"),
        ("⏳ שלום is a word", "ltr", "\u200e⏳ שלום is a word"),
        ("⏳ 10", "rtl", "\u200f⏳ 10"),
        ("⏳ שלום\n\nOK", "rtl", "⏳ שלום\n\n\u200fOK"),
    ],
)
def test_note_runs_in_its_own_direction(text: str, direction: Any, shown: str) -> None:
    part = _one(Answer("English and עברית", Note(text, "error", direction=direction)))

    assert part.body["text"] == f"English and עברית\n\n{shown}"


def test_reference_runs_with_its_note() -> None:
    part = _one(Answer("", Note("⏳ توقفت", "error", direction="rtl", reference="Ref K7")))

    assert part.body["text"] == "⏳ توقفت\n\u200fRef K7"
    assert _kinds(part)[-1] == ("code", "\u200fRef K7")


def test_contact_in_a_note_opens_a_profile_and_pings_nobody() -> None:
    part = _one(Answer("", Note("⚠️ Please contact @support_team.", "error")))

    assert ("text_link", "@support_team") in _kinds(part)
    assert pings(part.body) == []
    assert pings(part.plain) == []


# The line before.


def test_lead_stands_before_everything_set_apart() -> None:
    part = _one(Answer("text", _NOTE, lead="This answer is late."))

    assert part.body["text"] == f"This answer is late.\n\ntext\n\n{_SAID}"
    assert _kinds(part)[:2] == [("blockquote", "This answer is late."), ("italic", "This answer is late.")]
    assert part.role == "text"


def test_lead_before_a_note_alone_shares_its_message() -> None:
    part = _one(Answer(note=_NOTE, lead="Late."))

    assert part.body["text"] == f"Late.\n\n{_SAID}"
    assert part.role == "note"


def test_lead_alone_is_a_message() -> None:
    part = _one(Answer(lead="Late."))

    assert (part.body["text"], part.role) == ("Late.", "text")


def test_lead_for_which_there_is_no_room_is_a_message() -> None:
    parts = render(Answer("a" * 4096, _NOTE, lead="Late."), key="k")

    assert _texts(parts) == ["Late.", "a" * 4096, _SAID]
    assert [part.role for part in parts] == ["text", "text", "note"]


def test_lead_too_long_for_a_message_is_cut() -> None:
    parts = render(Answer("text", lead=("word " * 1000).strip()), key="k")

    assert " ".join(_texts(parts)) == f"{'word ' * 1000}text"


# What goes with a message.


def test_buttons_are_on_the_last_message_and_the_reply_on_the_first() -> None:
    actions = (Action("continue", "t" * 48, "Continue"), Action("retry", "r", "Retry"))

    first, last = render(Answer("a" * 5000, _NOTE, actions, reply_to="12"), key="k")

    reply = {"reply_parameters": {"message_id": 12, "allow_sending_without_reply": True}}
    row = [{"text": "Continue", "callback_data": "t" * 48}, {"text": "Retry", "callback_data": "r"}]
    buttons = {"reply_markup": {"inline_keyboard": [row]}}
    for form in ("body", "plain"):
        assert {
            key: value for key, value in getattr(first, form).items() if key != "text"
        } == _PREVIEW | reply
        around = {k: v for k, v in getattr(last, form).items() if k not in ("text", "entities")}
        assert around == _PREVIEW | buttons


def test_reply_to_an_id_of_another_kind_is_left_out() -> None:
    assert "reply_parameters" not in _one(Answer("a", reply_to="x7")).body


# Limits.


@pytest.mark.parametrize(("size", "messages"), [(1, 1), (4095, 1), (4096, 1), (4097, 2), (20_000, 5)])
def test_text_of_any_size_arrives_whole(size: int, messages: int) -> None:
    words = ("word " * size)[:size]

    letters = _texts(render(Answer("x" * size), key="k"))
    worded = _texts(render(Answer(words), key="k"))

    assert "".join(letters) == "x" * size
    assert len(letters) == messages
    assert " ".join(worded).split() == words.split()


def test_bold_across_the_limit_is_bold_in_both_messages() -> None:
    parts = render(Answer(f"{'a ' * 2000}**{'b ' * 400}b**"), key="k")

    assert [kinds for part in parts for kinds in _kinds(part)] == [
        ("bold", text[text.index("b") :]) for text in _texts(parts)
    ]
    assert len(parts) == 2


def test_code_across_the_limit_keeps_its_language() -> None:
    lines = "\n".join(f"line {number} = {number}" for number in range(500))

    parts = render(Answer(f"```python\n{lines}\n```"), key="k")

    assert "\n".join(_texts(parts)) == lines
    for part in parts:
        assert [entity["language"] for entity, _ in read(part.body)] == ["python"]


def test_looks_beyond_what_telegram_keeps_are_left_out_and_code_last() -> None:
    part = _one(Answer("".join(f"**b{n}** " for n in range(90)) + "`c` " * 20, _NOTE, lead="Late."))

    kinds = [kind for kind, _ in _kinds(part)]
    assert len(kinds) == 95
    assert kinds.count("code") == 21
    assert kinds.count("bold") == 70
    assert all(f"b{n}" in part.body["text"] for n in range(90))


def test_links_beyond_what_telegram_keeps_take_another_message() -> None:
    answer = Answer("".join(f"[a{n}](http://x.y/{n}) `@c{n}` " for n in range(120)), _NOTE)

    parts = render(answer, key="k")

    found = [(text, entity.get("url")) for part in parts for entity, text in read(part.body)]
    assert [(f"a{n}", f"http://x.y/{n}") for n in range(120)] == [one for one in found if one[1]]
    assert [f"@c{n}" for n in range(120)] == [text for text, _ in found if text.startswith("@c")]
    assert all(len(part.body["entities"]) <= 100 for part in parts)


def test_plain_form_leaves_targets_out_where_there_is_no_room() -> None:
    part = _one(Answer(f"[a](http://x.y/{'z' * 100}) {'b' * 4000} @name `@code`"))

    assert units(str(part.plain["text"])) <= 4096
    assert part.plain["text"] == f"a {'b' * 4000} @\u2060name \uff20code"


def test_plain_form_pings_nobody_from_code() -> None:
    part = _one(Answer("`@name`"))

    assert part.body["text"] == "@name"
    assert part.plain["text"] == "@\u2060name"


# Everything at once.

_BLOCKS = [
    "# Plan **now**\n",
    "- a\n  - b `c`\n    1. d\n",
    "> quoted *words*\n",
    "| a | b |\n|---|---|\n| 漢字 | 2 |\n",
    "```py\ndef f(x):\n\treturn '@x'\n```\n",
    "[wiki](https://en.wikipedia.org/wiki/Foo_(bar)) ",
    "👩\u200d👩\u200d👧🇩🇪👍🏽 ",
    "שלום עולם ",
    "مرحبا بالعالم\n\n",
    "plain words, and more of them. ",
    "x" * 700,
    "**bold ",
    "`",
    "\n\n",
    "@name ",
    "**" + "strong words " * 60 + "**\n",
    "漢字" * 300 + "。",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(_BLOCKS), min_size=1, max_size=60), st.sampled_from(["", "Late."]))
def test_any_answer_arrives_within_the_limits(blocks: list[str], lead: str) -> None:
    text = "".join(f"{block}w{number}q " for number, block in enumerate(blocks))

    off = render(Answer(text), key="k")
    noted = render(Answer(text, _NOTE, lead=lead), key="k")

    said = "\n".join(_texts(off))
    assert [n for n in range(len(blocks)) if f"w{n}q" not in said] == []
    for part in (*off, *noted):
        _assert_accepted(part)
    assert noted[-1].body["text"].endswith(_SAID)
    assert _kinds(noted[-1])[-3:] == _OURS
    assert [part.id for part in noted] == [f"k.{index}" for index in range(len(noted))]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(_BLOCKS), max_size=40).map("".join))
def test_note_changes_nothing_of_what_is_before_it(text: str) -> None:
    off = render(Answer(text), key="k")

    noted = render(Answer(text, _NOTE), key="k")

    for before, after in zip(off, noted, strict=False):
        assert str(after.body["text"]).startswith(str(before.body["text"]))
        assert read(after.body)[: len(read(before.body))] == read(before.body)
    assert len(noted) - len(off) in (0, 1)


def _assert_accepted(part: Part) -> None:
    """Fails where Telegram would refuse, drop or ping."""
    found = read(part.body)
    assert 0 < units(str(part.body["text"])) <= 4096
    assert 0 < units(str(part.plain["text"])) <= 4096
    assert str(part.body["text"]).strip()
    assert len(found) <= 100
    assert all(text.strip() for _, text in found)
    edges = [(entity["offset"], -entity["length"]) for entity, _ in found]
    assert edges == sorted(edges)
    apart = [entity for entity, _ in found if entity["type"] in {"code", "pre", "text_link"}]
    for one, other in pairwise(apart):
        assert one["offset"] + one["length"] <= other["offset"]
    assert pings(part.body) == []
    assert pings(part.plain) == []
