"""YAML is read by the core of 1.2, with positions, and nothing surprising in it."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
import yaml

from gateway.settings import document
from gateway.settings.problems import Problems
from gateway.settings.tree import plain
from tests.unit.settings.options import GOOD, loaded, problems


@pytest.fixture(params=["C", "pure"], autouse=True)
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs with libyaml's parser and with the one in Python."""
    if request.param == "pure":
        monkeypatch.setattr(document, "_LOADER", yaml.SafeLoader)


def _data(folder: Path, text: str) -> object:
    (folder / "x.yaml").write_text(text, "utf-8")
    found = Problems()
    tree = document.read(folder / "x.yaml", shown="x.yaml", problems=found)
    assert found.lines() == []
    return plain(tree)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2026-12-01", "2026-12-01"),
        ("0123", "0123"),
        ("+49123", "+49123"),
        ("-100123", -100123),
        ("9" * 30, int("9" * 30)),
        ("9" * 5000, "9" * 5000),
        ("0o17", 15),
        ("0xff", 255),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("!!int '5'", 5),
        ("! 5", "5"),
        ("1.2.3", "1.2.3"),
    ],
)
def test_scalar_means_what_it_looks_like(tmp_path: Path, written: str, meant: object) -> None:
    assert _data(tmp_path, f"a: {written}\n") == {"a": meant}


def test_keys_are_texts_whatever_they_look_like(tmp_path: Path) -> None:
    """`no:` is Norwegian, and 4711 is somebody."""
    assert _data(tmp_path, "no: 1\n4711: 2\ntrue: 3\n") == {"no": 1, "4711": 2, "true": 3}


def test_alias_stands_for_its_anchor(tmp_path: Path) -> None:
    assert _data(tmp_path, "a: &x [1, 2]\nb: *x\n") == {"a": [1, 2], "b": [1, 2]}


def test_duplicate_key_names_both_lines(tmp_path: Path) -> None:
    told = problems(tmp_path, f"{GOOD}version: 1\n")

    assert told == ["bots.yaml:9:1: version: this key stands at line 1 already: keep one of them"]


@pytest.mark.parametrize(
    "tag",
    [
        "!thing x",
        "!!python/object/apply:os.system [ls]",
        "!!binary aGk=",
        "!!set {a, b}",
        "!!timestamp 2026-01-01",
    ],
)
def test_tag_outside_the_core_is_refused(tmp_path: Path, tag: str) -> None:
    told = problems(tmp_path, f"{GOOD}public_url: {tag}\n")

    assert told[0].startswith("bots.yaml:9:13: public_url: the tag !")


def test_merge_key_is_refused_with_a_hint(tmp_path: Path) -> None:
    told = problems(tmp_path, f"{GOOD}    <<: {{proxy: x}}\n")

    assert told == [
        "bots.yaml:9:5: bots.support: merge keys (<<) are not read: use `defaults:`, or write it out"
    ]


def test_key_that_is_no_text_is_refused(tmp_path: Path) -> None:
    assert "bots.yaml:9:3: a key must be plain text: write a word before the ':'" in problems(
        tmp_path, f"{GOOD}? [a, b]\n: 1\n"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: *nope\n", "1:4: a: nothing before this is called &nope"),
        ("a: &x [*x]\n", "1:8: a.0: nothing before this is called &x"),
        ("a:\n\tb: 1\n", "2:1: this is not YAML: a tab stands here: indent with spaces"),
        ("a: b: c\n", "1:5: this is not YAML: a ':' stands where none can"),
        ("a: [1\nb: 2\n", ": this is not YAML: "),
        ("a: 'x\n", ": this is not YAML: "),
        ("a: 1\n---\nb: 2\n", "2:1: a second document begins here: remove the ---"),
        ("", "1:1: the file is empty: add `bots:`"),
        ("# nothing\n", "1:1: the file is empty: add `bots:`"),
        ("- a\n", "1:1: the file must hold keys such as `agents:` and `bots:`"),
        ("a: x\x07y\n", "1:5: the invisible character U+0007 stands here: remove it"),
    ],
)
def test_broken_yaml_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    assert any(told in line for line in problems(tmp_path, text))


@pytest.mark.parametrize(
    "bomb",
    [
        "a: " + "[" * 3000,
        "a:\n " + "- " * 60_000,
        "a: " + "{a: " * 500,
        "a: " + "&a " * 5 + "x",
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)),
        "a: [" + "x, " * 25_000 + "]",
        "a: &a [&b [*a, *b], *a]",
        "a: |\n" + "  x\n" * 100_000,
    ],
)
def test_bomb_is_refused_in_one_line(tmp_path: Path, bomb: str) -> None:
    assert all(len(line) < 300 for line in problems(tmp_path, bomb))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encoding_with_a_mark_is_read(tmp_path: Path, encoding: str) -> None:
    raw = f"{GOOD}    proxy: 'grüße \U0001f600'\n".encode(encoding)

    assert loaded(tmp_path, raw).bots["support"].options.proxy == "grüße \U0001f600"


@pytest.mark.parametrize(
    "raw",
    [
        b"version: 1\nstore: caf\xe9\n",
        codecs.BOM_UTF16_LE + b"v\x00x",
        "version: 1".encode("utf-16-le"),
        b"\x00\x01\x02",
        b"\xff\xfe\x00\xd8",
    ],
)
def test_bytes_that_are_no_text_are_refused(tmp_path: Path, raw: bytes) -> None:
    assert len(problems(tmp_path, raw)) == 1


def test_byte_that_is_no_text_is_told_with_its_place(tmp_path: Path) -> None:
    told = problems(tmp_path, b"version: 1\nstore: caf\xe9\n")

    assert told == ["bots.yaml:2:11: this is not UTF-8: save the file as UTF-8"]


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    assert len(problems(tmp_path, f'{GOOD}public_url: "\\ud800"\n')) >= 1


def test_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "bots.yaml").mkdir()

    with pytest.raises(Exception, match="is not a file: name another"):
        document.read(tmp_path / "bots.yaml", shown="bots.yaml", problems=Problems())
