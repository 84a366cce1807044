"""Keep the demo's gateway alive: when it is killed, start it again on the same socket.

The socket is bound here once and inherited, so a browser that asks while no gateway runs waits in its
backlog instead of being refused.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType

from gateway.errors import ConfigError

__all__ = ["listen", "supervise"]

_BACKLOG = 128
_STOP = 15.0  # seconds a child may take to stop
_HASTY = 1.0  # seconds; a child that lives shorter than this several times in a row is broken
_TRIES = 5


def listen(host: str, port: int) -> socket.socket:
    """A listening socket that children can inherit; a free port where `port` is taken and not asked for.

    Raises:
        ConfigError: The port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as exc:
        listener.close()
        raise ConfigError([f"server: {host}:{port} is taken; choose another with --port"]) from exc
    listener.listen(_BACKLOG)
    listener.set_inheritable(True)
    return listener


def supervise(command: Callable[[int], Sequence[str]], listener: socket.socket) -> int:
    """Run the command's child until it stops by itself or we are asked to stop.

    Args:
        command: The child's arguments, given the inherited descriptor.
        listener: The socket children serve on.

    Returns:
        The exit code to leave with.
    """
    stopping = False
    child: subprocess.Popen[bytes] | None = None

    def on_signal(number: int, _: FrameType | None) -> None:
        nonlocal stopping
        stopping = True
        if child is not None and child.poll() is None:
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    hasty = 0
    while not stopping:
        began = time.monotonic()
        child = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            [sys.executable, *command(listener.fileno())],
            pass_fds=(listener.fileno(),),
            start_new_session=True,  # Ctrl+C reaches the child through us alone, once
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        code = _wait(child, lambda: stopping)
        if code == 0 or stopping:
            break
        hasty = hasty + 1 if time.monotonic() - began < _HASTY else 0
        if hasty >= _TRIES:
            return code if code > 0 else 1
    return 0


def _wait(child: subprocess.Popen[bytes], stopping: Callable[[], bool]) -> int:
    """The child's exit code; it is killed when it does not stop in time."""
    since: float | None = None
    while True:
        try:
            return child.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            if not stopping():
                continue
            since = since or time.monotonic()
            if time.monotonic() - since > _STOP:
                child.kill()
