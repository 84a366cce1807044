"""Import what a configuration names, or say why that is not possible."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from gateway.errors import AgentError
from gateway_agents._loading import load
from gateway_agents.python.options import Options


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """A folder of an operator's own modules; what is imported from it is forgotten afterwards."""
    modules, path = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def _write(base: Path, name: str, text: str) -> None:
    path = base / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_load_finds_a_module_beside_the_configuration(base: Path) -> None:
    _write(base, "parrot_bot.py", "import parrot_words\nagent = parrot_words.say")
    _write(base, "parrot_words.py", "def say(text):\n    return text")

    found = load("parrot_bot:agent", name="mine", base=base)

    assert callable(found)
    assert found("hello") == "hello"


def test_load_finds_an_attribute_of_an_attribute(base: Path) -> None:
    _write(base, "nested_bot/__init__.py", "")
    _write(base, "nested_bot/inner.py", "class Home:\n    agent = 'it'")

    assert load("nested_bot.inner:Home.agent", name="mine", base=base) == "it"


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("parot_bot:agent", r"no module 'parot_bot'.*did you mean 'parrot_bot'"),
        ("parrot_bot:agnet", r"'parrot_bot' has no 'agnet'; did you mean 'agent'"),
        ("parrot_bot:agent.chat", "a str has no 'chat'"),
        ("parrot_bot.deeper:agent", r"no module 'parrot_bot.deeper'"),
        ("needy_bot:agent", r"'needy_bot' imports 'library_nobody_has', which is not installed"),
        ("broken_bot:agent", r"importing 'broken_bot' raised ZeroDivisionError"),
        ("leaving_bot:agent", r"importing 'leaving_bot' raised SystemExit"),
    ],
)
def test_load_says_what_is_wrong_and_what_is_near(base: Path, reference: str, said: str) -> None:
    _write(base, "parrot_bot.py", "agent = 'it'")
    _write(base, "needy_bot.py", "import library_nobody_has")
    _write(base, "broken_bot.py", "agent = 1 / 0")
    _write(base, "leaving_bot.py", "raise SystemExit(3)")

    with pytest.raises(AgentError, match=said) as caught:
        load(reference, name="mine", base=base)

    assert f"agent 'mine': {reference!r}" in str(caught.value)


def test_load_refuses_a_module_that_an_installed_one_hides(base: Path) -> None:
    """The operator's own `json.py` would silently never be used."""
    _write(base, "json.py", "agent = 'it'")

    with pytest.raises(AgentError, match=r"the name 'json' is taken by .*rename it"):
        load("json:agent", name="mine", base=base)


def test_load_lets_an_installed_package_win_over_a_folder_of_its_name(base: Path) -> None:
    """A folder `agents` beside the configuration must not hide the package that a framework installs."""
    _write(base, "site/agents_of_a_framework/__init__.py", "Runner = 'the real one'")
    _write(base, "agents_of_a_framework/__init__.py", "")
    _write(base, "using_bot.py", "from agents_of_a_framework import Runner as agent")
    sys.path.append(str(base / "site"))

    assert load("using_bot:agent", name="mine", base=base) == "the real one"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"target": "a:b", "factory": "a:c"},
        {"target": "a"},
        {"target": "a:"},
        {"target": "a b:c"},
        {"target": "./bot.py:agent"},
        {"target": "a:b", "threads": 0},
        {"targets": "a:b"},
    ],
)
def test_options_refuse_what_cannot_work(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Options.model_validate(options)
