"""Tell the service manager that the gateway is up, alive, and stopping.

The protocol is systemd's `sd_notify`: datagrams of `KEY=VALUE` lines to the socket in `NOTIFY_SOCKET`.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from typing import Self

from gateway.observability import get_logger

__all__ = ["ServiceManager"]

_PINGS = 3  # a period of the watchdog, so that one that comes late kills nothing


class ServiceManager:
    """The service manager that started this process; does nothing where none did.

    The watchdog is fed from the event loop, so a loop that hangs is ended and started again.

    Args:
        env: Where `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are looked up.
    """

    def __init__(self, env: Mapping[str, str] = os.environ) -> None:
        self._address = env.get("NOTIFY_SOCKET", "")
        self._period = _period(env)
        self._feeding: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to feed the watchdog."""
        if self._address and self._period:
            self._feeding = asyncio.create_task(self._feed(), name="watchdog")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Feed it no more."""
        if self._feeding is not None:
            self._feeding.cancel()
            await asyncio.gather(self._feeding, return_exceptions=True)

    def ready(self, status: str) -> None:
        """Everything is up; `status` is one line for `systemctl status`."""
        self._tell(f"READY=1\nSTATUS={status}")

    def stopping(self) -> None:
        """The gateway began to stop."""
        self._tell("STOPPING=1")

    async def _feed(self) -> None:
        while True:
            self._tell("WATCHDOG=1")
            await asyncio.sleep(self._period / _PINGS)

    def _tell(self, message: str) -> None:
        if not self._address:
            return
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way:
                way.settimeout(0)
                way.sendto(message.encode(), address)
        except OSError as exc:
            get_logger("admin").warning("service.not_told", problem=str(exc))


def _period(env: Mapping[str, str]) -> float:
    """Seconds within which the watchdog wants to be fed; 0 for never, or when another process is meant."""
    if env.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return 0.0
    text = env.get("WATCHDOG_USEC", "")
    return int(text) / 1_000_000 if text.isdigit() else 0.0
