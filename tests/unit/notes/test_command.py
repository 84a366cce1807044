"""`lastword notes` shows what people read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli.notes import command
from gateway.notes import SHIPPED
from gateway.notes.shipped import load

_FILE = """
version: 1
store: "memory:"
agents: {echo: {target: "tests.unit.notes.test_command:echo"}}
bots:
  site:
    platform: local
    agent: echo
    notes: {texts: {de: {busy: {what: "Gerade ist viel los"}}, sv: {busy: {what: "Kö", do: "skriv igen."}}}}
  other:
    platform: local
    agent: echo
    notes: {texts: {de: {busy: {do: "später."}}}}
"""


async def echo(text: str) -> str:
    """The agent that the configuration names."""
    return text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "bots.yaml"
    path.write_text(_FILE, "utf-8")
    return path


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(one) for one in arguments])


def test_without_a_language_it_lists_all_and_how_complete_they_are() -> None:
    result = _run()
    lines = result.output.splitlines()
    count = len(load("en")["groups"]) + len(load("en")["lines"])

    assert result.exit_code == 0
    assert [line.split()[0] for line in lines[1:]] == list(SHIPPED)
    assert all(f" {count}/{count} " in line for line in lines[1:])


@pytest.mark.parametrize("language", SHIPPED)
def test_preview_holds_every_text_filled_in(language: str) -> None:
    result = _run(language)
    shown = {line.split("  ")[0] for line in result.output.splitlines()}
    data = load(language)

    assert result.exit_code == 0
    assert {*data["groups"], *data["lines"]} <= shown
    assert "{" not in result.output
    assert all(label in result.output for label in data["labels"].values())
    assert {f"menu /{name:<20} {does}" for name, does in data["menu"].items()} <= {
        *result.output.splitlines()
    }


def test_language_may_be_named() -> None:
    assert _run("Deutsch").output == _run("de").output


def test_unknown_language_is_an_error_that_lists_the_known() -> None:
    result = _run("klingon")

    assert result.exit_code == 2
    assert "'klingon' is not spoken; these are: ar, " in result.output


def test_texts_of_a_file_are_shown_in_place_of_ours(file: Path) -> None:
    result = _run("de", "--config", file, "--bot", "site")

    assert "⏳ Gerade ist viel los – bitte in einer Minute noch einmal senden." in result.output


def test_texts_of_all_bots_are_counted(file: Path) -> None:
    rows = {line.split()[0]: line for line in _run("--config", file).output.splitlines()}
    count = len(load("en")["groups"]) + len(load("en")["lines"])

    assert "(not shipped)" in rows["sv"]
    assert rows["sv"].split()[3:5] == [f"0/{count}", "1"]
    assert rows["de"].split()[3] == "1"


def test_language_of_a_file_alone_can_be_previewed(file: Path) -> None:
    assert "⏳ Kö — skriv igen." in _run("sv", "--config", file).output


def test_unknown_bot_is_an_error(file: Path) -> None:
    result = _run("de", "--config", file, "--bot", "nobody")

    assert result.exit_code == 1
    assert "no bot is named 'nobody'" in result.output


def test_file_that_does_not_validate_is_an_error(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("bots: 5\n", "utf-8")

    assert _run("de", "--config", bad).exit_code == 1


def test_command_loads_nothing_heavy_before_it_runs() -> None:
    code = "import sys, gateway.cli.notes; print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    heavy = ("gateway.notes", "langcodes", "pydantic", "structlog", "prometheus_client")
    assert [name for name in loaded.stdout.split() if name.startswith(heavy)] == []
