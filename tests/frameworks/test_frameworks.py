"""Agents of real frameworks behind the gateway: each ending is told as it was, or it is listed why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.emulators.providers.answers import SECRET
from tests.frameworks.cells import ENDINGS, FRAMEWORKS, Framework, Mode
from tests.frameworks.environments import NoEnvironmentError, python_of
from tests.frameworks.running import NUMBER, Outcome, meet

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("frameworks")]

_TRIED = [(name, mode) for name, framework in FRAMEWORKS.items() for mode in framework.modes]


def _python(framework: Framework) -> Path:
    try:
        return python_of(framework.environment)
    except NoEnvironmentError as exc:
        if os.environ.get("LASTWORD_REQUIRE") == "all":
            raise
        pytest.skip(f"there is no environment for {framework.title}: {exc}")


@pytest.mark.parametrize(("name", "mode"), _TRIED, ids=[f"{name}-{mode}" for name, mode in _TRIED])
async def test_framework_lets_through_what_the_table_says(name: str, mode: Mode, tmp_path: Path) -> None:
    """A cell that went dark fails, and so does one that is listed as dark and has come to light."""
    framework = FRAMEWORKS[name]

    met = await meet(framework, mode, python=_python(framework), home=tmp_path)

    wrong = [_wrong(framework, mode, ending, outcome) for ending, outcome in met.endings.items()]
    assert [one for one in wrong if one] == []
    assert NUMBER in met.recalled


def _wrong(framework: Framework, mode: Mode, name: str, outcome: Outcome) -> str:
    """What is wrong with one cell; empty for nothing."""
    right = ENDINGS[name].right(mode)
    seen = outcome.reason == right.reason and right.text in outcome.text and outcome.wait == right.wait
    blind = framework.blindness(name, mode)
    if SECRET in outcome.text:
        return f"{name}: what the provider says to operators is shown to people: {outcome}"
    if blind is None:
        return "" if seen else f"{name}: {right.reason} was wanted, with {right.text!r}; {outcome} came out"
    if seen:
        return f"{name}: can be seen now; take it off the list, and run `python -m tests.frameworks`"
    return "" if outcome.reason == blind.told else f"{name}: {blind.told} was listed; {outcome} came out"
