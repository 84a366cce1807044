"""Keep the demo's gateway alive: when it is killed, start it again on the same socket.

The socket is bound here once and inherited, so a browser that asks while no gateway runs waits in its
backlog instead of being refused.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType

from gateway.errors import ConfigError, LastwordError

__all__ = ["PORT", "listen", "stop_with_parent", "supervise"]

PORT = 8080
_BACKLOG = 128
_STOP = 15.0  # seconds a child may take to stop
_HASTY = 1.0  # seconds; a child killed sooner than this has served nobody
_ORPHANED = 1.0  # seconds between two looks for our parent
_TRIES = 5  # such children in a row before we give up
_ASKED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if sys.platform != "win32" else ()


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket that children can inherit.

    Args:
        host: The name or address to listen on.
        port: The port, 0 for a free one; `None` for `PORT`, or a free one where that is taken.

    Raises:
        ConfigError: There is no listening on this host and port.
    """
    try:
        return _bind(host, PORT if port is None else port)
    except OSError as exc:
        if port is None and exc.errno == errno.EADDRINUSE:
            return listen(host, 0)
        raise ConfigError([_problem(exc, host, port)]) from exc


def _bind(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
        listener.set_inheritable(True)
    except BaseException:
        listener.close()
        raise
    return listener


def _problem(exc: OSError, host: str, port: int | None) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"{host}:{port} is taken by another program; choose another with --port, or leave it out"
    if exc.errno == errno.EACCES:
        return f"{host}:{port} needs more rights; choose a --port of 1024 or higher"
    return f"{host!r} is no address of this machine; try --host 127.0.0.1"


def supervise(
    command: Callable[[int], Sequence[str]],
    listener: socket.socket,
    *,
    restarted: Callable[[], None] = lambda: None,
) -> int:
    """Run the command's child, again whenever it is killed, until it or somebody ends that.

    A child that leaves by itself has said why and is not started again.

    Args:
        command: The child's arguments, given the inherited descriptor.
        listener: The socket children serve on.
        restarted: Called each time a killed child is replaced.

    Returns:
        The exit code to leave with: the child's own, or 0 when we were asked to stop.

    Raises:
        LastwordError: Children are killed as soon as they start.
    """
    life = _Life()
    before = {number: signal.signal(number, life.asked) for number in _ASKED}
    try:
        hasty = 0
        while True:
            began = time.monotonic()
            code = life.live([sys.executable, *command(listener.fileno())], listener)
            if life.stopping or code >= 0:
                return 0 if life.stopping else code
            hasty = hasty + 1 if time.monotonic() - began < _HASTY else 0
            if hasty >= _TRIES:
                why = f"The demo's gateway was killed {hasty} times as it started; something outside ends it."
                raise LastwordError(why)
            restarted()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_with_parent() -> None:
    """Stop this process once its supervisor is gone, however that came about; else it would hold the port."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHANED)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


class _Life:
    """The child of the moment, and whether we were asked to stop."""

    def __init__(self) -> None:
        self.stopping = False
        self._child: subprocess.Popen[bytes] | None = None

    def asked(self, *_: int | FrameType | None) -> None:
        """Stop the child; at once when asked a second time."""
        if self._child is not None:
            self._end(self._child, hard=self.stopping)
        self.stopping = True

    def live(self, command: Sequence[str], listener: socket.socket) -> int:
        """One child's life; its exit code, negative for the signal that killed it."""
        child = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            command,
            pass_fds=(listener.fileno(),),
            start_new_session=True,  # Ctrl+C reaches the child through us alone, once
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self._child = child
        if self.stopping:  # asked before there was a child to tell
            self._end(child, hard=False)
        since: float | None = None
        while True:
            try:
                return child.wait(timeout=0.2)
            except subprocess.TimeoutExpired:
                if self.stopping and since is None:
                    since = time.monotonic()
                if since is not None and time.monotonic() - since > _STOP:
                    self._end(child, hard=True)

    def _end(self, child: subprocess.Popen[bytes], *, hard: bool) -> None:
        # SIGTERM also for Ctrl+C: a child that has no handlers yet would die of SIGINT with a traceback.
        child.send_signal(signal.SIGKILL if hard else signal.SIGTERM)
