"""Values come from the environment and from files, after parsing, and never show in a problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.settings.options import GOOD, loaded, problems

PROXY = f"{GOOD}    proxy: "
TOKEN = "987654:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


def _proxy(folder: Path, written: str, **env: str) -> str:
    value = loaded(folder, f"{PROXY}{written}\n", **env).bots["support"].options.proxy
    assert isinstance(value, str)
    return value


@pytest.mark.parametrize(
    ("written", "filled"),
    [
        ("${NAME}", "value"),
        ("a${NAME}b${NAME}", "avaluebvalue"),
        ("'${NAME}'", "value"),
        ("${NAME:-other}", "value"),
        ("${NONE:-other}", "other"),
        ("${NONE:-}", ""),
        ("${EMPTY}", ""),
        ("${EMPTY:-other}", "other"),
        ("${NONE:-a:-b}", "a:-b"),
        ("$$", "$"),
        ("$${NAME}", "${NAME}"),
        ("$NAME", "$NAME"),
        ("100$", "100$"),
    ],
)
def test_reference_is_filled(tmp_path: Path, written: str, filled: str) -> None:
    assert _proxy(tmp_path, written, NAME="value", EMPTY="") == filled


def test_what_is_filled_in_is_never_read_as_yaml(tmp_path: Path) -> None:
    """Neither structure nor another reference comes out of a variable."""
    hostile = "x\n    platform: local # ${OTHER} &a *a"

    assert _proxy(tmp_path, "${NAME}", NAME=hostile) == hostile


def test_numbers_and_switches_may_come_from_the_environment(tmp_path: Path) -> None:
    text = f"{GOOD}    pages: ${{PAGES}}\n    never_silent: ${{LOUD}}\n"

    made = loaded(tmp_path, text, PAGES="7", LOUD="false").bots["support"]

    assert (made.options.pages, made.never_silent) == (7, False)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("${NONE}", "the variable NONE is not set: write NONE=... into .env beside the file, or set it"),
        ("${}", "what stands in ${…} is no name"),
        ("${a b}", "what stands in ${…} is no name"),
        ("${NAME", "this ${ has no }"),
        ("${file:nothing}", "the file 'nothing' cannot be read: No such file or directory"),
        ("${file:}", "the file '' cannot be read: Is a directory"),
        ('"${file:a\\0b}"', "cannot be read: it is no path"),
        ("${file:big}", "is larger than 65536 bytes"),
        ("${file:odd}", "is not UTF-8 text"),
    ],
)
def test_reference_that_cannot_be_filled_is_told_with_its_place(
    tmp_path: Path, written: str, told: str
) -> None:
    (tmp_path / "big").write_bytes(b"x" * 70_000)
    (tmp_path / "odd").write_bytes(b"\xff")

    (line,) = problems(tmp_path, f"{PROXY}{written}\n")

    assert line.startswith("bots.yaml:9:12: bots.support.proxy: ")
    assert told in line


def test_file_reference_starts_at_the_configurations_folder(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret\n", "utf-8")

    assert _proxy(tmp_path, "${file:secret}") == "s3cret"
    assert _proxy(tmp_path, f"'${{file:{tmp_path}/secret}}'") == "s3cret"


def test_dotenv_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "# a comment\n\nexport A=1\nB = 'two words' \nC=three # not this\nD=\"\"\nE=a#b\n", "utf-8"
    )

    assert _proxy(tmp_path, "${A}-${B}-${C}-${D}-${E}", A="9") == "9-two words-three--a#b"


def test_line_of_dotenv_that_means_nothing_is_told_without_its_text(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nhunter2\n", "utf-8")

    told = problems(tmp_path, GOOD)

    assert told == [".env:2:1: this line is not KEY=VALUE: correct or remove it"]


def test_dotenv_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xff")

    assert problems(tmp_path, GOOD) == [".env: cannot be read as UTF-8 text: save it as such, or remove it"]


@pytest.mark.parametrize(
    "written",
    [
        "{platform: telegram, token: t, agent: '${SECRET}'}",
        "{platform: '${SECRET}', token: t, agent: helper}",
        "{platform: telegram, token: t, agent: helper, pages: '${SECRET}'}",
        "{platform: telegram, token: t, agent: helper, receive: '${SECRET}'}",
        "{platform: telegram, token: t, agent: helper, language: '${SECRET}'}",
        "{platform: telegram, token: ['${SECRET}'], agent: helper}",
        "{platform: telegram, token: t, agent: helper, access: {admins: {a: '${SECRET}'}}}",
        "{platform: telegram, token: t, agent: {model: '${SECRET}'}}",
        "{platform: telegram, token: t, agent: {directives: true, kind: '${SECRET}'}}",
        "{platform: telegram, token: t, agent: {directives: true, timeout: '${SECRET}'}}",
    ],
)
def test_value_that_was_filled_in_never_shows_in_a_problem(tmp_path: Path, written: str) -> None:
    told = problems(tmp_path, f"{GOOD}  bad: {written}\n", SECRET="correct-horse")

    assert told
    assert "correct-horse" not in "\n".join(told)


@pytest.mark.parametrize(
    "line",
    [
        f"    {TOKEN}: x",
        f"    language: {TOKEN}",
        f"    agent: '{TOKEN}'",
        f"    notes: {TOKEN}",
        f"store: {TOKEN}",
        f"include: {TOKEN}",
    ],
)
def test_token_written_in_the_wrong_place_never_shows_in_a_problem(tmp_path: Path, line: str) -> None:
    text = GOOD.replace("    agent: helper\n", "") if "agent" in line else GOOD

    assert TOKEN not in "\n".join(problems(tmp_path, f"{text}{line}\n"))
