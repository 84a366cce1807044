"""`include:` brings more agents and bots in, with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.settings.options import GOOD, loaded, problems

PAGE = "bots:\n  {name}: {{platform: local, agent: helper}}\n"


def _include(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def test_included_files_add_bots_and_agents(tmp_path: Path) -> None:
    _include(tmp_path, "bots.d/one.yaml", PAGE.format(name="one"))
    _include(tmp_path, "bots.d/two.yaml", "agents: {own: {script: []}}\n" + PAGE.format(name="two"))

    made = loaded(tmp_path, f"{GOOD}include: bots.d/*.yaml\ndefaults: {{title: T}}\n")

    assert set(made.bots) == {"support", "one", "two"}
    assert set(made.agents) == {"helper", "own"}
    assert made.bots["one"].options.title == "T"
    assert made.where(("bots", "one", "agent")) == f"{tmp_path}/bots.d/one.yaml:2:33"


def test_problem_of_an_included_file_stands_there(tmp_path: Path) -> None:
    _include(tmp_path, "more.yaml", PAGE.format(name="one").replace("helper", "helpr"))

    assert problems(tmp_path, f"{GOOD}include: [more.yaml]\n") == [
        "more.yaml:2:33: bots.one.agent: there is no agent 'helpr'; did you mean 'helper'?"
    ]


def test_name_that_is_taken_names_both_places(tmp_path: Path) -> None:
    _include(tmp_path, "more.yaml", PAGE.format(name="support"))

    assert problems(tmp_path, f"{GOOD}include: more.yaml\n") == [
        "more.yaml:2:3: bots.support: this name is taken at bots.yaml:5:3: choose another"
    ]


def test_included_file_holds_nothing_but_agents_and_bots(tmp_path: Path) -> None:
    _include(tmp_path, "more.yaml", "store: 'memory:'\ninclude: x.yaml\nbots: 5\n")

    assert problems(tmp_path, f"{GOOD}include: more.yaml\n") == [
        "more.yaml:1:1: store: belongs in the main file: an included one holds `agents:` and `bots:` only",
        "more.yaml:2:1: include: belongs in the main file: an included one holds `agents:` and `bots:` only",
        "more.yaml:3:7: bots: should hold keys: write them indented below it",
    ]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("none.yaml", "there is no such file: correct the path"),
        ("'${NONE:-}'", "should be a path or a pattern"),
        ("5", "should be a path or a pattern"),
        ("{a: b}", "should be a path or a pattern"),
        ("[[a]]", "should be a path or a pattern"),
        ("'*.yaml'", "this names the file itself: narrow the pattern"),
        ('"a\\0b"', "should be a path or a pattern"),
    ],
)
def test_include_that_names_nothing_is_told(tmp_path: Path, written: str, told: str) -> None:
    (line,) = problems(tmp_path, f"{GOOD}include: {written}\n")

    assert line.startswith("bots.yaml:9:")
    assert told in line


def test_pattern_may_match_nothing(tmp_path: Path) -> None:
    assert set(loaded(tmp_path, f"{GOOD}include: bots.d/*.yaml\n").bots) == {"support"}


def test_variables_are_filled_in_included_files(tmp_path: Path) -> None:
    _include(tmp_path, "more.yaml", PAGE.format(name="one").replace("}", ", title: '${T}'}"))

    assert loaded(tmp_path, f"{GOOD}include: more.yaml\n", T="x").bots["one"].options.title == "x"


def test_pattern_that_names_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(201):
        _include(tmp_path, f"many/{number}.yaml", "bots: {}\n")

    assert problems(tmp_path, f"{GOOD}include: many/*\n") == [
        "bots.yaml:9:10: include: this names 201 files: narrow the pattern"
    ]
