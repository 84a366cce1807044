"""The demo's process: what it serves, how it is killed, and how it ends."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.integration.demo import Demo, environment, wait_for


@pytest.fixture
def own(tmp_path: Path) -> Generator[Demo]:
    """A demo of the test's own."""
    with Demo(tmp_path, "--port", "0") as running:
        yield running


def test_page_and_its_files_are_served_with_a_closed_policy(own: Demo) -> None:
    own.served()
    page = httpx.get(f"{own.address}/")
    named = set(re.findall(r'(?:src|href)="(/[^"]+)"', page.text))

    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert len(named) == 4
    for path in named | {"/demo/words.js"}:
        file = httpx.get(f"{own.address}{path}")
        assert file.status_code == 200
        assert file.headers["content-type"].split(";")[0].rpartition("/")[2].removesuffix("+xml") in {
            "css",
            "javascript",
            "svg",
        }


def test_unknown_file_of_the_demo_is_not_found(own: Demo) -> None:
    own.served()

    assert httpx.get(f"{own.address}/demo/supervisor.py").status_code == 404


@pytest.mark.kill
def test_kill_needs_its_header(own: Demo) -> None:
    own.served()
    before = own.child()

    assert httpx.post(f"{own.address}/demo/kill").status_code == 403
    assert httpx.get(f"{own.address}/demo/kill").status_code in {404, 405}
    assert own.child() == before

    assert httpx.post(f"{own.address}/demo/kill", headers={"x-lastword": "demo"}).status_code == 202
    assert own.next_child(before) != before


@pytest.mark.kill
def test_request_between_two_lives_waits_and_is_answered(own: Demo) -> None:
    own.served()
    before = own.child()
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{before}").exists() or own.child() != before)

    answer = httpx.get(f"{own.address}/", timeout=20.0)

    assert answer.status_code == 200
    assert own.child() not in {0, before}


@pytest.mark.kill
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("settled", [True, False])
def test_demo_stops_when_asked_and_leaves_nothing(
    own: Demo, tmp_path: Path, number: signal.Signals, settled: bool
) -> None:
    """Also when the gateway below has not come up yet."""
    if settled:
        own.served()
    else:
        own.opened()
        wait_for(lambda: own.child() != 0)
    child = own.child()

    assert own.leave(number) == 0
    assert not Path(f"/proc/{child}").exists()
    assert own.said[-1] == "The demo has stopped."
    assert own.errors() == ""
    assert [path.name for path in tmp_path.iterdir()] == ["stderr"]


@pytest.mark.kill
def test_gateway_does_not_outlive_a_killed_demo(own: Demo) -> None:
    own.served()
    child = own.child()

    assert own.leave(signal.SIGKILL) == -signal.SIGKILL
    wait_for(lambda: not Path(f"/proc/{child}").exists())


def test_demo_gives_up_when_its_gateway_cannot_start(tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError('broken on purpose')\n", "utf-8")
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    with Demo(tmp_path, "--port", "0", env={"PYTHONPATH": path}) as broken:
        assert broken.left() == 1
        assert broken.errors().count("\n") == 1
        assert "ImportError" in broken.errors()


def test_demo_says_in_one_line_that_a_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with Demo(tmp_path, "--port", str(port)) as second:
            assert second.left() == 78
            assert second.errors().count("\n") == 1
            assert f"127.0.0.1:{port} is taken" in second.errors()
            assert "--port" in second.errors()


def test_demo_takes_a_free_port_when_the_usual_one_is_taken(tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # taken already serves as well
            stack.enter_context(socket.create_server(("127.0.0.1", 8080)))
        second = stack.enter_context(Demo(tmp_path)).served()
        port = second.address.rpartition(":")[2]

        assert port != "8080"
        assert second.said[0] == f"Port 8080 is taken, so the demo uses {port}."
        assert second.leave() == 0
