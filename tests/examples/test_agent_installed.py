"""The runtime that agents/README.md shows, installed as it stands there and found by its entry point."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.process import ROOT

pytestmark = pytest.mark.kill

CONFIG = """
version: 1
agents: {polly: {kind: parrot, words: 2}}
bots: {site: {platform: local, agent: polly}}
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """What an installer makes of the package: its modules, and beside them what it is called."""
    told = (ROOT / "agents" / "README.md").read_text("utf-8")
    files = dict(re.findall(r"```(?:python|toml)\n# ([\w./]+)[^\n]*\n(.*?)```", told, re.DOTALL))
    points = files.pop("pyproject.toml").replace('project.entry-points."gateway.agents"', "gateway.agents")
    files |= {
        "lastword_parrot/__init__.py": "",
        "lastword_parrot-1.0.dist-info/METADATA": "Name: lastword-parrot\nVersion: 1.0\n",
        "lastword_parrot-1.0.dist-info/entry_points.txt": points.replace('"', ""),
        "bots.yaml": CONFIG,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def _lastword(home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    parts = (*(ROOT / part for part in ("", "adapters", "agents")), home)
    return subprocess.run(
        [sys.executable, "-m", "gateway", *command],
        cwd=home,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, parts))},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_runtime_is_asked_by_its_kind(home: Path) -> None:
    asked = _lastword(home, "ask", "--config", "bots.yaml", "--agent", "polly", "hello you")
    cut = _lastword(home, "ask", "--config", "bots.yaml", "one two three")

    assert (asked.returncode, asked.stdout.strip()) == (0, "hello you")
    assert (cut.returncode, cut.stdout.strip()) == (3, "one two")
    assert "step limit" in cut.stderr


def test_check_builds_it_and_judges_its_options(home: Path) -> None:
    probed = _lastword(home, "check", "--probe")
    (home / "bots.yaml").write_text(CONFIG.replace("words: 2", "words: 0"), "utf-8")
    wrong = _lastword(home, "check")

    assert (probed.returncode, "parrot, can be built" in probed.stdout) == (0, True)
    assert (wrong.returncode, "agents.polly.words" in wrong.stderr) == (78, True)


def test_schema_describes_it(home: Path) -> None:
    assert "Words it says in one turn." in _lastword(home, "schema").stdout


def test_trying_it_finds_nothing_wrong(home: Path) -> None:
    tried = _lastword(home, "test", "--config", "bots.yaml", "--agent", "polly")

    assert tried.returncode == 0, tried.stdout
