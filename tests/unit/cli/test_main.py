"""The command line starts fast, and its exit code says how it went."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from gateway import __version__, cli
from gateway.errors import ConfigError, StoreError

ROOT = Path(__file__).parents[3]
PYTHONPATH = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))


def _run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway", *args],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": PYTHONPATH, **env},
    )


def _code(monkeypatch: pytest.MonkeyPatch, raised: BaseException | None, *, result: object = None) -> object:
    """The exit code of a command that ends so."""

    @click.command()
    def command() -> object:
        if raised is not None:
            raise raised
        return result

    def found(_self: click.Group, _context: click.Context, _name: str) -> click.Command:
        return command

    monkeypatch.setattr("sys.argv", ["lastword", "run"])
    monkeypatch.setattr("gateway.cli._Lazy.get_command", found)
    with pytest.raises(SystemExit) as left:
        cli.main()
    return left.value.code


def test_help_lists_every_command() -> None:
    found = _run("--help")

    assert found.returncode == 0
    assert all(f"  {name} " in found.stdout for name in cli.COMMANDS)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, atexit; sys.argv = ['lastword', '--help']\n"
        "from gateway.cli import main\n"
        "def loaded():\n"
        "    heavy = {'pydantic', 'structlog', 'yaml', 'orjson', 'msgspec', 'starlette', 'uvicorn',\n"
        "             'asyncio', 'prometheus_client', 'gateway.runtime', 'gateway.settings',\n"
        "             'gateway.plugins', 'gateway_adapters', 'gateway_agents'} & set(sys.modules)\n"
        "    print('loaded', sorted(heavy), file=sys.stderr)\n"
        "atexit.register(loaded)\n"
        "main()\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
    )

    assert found.stderr == "loaded []\n"


def test_version_is_told() -> None:
    assert _run("--version").stdout == f"lastword {__version__}\n"


def test_unknown_command_is_wrong_usage() -> None:
    found = _run("rnu")

    assert found.returncode == 2
    assert "No such command 'rnu'" in found.stderr


def test_configuration_that_is_missing_ends_with_78(tmp_path: Path) -> None:
    found = _run("check", str(tmp_path / "none.yaml"))

    assert found.returncode == 78
    assert found.stderr == f"{tmp_path}/none.yaml: there is no such file: name another\n"


@pytest.mark.parametrize(
    ("raised", "code", "told"),
    [
        (None, 0, ""),
        (ConfigError(["a:1:1: x: wrong", "a:2:1: y: wrong"]), 78, "a:1:1: x: wrong\na:2:1: y: wrong\n"),
        (StoreError("the store is locked"), 1, "Error: the store is locked\n"),
        (click.ClickException("no"), 1, "Error: no\n"),
        (
            click.UsageError("no"),
            2,
            "Usage: lastword run [OPTIONS]\nTry 'lastword run --help' for help.\n\nError: no\n",
        ),
        (KeyboardInterrupt(), 130, ""),
        (SystemExit(75), 75, ""),
        (
            RuntimeError("token 1:abc"),
            1,
            "Lastword broke (RuntimeError); set LASTWORD_DEBUG=1 to see where.\n",
        ),
    ],
)
def test_exit_code_says_how_it_went(
    raised: BaseException | None,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _code(monkeypatch, raised) == code
    assert capsys.readouterr().err.strip() == told.strip()


def test_traceback_shows_where_it_is_asked_for() -> None:
    found = _run("check", "nowhere.yaml", LASTWORD_DEBUG="1")

    assert "Traceback" in found.stderr
    assert "ConfigError" in found.stderr
