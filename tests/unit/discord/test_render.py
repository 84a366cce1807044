"""An answer as Discord messages: nothing lost, nothing meant that was not, the note apart."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.messages import Action, Answer, Note
from gateway.text import parse, utf16_length
from gateway_adapters.discord.markup import escaped, written
from gateway_adapters.discord.render import preview, render
from tests.emulators.discord_world import readable

NOTE = Note("⏳ I stopped after reaching the step limit.", "max_steps", reference="Ref K7Q2M")
ACTION = Action("continue", "t" * 48, "Continue")
_WORDS = re.compile("word|👩\u200d🚀|ש")


def _contents(answer: Answer) -> list[str]:
    return [part.body["content"] for part in render(answer, key="k")]


def _only(text: str) -> str:
    (content,) = _contents(Answer(text))
    return content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("**bold** *it* ~~gone~~ `code`", "**bold** *it* ~~gone~~ `code`"),
        ("# Head\ntext", "**Head**\ntext"),
        ("- a\n- b", "• a\n• b"),
        ("1. a\n2. b", "1\\. a\n2\\. b"),
        ("> said\n> so", "> said\n> so"),
        ("> `q`\n> ```\n> x\n> ```", "> `q`\n```\nx\n```"),
        ("[docs](https://a.example/x_(y))", "[docs](https://a.example/x_%28y%29)"),
        ("<https://a.example>", "https://a.example"),
        ("[bank.example](https://evil.example)", "bank.example (https://evil.example)"),
        ("[https://bank.example](https://evil.example)", "https://bank.example (https://evil.example)"),
        ("[x](mailto:a@b.example)", "x (mailto:a@b.example)"),
        ("https://a_b.example/*x* and a_b", "https://a_b.example/*x* and a\\_b"),
        ("```py\nx = 1\n```", "```py\nx = 1\n```"),
        ("```c++ more\nx\n```", "more\n```c++\nx\n```"),
        ("`` a`b ``", "``a`b``"),
        ("`` `a ``", "`` `a ``"),
        ("**bold***it*", "**bold**\u2060*it*"),
        ("* * *", "———"),
        ("| a | b |\n|--|--|\n| 1 | 2 |", "```\na | b\n--+--\n1 | 2\n```"),
    ],
)
def test_markdown_becomes_discords(text: str, content: str) -> None:
    assert _only(text) == content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("-# small", "\\-# small"),
        ("  -# small", "\\-# small"),
        ("a\n-# small", "a\n\\-# small"),
        (">>> all of it", "> all of it"),
        ("||spoiler||", "\\|\\|spoiler\\|\\|"),
        ("a | b", "a | b"),
        ("~ one ~", "~ one ~"),
        ("__under__ \\_not\\_", "**under** \\_not\\_"),
        ("@everyone @here a@b.example", "@\u2060everyone @\u2060here a@b.example"),
        (
            "<@1> <@!1> <@&1> <#1> </x:1> <:e:1> <t:1:R>",
            "\\<@1> \\<@!1> \\<@&1> \\<#1> \\</x:1> \\<:e:1> \\<t:1:R>",
        ),
        ("`@everyone <@1>`", "`@everyone <@1>`"),
        ("a\0b", "a\ufffdb"),
    ],
)
def test_what_is_no_markdown_of_the_agents_is_none_of_discords(text: str, content: str) -> None:
    assert _only(text) == content


def test_fence_in_code_does_not_end_it() -> None:
    content = _only("````\na\n```\n-# b\n````")

    assert content.count("```") == 2
    assert content.startswith("```\n")
    assert content.endswith("\n```")


def test_code_that_is_split_is_closed_and_opened_again() -> None:
    contents = _contents(Answer("```py\n" + "x = 1\n" * 900 + "```\nend", note=NOTE))

    assert len(contents) > 2
    for content in contents:
        assert content.count("```") % 2 == 0
    assert all(content.startswith("```py\n") for content in contents[:-1])
    assert "```\nend\n-# " in contents[-1]


@pytest.mark.parametrize(
    "text", ["open ```\ncode", "```py\nprint(", "**bold", "[link](https://a", "> quoted"]
)
def test_note_is_never_inside_of_what_the_agent_left_open(text: str) -> None:
    last = _contents(Answer(text, note=NOTE))[-1]
    before, _, note = last.partition("\n-# ")

    assert before.count("```") % 2 == 0
    assert note.startswith("⏳")


@pytest.mark.parametrize("length", range(1880, 2001, 7))
def test_note_stands_whole_behind_the_text_or_alone(length: int) -> None:
    parts = render(Answer("a" * length, note=NOTE, actions=(ACTION,)), key="k")

    assert "".join(part.body["content"] for part in parts).count("-# ") == 2
    assert [part.role for part in parts][-1] == ("text" if len(parts) == 1 else "note")
    assert all(utf16_length(part.body["content"]) <= 2000 for part in parts)
    assert [bool(part.body["components"]) for part in parts] == [False] * (len(parts) - 1) + [True]


def test_note_that_is_longer_than_a_message_goes_on_in_the_next() -> None:
    parts = render(Answer("text", note=Note("word " * 800, "r")), key="k")

    assert [part.role for part in parts] == ["text", *["note"] * (len(parts) - 1)]
    assert all(line.startswith("-# ") for part in parts[1:] for line in part.body["content"].split("\n"))
    assert " ".join(readable(part.body["content"]) for part in parts[1:]).split() == ["word"] * 800


def test_lead_stands_before_the_text_as_the_gateways() -> None:
    assert _contents(Answer("text", lead="This comes late.")) == ["-# This comes late.\ntext"]


def test_note_of_another_direction_is_marked() -> None:
    note = Note("⏳ 12 توقفت", "r", language="ar", direction="rtl", reference="Ref K7Q2M")

    assert _contents(Answer(note=note)) == ["-# ⏳ 12 توقفت\n-# \u200fRef K7Q2M"]


def test_note_pings_nobody_and_means_nothing() -> None:
    (content,) = _contents(Answer(note=Note("Ask @everyone or **me**", "r")))

    assert content == "-# Ask @\u2060everyone or \\*\\*me\\*\\*"


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\u2060\u200e", "\u2800"])
def test_text_of_which_nothing_is_seen_is_no_message(text: str) -> None:
    assert render(Answer(text), key="k") == ()
    assert preview(text) == {}


def test_plain_text_of_ours_is_not_read_as_markdown() -> None:
    assert _contents(Answer("**1** [a](https://b.example)", plain=True)) == [
        "\\*\\*1\\*\\* \\[a\\](https://b.example)"
    ]


def test_reply_stands_on_the_first_message_and_need_not_exist() -> None:
    parts = render(Answer("word " * 900, reply_to="5"), key="k")

    assert [part.body.get("message_reference") for part in parts] == [
        {"message_id": "5", "fail_if_not_exists": False},
        *[None] * (len(parts) - 1),
    ]


_MARKS = st.sampled_from(
    (
        *(
            "*",
            "**",
            "_",
            "~~",
            "`",
            "```",
            "\n",
            "\n\n",
            "> ",
            "- ",
            "1. ",
            "# ",
            "-# ",
            "||",
            "[",
            "\\",
            "|",
        ),
        *("](https://a.b/c)", "<@1>", "@everyone", "word", " ", "👩\u200d🚀", "ש", "\ud83d", "\t", "\r"),
        "https://x.y/z_*",
    )
)


@settings(max_examples=300, deadline=None)
@example("`*```*`")
@example("```\n*`````")
@example("``` a`b``c ```")
@given(st.lists(_MARKS, max_size=60).map("".join))
def test_any_text_fits_and_ends_what_it_begins(text: str) -> None:
    """However it is marked up: within the limit, fences closed, one note, last."""
    parts = render(Answer(text, note=NOTE), key="k")

    assert all(0 < utf16_length(part.body["content"]) <= 2000 for part in parts)
    assert all(0 < utf16_length(part.plain["content"]) <= 2000 for part in parts)
    assert all(len(re.findall("```", part.body["content"])) % 2 == 0 for part in parts)
    assert parts[-1].body["content"].endswith(f"-# {NOTE.text}\n-# {NOTE.reference}")
    assert sum(len(re.findall(r"(?m)^-# ", _outside_code(part.body["content"]))) for part in parts) == 2


@settings(max_examples=200, deadline=None)
@given(st.lists(_MARKS, max_size=400).map("".join))
def test_any_text_loses_nothing(text: str) -> None:
    """What a person reads of the messages is what the text says, but for white space and the unseen."""
    said = parse(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    shown = iter(_WORDS.findall("\n".join(_contents(Answer(text)))))

    assert all(word in shown for word in _WORDS.findall(said.text))


def test_long_answers_of_all_sorts_fit_and_lose_no_word() -> None:
    dice = random.Random(7)  # noqa: S311  # not for secrets
    for _ in range(12):
        words = [
            dice.choice(
                [
                    "**w**",
                    "`w`",
                    "[w](https://a.example/b)",
                    "w_w",
                    "*w*",
                    "w||w",
                    "\n- w",
                    "\n> w\n",
                    "~~w~~",
                ]
            )
            for _ in range(900)
        ]
        text = " ".join(words)
        contents = _contents(Answer(text))

        assert all(utf16_length(content) <= 2000 for content in contents)
        assert sum(readable(content).count("w") for content in contents) == text.count("w")
        assert len(contents) <= sum(map(utf16_length, contents)) / 900


def _outside_code(content: str) -> str:
    return "".join(content.split("```")[::2])


@pytest.mark.parametrize("text", ["a*b", "x`y", "<@1>", "1. a", "> q", "[a](b)", "\\*", "~~a~~", "-# a"])
def test_escaped_text_reads_letter_by_letter(text: str) -> None:
    assert readable(escaped(text)).replace("\u2060", "") == text


def test_emphasis_across_code_leaves_the_code_alone() -> None:
    assert written(parse("**a `b*c` d**")) == "**a `b*c` d**"
