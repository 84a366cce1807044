"""What the page's own files say, held together with the script that answers."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import pytest
import yaml

_DEMO = resources.files("gateway.demo")


def _file(name: str) -> str:
    return _DEMO.joinpath("static", name).read_text("utf-8")


def _block(name: str) -> str:
    """The lines of one top-level constant of the words."""
    found = re.search(rf"const {name} = \{{(.*?)\n?\}};", _file("words.js"), re.DOTALL)
    assert found is not None
    return found[1]


def _pairs(text: str) -> dict[str, str]:
    """Every `key: "value"` there is."""
    return {
        (quoted or plain): value
        for quoted, plain, value in re.findall(r'(?:"([\w-]+)"|\b(\w+)): "([^"]*)"', text)
    }


def _words() -> dict[str, dict[str, str]]:
    parts = re.split(r"\n  (\w+): \{\n", _block("WORDS"))
    return {tag: _pairs(text) for tag, text in zip(parts[1::2], parts[2::2], strict=True)}


def _script() -> list[dict[str, Any]]:
    made: dict[str, Any] = yaml.safe_load(_DEMO.joinpath("demo.yaml").read_text("utf-8"))
    lines: list[dict[str, Any]] = made["agents"]["storyteller"]["script"]
    return lines


def test_every_language_offered_has_words() -> None:
    assert list(_words()) == list(_pairs(_block("LANGUAGES")))


@pytest.mark.parametrize("tag", ["de", "ar", "ja"])
def test_language_says_all_that_english_does(tag: str) -> None:
    words = _words()

    assert words[tag].keys() == words["en"].keys()
    for key, english in words["en"].items():
        assert words[tag][key].strip()
        assert sorted(re.findall(r"\{\w+\}", words[tag][key])) == sorted(re.findall(r"\{\w+\}", english)), key


def test_each_chip_speaks_to_a_line_of_its_own() -> None:
    lines = _script()

    met = [
        [line["when"] for line in lines if line["when"] in phrase.lower()]
        for phrase in _pairs(_block("FAULTS")).values()
    ]

    assert all(len(found) == 1 for found in met)
    assert sorted(found[0] for found in met) == sorted(line["when"] for line in lines)


def test_each_fault_has_a_label() -> None:
    assert _pairs(_block("FAULTS")).keys() - {"story"} <= _words()["en"].keys()


def test_page_has_neither_inline_script_nor_inline_style() -> None:
    page = _file("index.html")

    assert re.findall(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page) == []
    assert re.findall(r"https?://", page) == []


def test_every_id_the_script_asks_for_is_on_the_page() -> None:
    script = _file("demo.js")
    asked = set(re.findall(r'\$\("([\w-]+)"\)', script))
    listed = re.search(r"const TEXTS = \[(.*?)\]", script, re.DOTALL)
    assert listed is not None
    asked |= set(re.findall(r'"([\w-]+)"', listed[1]))

    assert asked <= set(re.findall(r'id="([\w-]+)"', _file("index.html")))
