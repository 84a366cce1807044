"""Slack's markup as plain text."""

from __future__ import annotations

import pytest

from gateway_adapters.slack.wording import command_of, mentioned, names_somebody_else, plain, without_mention

_COMMANDS = frozenset({"stop", "help"})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt;", "&lt;"),
        ("<@U1ANN>", "@Ann"),
        ("<@U2BOB|bob>", "@bob"),
        ("<@U3EVE>", "@U3EVE"),
        ("<#C1|general>", "#general"),
        ("<#C1>", "#C1"),
        ("<#C1|>", "#C1"),
        ("<!here>", "@here"),
        ("<!channel|@channel>", "@channel"),
        ("<!subteam^S1>", "@subteam"),
        ("<!date^1^{date}|Monday>", "Monday"),
        ("<https://a.example>", "https://a.example"),
        ("<https://a.example|a.example>", "a.example"),
        ("<https://a.example?x=1&amp;y=2|here>", "here (https://a.example?x=1&y=2)"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<tel:+155|+155>", "+155"),
        ("3 < 4", "3 < 4"),
        ("<>", "<>"),
        ("<<@U1ANN>>", "<@Ann>"),
        ("*bold* _it_", "*bold* _it_"),
        ("", ""),
    ],
)
def test_markup_is_spelt_out(given: str, wanted: str) -> None:
    assert plain(given, {"U1ANN": "Ann"}) == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("<@U0ME> hi", "hi"),
        ("  <@U0ME|me>, hi", "hi"),
        ("<@U0ME>", "<@U0ME>"),
        ("<@U1ANN> hi", "<@U1ANN> hi"),
        ("hi <@U0ME>", "hi <@U0ME>"),
    ],
)
def test_mention_that_only_says_who_is_spoken_to_goes(given: str, wanted: str) -> None:
    assert without_mention(given, "U0ME") == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("/stop", ("stop", "")),
        (" /Stop now ", ("stop", "now")),
        ("!stop", ("stop", "")),
        ("!stop\nnow", ("stop", "now")),
        ("!stopped", ("", "")),
        ("!important", ("", "")),
        ("/unknown x", ("unknown", "x")),
        ("/etc/hosts", ("", "")),
        ("/ stop", ("", "")),
        ("//", ("", "")),
        ("", ("", "")),
        ("please /stop", ("", "")),
    ],
)
def test_command_is_told_from_words(given: str, wanted: tuple[str, str]) -> None:
    assert command_of(given, _COMMANDS) == wanted


def test_people_are_found_by_their_ids() -> None:
    assert mentioned("<@U1ANN> <@W2BOB|b> <@C1> @U3") == {"U1ANN", "W2BOB"}


def test_who_is_spoken_to_is_seen() -> None:
    assert names_somebody_else("<@U1ANN> hi", "U0ME")
    assert not names_somebody_else("<@U0ME> hi", "U0ME")
    assert not names_somebody_else("hi <@U1ANN>", "U0ME")
