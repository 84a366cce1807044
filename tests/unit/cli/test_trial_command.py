"""`lastword test`: a line for each check, an exit code, and nothing but JSON where that is asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_ENV = os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))}
_BOT = """
import time
def echo(text):
    print("I was asked", text)
    if text == "fail":
        raise ValueError("broken pipe in the cellar")
    return text
async def forever(text):
    while True:
        time.sleep(0.1)
"""
_CONFIG = """
version: 1
agents:
  other: {kind: scripted, default: "Good day."}
  teller: {kind: scripted, directives: true, pace: 0.0}
bots:
  site: {platform: local, agent: teller}
"""


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "my_bot.py").write_text(_BOT)
    (folder / "bots.yaml").write_text(_CONFIG)
    return subprocess.run(
        [sys.executable, "-m", "gateway", "test", *arguments],
        cwd=folder, env=_ENV, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_command_tells_each_check_in_a_line_and_sums_up(tmp_path: Path) -> None:
    done = _run(tmp_path, "my_bot:echo", "--failing", "fail")

    assert (done.returncode, done.stderr) == (0, "")
    first, *_, last = [line for line in done.stdout.splitlines() if "I was asked" not in line]
    assert first == "pass  loads       it is there, and there is a way to ask it"
    assert last == "8 passed, 0 failed, 6 not applicable."
    assert "cellar" not in done.stdout


def test_command_shows_where_an_error_was_raised_when_it_is_asked(tmp_path: Path) -> None:
    done = _run(tmp_path, "my_bot:echo", "--failing", "fail", "--verbose")

    assert done.returncode == 0
    assert "ValueError: broken pipe in the cellar" in done.stderr


def test_command_says_what_it_cannot_load(tmp_path: Path) -> None:
    done = _run(tmp_path, "my_bot:ecko", "--output", "json")

    assert (done.returncode, done.stderr) == (1, "")
    facts = json.loads(done.stdout)
    assert facts["ok"] is False
    (loads,) = facts["checks"]
    assert (loads["check"], loads["verdict"], loads["advice"]) == ("loads", "fail", None)
    assert "did you mean 'echo'" in loads["told"]


def test_what_an_agent_prints_stays_out_of_the_json(tmp_path: Path) -> None:
    done = _run(tmp_path, "my_bot:echo", "--output", "json")

    assert json.loads(done.stdout)["ok"] is True
    assert "I was asked Hello" in done.stderr


def test_command_tries_an_agent_of_a_configuration(tmp_path: Path) -> None:
    done = _run(tmp_path, "--config", "bots.yaml", "--agent", "teller", "--slow", "!hang", "--output", "json")

    facts = json.loads(done.stdout)
    assert (done.returncode, facts["ok"]) == (0, True)
    assert {one["check"]: one["verdict"] for one in facts["checks"]}["stop"] == "pass"


def test_command_ends_an_agent_that_never_lets_go(tmp_path: Path) -> None:
    done = _run(tmp_path, "my_bot:forever", "--patience", "0.5")

    assert done.returncode == 1
    assert done.stderr.startswith("fail  shares")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ((), 2, "name a TARGET such as my_bot:agent"),
        (("my_bot:echo", "--agent", "teller"), 2, "name a TARGET such as my_bot:agent"),
        (("nonsense",), 2, "'nonsense' is not of the form module:name"),
        (("--agent", "nobody"), 78, "there are: other, teller"),
    ],
)
def test_wrong_usage_says_what_is_right(
    tmp_path: Path, arguments: tuple[str, ...], code: int, told: str
) -> None:
    done = _run(tmp_path, *arguments)

    assert done.returncode == code
    assert told in done.stderr


def test_factory_makes_an_object_for_each_person(tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(
        "class Bot:\n"
        "    def __init__(self):\n        self.past = []\n"
        "    def chat(self, text):\n        self.past.append(text)\n        return ' / '.join(self.past)\n"
        "shared = Bot()\n"
    )

    mine, shared = _run(tmp_path, "made:Bot", "--factory"), _run(tmp_path, "made:shared")

    assert (mine.returncode, shared.returncode) == (0, 1)
