"""`lastword ask`: the answer on standard output, the ending on standard error and in the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CONFIG = """
version: 1
agents:
  teller: {kind: scripted, directives: true, pace: 0.0, idle_timeout: 1s}
  polite: {kind: scripted, default: "Good day."}
bots:
  site: {platform: local, agent: teller}
"""
_ENV = os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))}
_COMMAND = [sys.executable, "-m", "gateway", "ask"]


def _ask(folder: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "bots.yaml").write_text(CONFIG)
    return subprocess.run(
        [*_COMMAND, *arguments], cwd=folder, env=_ENV, input=said, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("directive", "code", "status"),
    [
        ("!completed", 0, "ok"),
        ("!error", 1, "failed"),
        ("!max_steps", 3, "truncated"),
        ("!length_truncated", 3, "length_truncated"),
        ("!refused", 4, "refused"),
        ("!rate_limited 30", 75, "failed"),
        ("!auth_failed", 78, "failed"),
        ("!some_new_word", 1, "failed"),
    ],
)
def test_exit_code_and_status_follow_the_ending(
    tmp_path: Path, directive: str, code: int, status: str
) -> None:
    done = _ask(tmp_path, "--output", "json", directive)

    assert done.returncode == code
    (line,) = done.stdout.splitlines()
    facts = json.loads(line)
    assert facts["status"] == status
    assert list(facts) == [
        "result", "status", "reason", "code", "ref", "retryable", "remedy", "retry_after", "usage",
    ]  # fmt: skip


def test_answer_and_ending_go_to_streams_of_their_own(tmp_path: Path) -> None:
    """What is piped on is the answer alone; the note and the operator's text are for the person who asks."""
    done = _ask(tmp_path, "!max_steps", "5")

    assert done.stdout == "The lighthouse keeper climbed the\n"
    note, operator = done.stderr.splitlines()
    assert note == '⏳ I stopped after reaching the step limit — reply "continue" to carry on.'
    assert operator.startswith("max_steps@")
    assert "{" not in operator


def test_wait_of_the_provider_is_passed_on(tmp_path: Path) -> None:
    facts = json.loads(_ask(tmp_path, "--output", "json", "!rate_limited 30").stdout)

    assert (facts["retry_after"], facts["retryable"], facts["remedy"]) == (30.0, False, "back-off")


def test_question_may_be_piped_in(tmp_path: Path) -> None:
    assert _ask(tmp_path, "--agent", "polite", said="hello\n").stdout == "Good day.\n"
    assert _ask(tmp_path, "--agent", "polite", "-", said="hello\n").stdout == "Good day.\n"


def test_wrong_usage_says_what_to_do(tmp_path: Path) -> None:
    nothing, unknown, model = (
        _ask(tmp_path),
        _ask(tmp_path, "--agent", "nobody", "hi"),
        _ask(tmp_path, "--model", "x", "hi"),
    )

    assert (nothing.returncode, unknown.returncode, model.returncode) == (2, 78, 2)
    assert "say what to ask" in nothing.stderr
    assert "there are: teller, polite" in unknown.stderr
    assert "provider:model" in model.stderr


def test_shell_script_branches_on_the_ending(tmp_path: Path) -> None:
    """What a pipeline does with it: answer, try later, or give up."""
    (tmp_path / "bots.yaml").write_text(CONFIG)
    script = tmp_path / "branch.sh"
    command = " ".join(_COMMAND)
    script.write_text(
        "for question in '!completed' '!provider_error' '!refused'; do\n"
        f'  {command} "$question" >answer.txt 2>why.txt\n'
        "  case $? in\n"
        "    0) echo answered ;;\n"
        "    75) echo later ;;\n"
        '    *) echo "gave up: $(head -1 why.txt)" ;;\n'
        "  esac\n"
        "done\n"
    )

    done = subprocess.run(
        ["sh", str(script)], cwd=tmp_path, env=_ENV, capture_output=True, text=True, check=True
    )

    first, second, third = done.stdout.splitlines()
    assert (first, second) == ("answered", "later")
    assert third.startswith("gave up: 🛑 I can't help with this request")
