"""Listening sockets, and which names a browser may call them by."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Sequence
from urllib.parse import urlsplit

from gateway.errors import ConfigError

__all__ = ["address_of", "bind", "host_name", "is_loopback", "known_hosts"]

_BACKLOG = 2048


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        ConfigError: The address is taken, not ours, or not permitted.
    """
    where = f"{host}:{port}"
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as exc:
        raise ConfigError([f"server.host: {host!r} is not a known address; try 127.0.0.1"]) from exc
    listener = socket.socket(family, kind)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as exc:
        listener.close()
        raise ConfigError([_problem(exc, where)]) from exc
    listener.setblocking(False)  # noqa: FBT003  # positional only
    return listener


def _problem(exc: OSError, where: str) -> str:
    match exc.errno:
        case errno.EADDRINUSE:
            return f"server.port: {where} is taken by another program; stop it or set another server.port"
        case errno.EACCES:
            return f"server.port: {where} needs more rights; set a server.port of 1024 or higher"
        case errno.EADDRNOTAVAIL:
            return f"server.host: {where} is no address of this machine; try 127.0.0.1 or 0.0.0.0"
        case _:
            return (
                f"server: cannot listen on {where} ({exc.strerror}); set another server.host or server.port"
            )


def address_of(listener: socket.socket) -> tuple[str, int]:
    """Host and port a socket is bound to; an empty host and port 0 for one that has neither."""
    if listener.family not in (socket.AF_INET, socket.AF_INET6):
        return "", 0
    host, port = listener.getsockname()[:2]
    return str(host), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def known_hosts(bound: Sequence[str], public_url: str) -> frozenset[str] | None:
    """Names beside the loopback's own that a browser may use, or `None` when any will do.

    A server that only this machine can reach must not answer to a name that an outside page made point here.
    """
    if not bound or not all(is_loopback(host) for host in bound):
        return None
    return frozenset({urlsplit(public_url).hostname or ""}) - {""}


def host_name(header: str) -> str:
    """The name in a `Host` header, without its port; empty for what is no host."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    name, colon, port = header.partition(":")
    if colon and not (port.isascii() and port.isdigit()):
        return ""
    return name.rstrip(".").lower()
