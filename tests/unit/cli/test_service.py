"""`lastword service`: the unit that is written, and how it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gateway.cli import service

CONFIG = """\
version: 1
store: {store}
bots:
  site: {{platform: local, agent: {{kind: scripted, script: [{{when: "*", say: hi}}]}}}}
"""
MANAGER = """\
#!/bin/sh
echo "$@" >> {said}
case "$*" in *refused*) echo "no such unit" >&2; exit 5;; esac
"""


@pytest.fixture
def config() -> Generator[Path]:
    """In a folder with a short name: a socket's path must not be long."""
    with tempfile.TemporaryDirectory(prefix="lw") as name:
        yield _config(Path(name).resolve() / "a place", "sqlite:data/lastword.db")


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that systemd runs, and the file of what its manager was told."""
    told = tmp_path / "told"
    program = tmp_path / "bin/systemctl"
    program.parent.mkdir()
    program.write_text(MANAGER.format(said=told), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(service, "_BOOTED", tmp_path)
    monkeypatch.setattr(service, "_SYSTEM", tmp_path / "system")
    return told


def _config(folder: Path, store: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "bots.yaml"
    path.write_text(CONFIG.format(store=store), "utf-8")
    return path


def _run(*words: str) -> Result:
    return CliRunner().invoke(service.command, list(words))


def _unit(text: str) -> dict[str, dict[str, list[str]]]:
    sections: dict[str, dict[str, list[str]]] = {}
    here: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            here = sections.setdefault(line.strip("[]"), {})
        elif line:
            key, _, value = line.partition("=")
            here.setdefault(key, []).append(value)
    return sections


def test_unit_runs_the_file_with_a_watchdog_and_few_rights(config: Path) -> None:
    written = _run("install", str(config), "--print", "--run-as", "lastword")

    assert written.exit_code == 0, written.output
    unit = _unit(written.output)["Service"]
    assert unit["Type"] == ["notify"]
    assert int(unit["WatchdogSec"][0]) > 0
    assert unit["ExecStart"][0].endswith(f'run "{config}" --json-logs')
    assert unit["User"] == ["lastword"]
    assert unit["ProtectSystem"] == ["strict"]
    assert unit["CapabilityBoundingSet"] == [""]
    assert unit["ReadWritePaths"] == [f'"{config.parent}"', f'"{config.parent}/data"']
    assert unit["PrivateTmp"] == ["yes"]
    assert int(unit["TimeoutStopSec"][0]) > 30
    assert unit["RestartPreventExitStatus"] == ["78"]


def test_unit_doubles_a_dollar_only_where_systemd_expands_variables(config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a $HOME 5%"
    folder.mkdir()
    moved = config.rename(folder / "bots.yaml")

    text = _run("install", str(moved), "--run-as", "lastword", "--print").output

    written = str(folder).replace("%", "%%")
    assert f'ReadWritePaths="{written}"' in text
    assert f"WorkingDirectory={written}\n" in text
    assert f'run "{written.replace("$", "$$")}/bots.yaml" --json-logs' in text


def test_unit_keeps_the_socket_of_a_redis_gateway_where_commands_look(tmp_path: Path) -> None:
    config = _config(tmp_path, "redis://127.0.0.1:6379/0")

    unit = _unit(_run("install", str(config), "--print", "--run-as", "lastword").output)["Service"]

    assert unit["PrivateTmp"] == ["no"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("flags", [["--run-as", "root"], ["--user"]], ids=["system", "user"])
def test_unit_is_right_in_the_eyes_of_systemd(config: Path, tmp_path: Path, flags: list[str]) -> None:
    path = tmp_path / "lastword.service"
    path.write_text(_run("install", str(config), "--print", *flags).output, "utf-8")

    judged = subprocess.run(
        ["systemd-analyze", "verify", *(["--user"] if "--user" in flags else []), str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )

    assert path.name not in judged.stderr, judged.stderr


def test_install_of_a_user_writes_enables_and_starts(config: Path, said: Path, tmp_path: Path) -> None:
    done = _run("install", str(config), "--user", "--name", "bots")

    assert done.exit_code == 0, done.output
    place = tmp_path / "home/systemd/user/bots.service"
    assert _unit(place.read_text("utf-8"))["Install"]["WantedBy"] == ["default.target"]
    assert said.read_text("utf-8").splitlines() == [
        "--user daemon-reload",
        "--user enable --now bots.service",
    ]
    assert (config.parent / "data").is_dir()


def test_install_without_start_only_enables(config: Path, said: Path) -> None:
    _run("install", str(config), "--no-start", "--run-as", Path.home().owner() if os.getuid() else "nobody")

    assert "enable lastword.service" in said.read_text("utf-8")
    assert "--now" not in said.read_text("utf-8")


def test_install_never_runs_as_root(config: Path, said: Path) -> None:
    refused = _run("install", str(config), "--run-as", "root")

    assert refused.exit_code == 1
    assert "--run-as" in refused.output
    assert not said.exists()


def test_install_tells_what_the_manager_refused(config: Path, said: Path) -> None:
    refused = _run("install", str(config), "--user", "--name", "refused")

    assert refused.exit_code == 1
    assert "no such unit" in refused.output
    assert said.exists()


def test_install_says_where_there_is_no_systemd(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_BOOTED", tmp_path / "absent")

    refused = _run("install", str(config), "--user")

    assert refused.exit_code == 1
    assert "--print" in refused.output


def test_uninstall_removes_the_unit_alone(config: Path, said: Path, tmp_path: Path) -> None:
    _run("install", str(config), "--user")

    done = _run("uninstall", "--user")

    assert done.exit_code == 0, done.output
    assert not (tmp_path / "home/systemd/user/lastword.service").exists()
    assert config.exists()
    assert "--user disable --now lastword.service" in said.read_text("utf-8")
    assert _run("uninstall", "--user").exit_code == 1


def test_name_is_a_plain_word(config: Path) -> None:
    refused = _run("install", str(config), "--print", "--name", "../etc/x")

    assert refused.exit_code == 2
    assert "letters" in refused.output


def test_user_who_does_not_exist_is_told_before_anything_is_made(config: Path, said: Path) -> None:
    ran = _run("install", str(config), "--run-as", "nobody-like-this")

    assert ran.exit_code == 1
    assert (
        "There is no user 'nobody-like-this' on this machine: `useradd --system nobody-like-this`"
        in ran.output
    )
    assert not said.exists()
    assert not (config.parent / "data").exists()


def test_unit_of_ones_own_runs_as_nobody_else(config: Path) -> None:
    assert _run("install", str(config), "--user", "--run-as", "lastword").exit_code == 2


def test_what_to_say_next_names_the_unit_that_was_installed(config: Path, said: Path) -> None:
    ran = _run("install", str(config), "--user", "--name", "second")

    assert ran.exit_code == 0, ran.output
    assert "`lastword service status --user --name second`" in ran.output
    assert said.exists()
