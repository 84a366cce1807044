"""The supervisor with small children of every kind."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Generator, Sequence

import pytest

from gateway.demo import supervisor
from gateway.demo.supervisor import listen, supervise
from gateway.errors import ConfigError, LastwordError

LOOPBACK = "127.0.0.1"


@pytest.fixture
def listener() -> Generator[socket.socket]:
    """A socket for children that need none."""
    with listen(LOOPBACK, 0) as bound:
        yield bound


@pytest.fixture
def taken() -> Generator[int]:
    """A port that somebody has."""
    with socket.create_server((LOOPBACK, 0)) as other:
        yield other.getsockname()[1]


@pytest.fixture
def promptly() -> Generator[None]:
    """Fails a test that only ended because its child had slept enough."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 10.0


def _script(*lives: str) -> Callable[[int], Sequence[str]]:
    """One child after the other, each a piece of Python."""
    left = list(lives)
    return lambda _: ["-S", "-c", left.pop(0)]


KILLED = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
ASKS = "import os, signal, time; os.kill(os.getppid(), signal.{}); time.sleep(30)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + ASKS


def test_listener_is_inherited_and_takes_a_free_port() -> None:
    with listen(LOOPBACK, 0) as bound:
        assert os.get_inheritable(bound.fileno())
        assert bound.getsockname()[1] > 0
        with socket.create_connection(bound.getsockname(), timeout=1.0):
            pass  # nobody accepts, and yet we are let in


def test_taken_port_is_refused_when_it_was_asked_for(taken: int) -> None:
    with pytest.raises(ConfigError, match=f"{LOOPBACK}:{taken} is taken by another program.*--port"):
        listen(LOOPBACK, taken)


def test_taken_port_is_replaced_when_none_was_asked_for(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PORT", taken)

    with listen(LOOPBACK, None) as bound:
        assert bound.getsockname()[1] != taken


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_foreign_host_is_refused_by_its_name(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def bind(*_: object) -> socket.socket:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    if host.endswith("invalid"):  # asking would leave this machine
        monkeypatch.setattr(supervisor, "_bind", bind)

    with pytest.raises(ConfigError, match=f"'{host}' is no address of this machine"):
        listen(host, 0)


def test_child_that_leaves_by_itself_decides_the_code(listener: socket.socket) -> None:
    assert supervise(_script("raise SystemExit(78)"), listener) == 78


def test_killed_child_is_started_again(listener: socket.socket) -> None:
    seen: list[str] = []

    code = supervise(
        _script(KILLED, KILLED, "raise SystemExit(3)"), listener, restarted=lambda: seen.append("again")
    )

    assert code == 3
    assert seen == ["again", "again"]


def test_children_that_die_at_once_are_given_up(listener: socket.socket) -> None:
    with pytest.raises(LastwordError, match="killed 5 times as it started"):
        supervise(_script(*[KILLED] * 5), listener)


@pytest.mark.usefixtures("promptly")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_asking_stops_the_child_and_nothing_follows(listener: socket.socket, name: str) -> None:
    assert supervise(_script(ASKS.format(name)), listener) == 0


@pytest.mark.usefixtures("promptly")
def test_child_that_will_not_stop_is_killed(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_STOP", 0.05)

    assert supervise(_script(STUBBORN.format("SIGTERM")), listener) == 0


@pytest.mark.usefixtures("promptly")
def test_asking_twice_kills_at_once(listener: socket.socket) -> None:
    twice = STUBBORN.format("SIGINT").replace(
        "time.sleep", "time.sleep(0.1); os.kill(os.getppid(), 2); time.sleep"
    )

    assert supervise(_script(twice), listener) == 0


def test_signal_handlers_are_put_back(listener: socket.socket) -> None:
    before = signal.getsignal(signal.SIGTERM)

    supervise(_script("pass"), listener)

    assert signal.getsignal(signal.SIGTERM) is before
