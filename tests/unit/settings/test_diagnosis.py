"""A mistake is told once, where it is, and with what to do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.settings.options import problems

_HEAD = "version: 1\nbots:\n  support:\n"
_BROKEN = [
    ("    platform: telegram\n   agent: x\n", "5:4", "this line begins at a column where none above it does"),
    ("\tplatform: telegram\n", "4:1", "a tab stands here: indent with spaces"),
    ("    platform:telegram\n    agent: x\n", "4:13", "a space is missing after 'platform:'"),
    ("    platform: telegram\n    agent:x\n", "5:10", "a space is missing after 'agent:'"),
    ("    platform: telegram\n\n    agent:x\n\n    token: y\n", "6:10", "a space is missing after 'agent:'"),
    ("    platform\n    agent: x\n", "4:5", "a ':' is missing after 'platform'"),
    ("    platform: telegram\n      token: x\n", "5:12", "a ':' stands where none can"),
    ("    agent: {kind: x\n", "4:12", "this { is never closed: add the }"),
    ("    allow: [a,\n      b\n", "4:12", "this [ is never closed: add the ]"),
    ("    agent: 'x\n", "4:12", "this quote is never closed: add one where the text ends"),
    ("    agent: 'x' y\n", "4:16", "did not find expected key: check quotes, brackets and indentation"),
]


@pytest.mark.parametrize(("text", "place", "told"), _BROKEN)
def test_what_is_no_yaml_is_told_where_the_mistake_is(
    tmp_path: Path, text: str, place: str, told: str
) -> None:
    (found,) = problems(tmp_path, _HEAD + text)

    assert found.startswith(f"bots.yaml:{place}: this is not YAML: {told}")


def test_keys_beside_their_bot_are_told_once(tmp_path: Path) -> None:
    text = (
        "version: 1\nagents: {a: {directives: true}}\n"
        "bots:\n  support:\n  platform: telegram\n  token: abc\n  access: {dm: open}\n  agent: a\n"
    )

    (found,) = problems(tmp_path, text)
    assert found.startswith("bots.yaml:5:3: bots.platform: stands beside 'support', not in it: indent it")


def test_keys_beside_their_bot_are_still_checked(tmp_path: Path) -> None:
    text = "version: 1\nbots:\n  support:\n  platform: telegram\n  token: abc\n  agent: nobody\n"

    _, second = problems(tmp_path, text)

    assert second.startswith("bots.yaml:6:10: bots.support.agent: there is no agent 'nobody'")


def test_bots_around_a_slide_are_left_alone(tmp_path: Path) -> None:
    bot = "{platform: local, agent: a}"
    text = (
        "version: 1\nagents: {a: {directives: true}}\n"
        f"bots:\n  first: {bot}\n  second:\n  platform: local\n  agent: a\n  third: {bot}\n"
    )

    (found,) = problems(tmp_path, text)

    assert found.startswith("bots.yaml:6:3: bots.platform: stands beside 'second', not in it")


def test_keys_without_a_name_above_are_told_once(tmp_path: Path) -> None:
    agents = "agents:\n  directives: true\n  kind: scripted\n"
    text = f"version: 1\n{agents}bots:\n  platform: local\n  agent: helper\n"

    first, second = problems(tmp_path, text)

    told = "stands where a name belongs: write one above it, such as"
    assert first.startswith(f"bots.yaml:3:3: agents.directives: {told} `helper:`")
    assert second.startswith(f"bots.yaml:6:3: bots.platform: {told} `support:`")


def test_list_of_bots_is_told_once_and_checked(tmp_path: Path) -> None:
    text = "version: 1\nagents: {a: {directives: true}}\nbots:\n  - {platform: local, agent: a, titel: T}\n"

    assert problems(tmp_path, text) == [
        "bots.yaml:4:3: bots: is a list: write a name in place of each -, such as `support:`",
        "bots.yaml:4:33: bots.support0.titel: unknown key; did you mean 'title'?",
    ]


@pytest.mark.parametrize("key", ["token", "agent", "platform"])
def test_variable_that_is_not_set_is_the_only_problem_of_its_place(tmp_path: Path, key: str) -> None:
    """What an empty token, agent or platform would be refused for follows from it."""
    values = {"platform": "telegram", "token": "abc", "agent": "a"} | {key: "${NOWHERE}"}
    lines = "".join(f"    {name}: {value}\n" for name, value in values.items())

    (found,) = problems(tmp_path, f"version: 1\nagents: {{a: {{directives: true}}}}\nbots:\n  s:\n{lines}")

    assert f"bots.s.{key}: the variable NOWHERE is not set: write NOWHERE=... into .env" in found


def test_every_variable_of_one_text_is_told(tmp_path: Path) -> None:
    text = f"{_HEAD}    platform: telegram\n    token: ${{ONE}}:${{TWO}}\n    agent: {{directives: true}}\n"

    assert [line.split("the variable ")[1][:3] for line in problems(tmp_path, text)] == ["ONE", "TWO"]


def test_model_in_an_agents_place_says_how_to_write_it(tmp_path: Path) -> None:
    text = "version: 1\nbots: {s: {platform: local, agent: 'openai-chat:gpt-5-mini'}}\n"

    (found,) = problems(tmp_path, text)

    assert "write agent: {model: openai-chat:gpt-5-mini}" in found
