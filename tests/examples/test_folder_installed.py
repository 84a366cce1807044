"""Somebody else's adapter, built, installed, found by its entry point and used as an operator would."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.examples.folder_room import answers, button, drop, read_by_a_person
from tests.integration.process import ROOT, Gateway, until

pytestmark = pytest.mark.kill

CONFIG = """
version: 1
store: "sqlite:lastword.db"
server: {port: 0}
agents:
  teller:
    kind: scripted
    pace: 0.1
    script:
      - when: slow
        say: "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
      - {when: cut, say: "one two three", end: length_truncated, resume: "and the rest"}
      - {when: hello, say: "Good day."}
bots:
  desk:
    platform: folder
    agent: teller
    folder: chat
    look_every: 0.05
    access: {dm: open}
    surface_completion_reason: true
"""
_Lastword = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but the wheel in it, as built from its sources."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("this environment has no pip to install a wheel with")
    home = tmp_path_factory.mktemp("third_party")
    source = Path(__file__).with_name("folder_platform")
    shutil.copytree(source, home / "source", ignore=shutil.ignore_patterns("__pycache__"))
    _pip("wheel", "--no-build-isolation", "--wheel-dir", str(home / "dist"), str(home / "source"))
    (wheel,) = (home / "dist").glob("*.whl")
    _pip("install", "--target", str(home / "site"), str(wheel))
    return home / "site"


def _pip(command: str, *rest: str) -> None:
    always = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")
    done = subprocess.run(
        [sys.executable, "-m", "pip", command, *always, *rest], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def env(site: Path) -> dict[str, str]:
    parts = (*(ROOT / part for part in ("", "adapters", "agents")), site)
    return {"PYTHONPATH": os.pathsep.join(map(str, parts))}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder, with an inbox already: people may be there before the gateway is."""
    (tmp_path / "chat" / "inbox").mkdir(parents=True)
    return tmp_path / "chat"


@pytest.fixture
def lastword(tmp_path: Path, env: dict[str, str]) -> _Lastword:
    """Runs a command of `lastword` where the package is installed."""
    (tmp_path / "bots.yaml").write_text(CONFIG, "utf-8")

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gateway", *command],
            cwd=tmp_path,
            env=os.environ | env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run


def test_folder_lies_beside_the_configuration_wherever_the_command_is_started(
    tmp_path: Path, root: Path, env: dict[str, str]
) -> None:
    (tmp_path / "bots.yaml").write_text(CONFIG, "utf-8")
    (tmp_path / "elsewhere").mkdir()

    done = subprocess.run(
        [sys.executable, "-m", "gateway", "check", str(tmp_path / "bots.yaml"), "--probe"],
        cwd=tmp_path / "elsewhere",
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert str(root / "inbox") in done.stdout


async def test_message_is_answered_and_its_note_has_a_button_that_works(
    tmp_path: Path, root: Path, env: dict[str, str]
) -> None:
    async with Gateway(tmp_path, CONFIG, env=env) as gateway:
        drop(root, "1.json", chat="ann", text="hello")
        (first,) = await until(lambda: answers(root, "ann"))
        drop(root, "2.json", chat="ann", text="cut please", language="de")
        second = await until(lambda: next((path for path in answers(root, "ann") if button(path)), None))
        noted, token = read_by_a_person(second), button(second)

        drop(root, "3.json", chat="ann", press=token, on=second.name)
        await until(lambda: gateway.inbox() == 0 and len(gateway.turns()) == 3 and not button(second))
        await until(lambda: len(answers(root, "ann")) == 3)

        assert read_by_a_person(first) == "Good day."
        assert noted.startswith("one two three\n\n")
        assert "▌" in second.read_text("utf-8")
        assert read_by_a_person(answers(root, "ann")[2]) == "and the rest"
        assert [turn["state"] for turn in gateway.turns()] == ["delivered"] * 3
        assert list((root / "inbox").iterdir()) == []
        assert await gateway.silent() == 0
        assert await gateway.stop() == 0


async def test_gateway_that_is_killed_answers_once(tmp_path: Path, root: Path, env: dict[str, str]) -> None:
    """Killed while the answer grows: its file becomes the answer, and no other one appears."""
    async with Gateway(tmp_path, CONFIG, env=env) as gateway:
        drop(root, "1.json", chat="ann", text="slow please")
        (path,) = await until(lambda: answers(root, "ann"))
        assert "is being written" in path.read_text("utf-8")
        await gateway.restart()
        drop(root, "1.json", chat="ann", text="slow please")  # again, as if nobody had taken it

        await until(lambda: gateway.turns()[0].get("state") == "delivered")
        await until(lambda: not list((root / "inbox").iterdir()))

        assert answers(root, "ann") == [path]
        assert read_by_a_person(path).endswith("fourteen fifteen")
        assert [attempt["number"] for attempt in gateway.turns()[0]["attempts"]] == [1, 2]
        assert len(gateway.turns()) == 1


def test_check_takes_its_options_and_names_what_is_wrong_with_them(
    tmp_path: Path, lastword: _Lastword
) -> None:
    right = lastword("check")
    missing = lastword("check", "--probe")
    (tmp_path / "chat").mkdir()
    probed = lastword("check", "--probe")
    (tmp_path / "bots.yaml").write_text(
        CONFIG.replace("look_every: 0.05", "look_every: never\n    fold: x"), "utf-8"
    )
    wrong = lastword("check")

    assert (right.returncode, "desk: folder, agent teller" in right.stdout) == (0, True)
    assert (missing.returncode, "there is no folder" in missing.stderr) == (1, True)
    assert (probed.returncode, str(tmp_path / "chat" / "inbox") in probed.stdout) == (0, True)
    assert wrong.returncode == 78
    assert "bots.desk.look_every" in wrong.stderr
    assert "bots.desk.fold" in wrong.stderr


def test_setup_tells_its_steps_and_what_it_says_about_a_bot(tmp_path: Path, lastword: _Lastword) -> None:
    (tmp_path / "chat").mkdir()

    steps = lastword("setup", "folder")
    about = lastword("setup", "folder", "--config", "bots.yaml")

    source = Path(__file__).with_name("folder_platform") / "lastword_folder" / "setup.txt"
    assert steps.stdout == source.read_text("utf-8")
    assert about.returncode == 0
    assert "All is well." in about.stdout


def test_schema_describes_it(lastword: _Lastword) -> None:
    told = lastword("schema")

    assert told.returncode == 0
    assert json.loads(told.stdout)
    assert '"const": "folder"' in told.stdout
    assert "Seconds between two looks at the inbox." in told.stdout


def test_init_writes_a_configuration_for_it_that_is_valid(tmp_path: Path, lastword: _Lastword) -> None:
    written = lastword("init", "new.yaml", "--platform", "folder")
    checked = lastword("check", "new.yaml")

    assert written.returncode == 0, written.stderr
    assert "platform: folder" in (tmp_path / "new.yaml").read_text("utf-8")
    assert checked.returncode == 0, checked.stderr
