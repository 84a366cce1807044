"""Ten mistakes operators make: each is told once, with its place, its path, what it is and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gateway.cli.check import command
from gateway.errors import ConfigError
from gateway.observability import redaction

_GOOD = """\
version: 1
agents:
  helper:
    kind: scripted
bots:
  support:
    platform: telegram
    token: "123456789:ABC-DEF"
    agent: helper
"""


@pytest.fixture(autouse=True)
def _no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that another test registered would mask the one that the texts give as an example."""
    monkeypatch.setattr(redaction, "_registered", set[str]())
    monkeypatch.setattr(redaction, "_exact", None)


def _problems(folder: Path, text: str) -> list[str]:
    file = folder / "bots.yaml"
    file.write_text(text, "utf-8")
    found = CliRunner().invoke(command, [str(file)])
    assert isinstance(found.exception, ConfigError), found.output
    return [line.replace(f"{folder}/", "") for line in found.exception.problems]


_MISTAKES = {
    "variable that is not set": (
        '"123456789:ABC-DEF"',
        "${NOWHERE_TOKEN}",
        "bots.yaml:8:12: bots.support.token: ",
        "the variable NOWHERE_TOKEN is not set",
        (
            ": write NOWHERE_TOKEN=... into .env beside the file, or set it in the environment;"
            " where it may be empty, write ${NOWHERE_TOKEN:-}"
        ),
    ),
    "line at no column": (
        "    agent: helper",
        "   agent: helper",
        "bots.yaml:9:4: this is not YAML: ",
        "this line begins at a column where none above it does",
        ": align it with its neighbours",
    ),
    "bot that is not indented": (
        '    platform: telegram\n    token: "123456789:ABC-DEF"\n    agent',
        "  platform: local\n  agent",
        "bots.yaml:7:3: bots.platform: ",
        "stands beside 'support', not in it",
        ": indent it further, and the lines that belong to it",
    ),
    "tab": (
        "    platform",
        "\tplatform",
        "bots.yaml:7:1: this is not YAML: ",
        "a tab stands here",
        ": indent with spaces",
    ),
    "unknown key": (
        "    agent: helper",
        "    agent: helper\n    langauge: de",
        "bots.yaml:10:5: bots.support.langauge: ",
        "unknown key",
        "; did you mean 'language'?",
    ),
    "bot twice": (
        "    agent: helper",
        "    agent: helper\n  support: {platform: local, agent: helper}",
        "bots.yaml:10:3: bots.support: ",
        "this key stands at line 6 already",
        ": keep one of them",
    ),
    "agent without a model": (
        "kind: scripted",
        "instructions: Help.",
        "bots.yaml:4:5: agents.helper: ",
        "nothing says what runs it",
        ": add model:, target: or factory:, or say kind:",
    ),
    "model without a provider": (
        "kind: scripted",
        "model: gpt-5-mini",
        "bots.yaml:4:12: agents.helper.model: ",
        "'gpt-5-mini' names no provider",
        "; write for example 'openai-chat:gpt-5-mini'",
    ),
    "duration without a unit": (
        "kind: scripted",
        "kind: scripted\n    timeout: 90",
        "bots.yaml:5:14: agents.helper.timeout: ",
        "has no unit",
        ": write it like 90s, 15m, 24h or 7d",
    ),
    "platform that does not exist": (
        "platform: telegram",
        "platform: telegramm",
        "bots.yaml:7:15: bots.support.platform: ",
        "there is no adapter 'telegramm'",
        "; did you mean 'telegram'?",
    ),
    "language in words": (
        "    agent: helper",
        "    agent: helper\n    language: german",
        "bots.yaml:10:15: bots.support.language: ",
        "is no language tag",
        ": write one like de or pt-BR",
    ),
    "included file that is not there": (
        "version: 1",
        "version: 1\ninclude: bots.d/more.yaml",
        "bots.yaml:2:10: include: ",
        "there is no such file",
        ": correct the path",
    ),
    "included file that is broken": (
        "version: 1",
        "version: 1\ninclude: broken.yaml",
        "broken.yaml:2:6: this is not YAML: ",
        "this { is never closed",
        ": add the }",
    ),
    "token that is cut": (
        '"123456789:ABC-DEF"',
        "ABC-DEF",
        "bots.yaml:8:12: bots.support.token: ",
        "is no bot token",
        "; BotFather gives one like 123456789:ABC-DEF, keep all of it",
    ),
    "agent that does not exist": (
        "    agent: helper",
        "    agent: helpr",
        "bots.yaml:9:12: bots.support.agent: ",
        "there is no agent 'helpr'",
        "; did you mean 'helper'?",
    ),
}


@pytest.mark.parametrize("mistake", list(_MISTAKES))
def test_mistake_is_told_once_with_what_to_do(tmp_path: Path, mistake: str) -> None:
    right, wrong, where, what, do = _MISTAKES[mistake]
    (tmp_path / "broken.yaml").write_text("bots:\n  x: {platform: local\n", "utf-8")
    assert right in _GOOD

    assert _problems(tmp_path, _GOOD.replace(right, wrong)) == [where + what + do]


def test_mistakes_of_one_file_are_told_together(tmp_path: Path) -> None:
    text = _GOOD.replace("agent: helper", "agent: helpr\n    langauge: de").replace(
        "kind: scripted", "kind: x"
    )

    assert [line.split(": ")[0] for line in _problems(tmp_path, text)] == [
        "bots.yaml:4:11",
        "bots.yaml:9:12",
        "bots.yaml:10:5",
    ]
