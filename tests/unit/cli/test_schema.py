"""The schema that is kept, the examples that are shipped, and the loader agree."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gateway import plugins
from gateway.cli.schema import command, text
from gateway.errors import ConfigError
from gateway.notes import validate_overrides
from gateway.settings import load

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "config" / "examples").glob("*.yaml"))
KEPT = ROOT / "config" / "bots.schema.json"
ENV = {
    "TELEGRAM_TOKEN": "123456789:ABC-DEF",
    "OPENAI_API_KEY": "key-for-a-test",
    "SLACK_BOT_TOKEN": "xoxb-1-2-abc",
    "SLACK_APP_TOKEN": "xapp-1-2-abc",
    "DISCORD_TOKEN": "MTIz.abc.def",
}


def test_kept_schema_is_current() -> None:
    """Renew it: `python -c "from gateway.cli.schema import text; print(text(shipped_only=True), end='')"`."""
    assert KEPT.read_text("utf-8") == text(shipped_only=True)


def test_kept_schema_is_one() -> None:
    Draft202012Validator.check_schema(json.loads(KEPT.read_text("utf-8")))


def test_command_prints_a_schema_of_everything_installed() -> None:
    found = CliRunner().invoke(command)

    assert found.exit_code == 0
    assert {f"bot.{kind}" for kind in plugins.kinds("adapter")} <= set(json.loads(found.stdout)["$defs"])


def test_there_are_examples() -> None:
    assert {path.stem for path in EXAMPLES} == {
        "docker",
        "echo",
        "everywhere",
        "groups",
        "python_agent",
        "telegram",
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_taken_by_the_loader(path: Path) -> None:
    made = load(path, options=plugins.options_of, env=ENV)

    assert all(bot.surface_completion_reason for bot in made.bots.values())
    assert [validate_overrides(bot.notes.texts) for bot in made.bots.values()] == [[]] * len(made.bots)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_fits_the_schema_that_its_first_line_names(path: Path) -> None:
    content = path.read_text("utf-8")
    first = content.partition("\n")[0]
    named = path.parent / first.removeprefix("# yaml-language-server: $schema=")

    found = Draft202012Validator(json.loads(named.read_text("utf-8"))).iter_errors(yaml.safe_load(content))  # pyright: ignore[reportUnknownMemberType]  # its stub

    assert [error.message for error in found] == []


def test_demos_own_configuration_is_taken_by_the_loader() -> None:
    made = load(ROOT / "gateway" / "demo" / "demo.yaml", options=plugins.options_of, env={})

    assert made.bots


_TEXTS = [path.read_text("utf-8") for path in EXAMPLES]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    content=st.sampled_from(_TEXTS),
    at=st.floats(0, 1),
    cut=st.integers(0, 12),
    put=st.text(alphabet="{}[]:,#&*!|>'\"%-?\n $abtrue019~<=é\0", max_size=6),
)
def test_slip_of_the_hand_in_an_example_is_taken_or_refused_properly(
    tmp_path: Path, content: str, at: float, cut: int, put: str
) -> None:
    """With the options that ship."""
    place = int(at * len(content))
    (tmp_path / "bots.yaml").write_text(content[:place] + put + content[place + cut :], "utf-8")

    with suppress(ConfigError):
        load(tmp_path / "bots.yaml", options=plugins.options_of, env=ENV)
