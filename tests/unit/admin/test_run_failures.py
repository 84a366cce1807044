"""`lastword run` that cannot start says why in one line, and leaves with the code that fits."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gateway import plugins
from gateway.abc.clock import SystemClock
from gateway.errors import ConfigError, StoreError
from gateway.runtime import Runtime
from gateway.settings import load
from gateway.stores.sqlite import SqliteStore

ROOT = Path(__file__).parents[3]
PYTHONPATH = os.pathsep.join(str(ROOT / part) for part in ("", "adapters", "agents"))
CONFIG = """version: 1
store: "sqlite:lastword.db"
server: {port: PORT}
agents:
  teller: {kind: KIND}
bots:
  site: {platform: local, agent: teller}
"""


def _write(folder: Path, *, kind: str = "scripted", port: int = 0, text: str = CONFIG) -> Path:
    path = folder / "bots.yaml"
    path.write_text(text.replace("KIND", kind).replace("PORT", str(port)), "utf-8")
    return path


def _run(path: Path, *, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run it to its end, with a line of Python before everything else."""
    start = f"import sys; sys.argv = ['lastword', 'run', {str(path)!r}, '--log-level', 'error']"
    code = f"{start}\n{before}\nfrom gateway.cli import main\nmain()\n"
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
    )


def _told(found: subprocess.CompletedProcess[str]) -> str:
    """The one line that was told; nothing that only a programmer reads."""
    assert "Traceback" not in found.stderr
    assert "ExceptionGroup" not in found.stderr
    lines = found.stderr.splitlines()
    assert len(lines) == 1, found.stderr
    return lines[0]


def test_port_that_is_taken_is_told_by_its_number(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])

        found = _run(_write(tmp_path, port=port))

    assert found.returncode == 78
    assert str(port) in _told(found)


async def test_store_that_another_process_holds_is_told(tmp_path: Path) -> None:
    path = _write(tmp_path)
    store = SqliteStore(tmp_path / "lastword.db", clock=SystemClock())
    await store.open()
    try:
        found = _run(path)
    finally:
        await store.close()

    assert found.returncode == 1
    assert "lastword.db" in _told(found)


def test_store_that_is_no_database_is_told(tmp_path: Path) -> None:
    path = _write(tmp_path)
    (tmp_path / "lastword.db").write_bytes(b"this is no database, " * 100)

    found = _run(path)

    assert found.returncode == 1
    assert _told(found)


def test_library_that_is_not_installed_is_told_with_what_installs_it(tmp_path: Path) -> None:
    text = CONFIG.replace(
        "{kind: KIND}", '{kind: builtin, model: "test:model", base_url: "http://127.0.0.1:9/v1"}'
    )
    path = _write(tmp_path, text=text)

    found = _run(path, before="sys.modules['pydantic_ai'] = None")

    assert found.returncode in (1, 78)
    assert "pip install" in _told(found)


def test_agent_that_does_not_exist_is_told(tmp_path: Path) -> None:
    text = CONFIG.replace("{kind: KIND}", '{target: "no_such_module_here:agent"}')

    found = _run(_write(tmp_path, text=text))

    assert found.returncode in (1, 78)
    assert "no_such_module_here" in _told(found)


def test_store_of_another_version_is_told(tmp_path: Path) -> None:
    text = CONFIG.replace("sqlite:lastword.db", "redis://:hunter2@host/0")

    found = _run(_write(tmp_path, text=text))

    assert found.returncode in (1, 78)
    assert "hunter2" not in found.stderr
    assert "Traceback" not in found.stderr


async def test_runtime_raises_the_error_itself_and_no_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that fails once everything is up fails inside the group that owns every task."""

    async def broken(_: object) -> None:
        raise StoreError("disk full")

    monkeypatch.setattr("gateway.process.watch_loop", broken)
    settings = load(_write(tmp_path), options=plugins.options_of)

    with pytest.raises(StoreError, match="disk full"):
        await Runtime(settings).run()


async def test_runtime_frees_the_store_when_it_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ConfigError(["no"])

    settings = load(_write(tmp_path), options=plugins.options_of)
    monkeypatch.setattr(plugins, "create_adapter", broken)

    with pytest.raises(ConfigError):
        await Runtime(settings).run()

    store = SqliteStore(tmp_path / "lastword.db", clock=SystemClock())
    await store.open()
    await store.close()
