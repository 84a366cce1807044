"""Agents of real frameworks behind the gateway: each ending is told as it was, or it is listed why not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.frameworks.cells import FRAMEWORKS, Framework, Mode
from tests.frameworks.environments import NoEnvironmentError, python_of
from tests.frameworks.running import NUMBER, judge, meet, trial

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

    wrong = [judge(framework, mode, ending, outcome) for ending, outcome in met.endings.items()]
    assert [one for one in wrong if one] == []
    assert NUMBER in met.recalled


@pytest.mark.parametrize("name", FRAMEWORKS)
async def test_framework_passes_the_trial_of_agents(name: str, tmp_path: Path) -> None:
    """Kept apart, stopped, late, failing: as `lastword test` tells it, with no pytest beside it."""
    framework = FRAMEWORKS[name]

    checks = await trial(framework, python=_python(framework), home=tmp_path)

    unknown = {check for check, verdict in checks.items() if verdict == "n/a"}
    assert set(checks.values()) <= {"pass", "n/a"}
    assert unknown <= {"actions", "memory", "streaming"}
