"""Where the server is and how it is spoken to, out of one line of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from gateway.errors import StoreError

__all__ = ["Address", "parse"]

_PORT, _SENTINEL_PORT = 6379, 26379
_SCHEMES = {"redis": False, "valkey": False, "rediss": True, "valkeys": True}
_OPTIONS = ("allow_volatile", "ca", "cert", "connections", "key", "prefix", "sentinel")
_TLS = ("ca", "cert", "key")


@dataclass(frozen=True, slots=True)
class Address:
    """A server, or the sentinels that know it.

    Attributes:
        shown: The address without credentials, for messages.
        hosts: The server's host and port; those of the sentinels when `sentinel` names a primary.
        ca: Certificates that sign the server's; the system's by default.
        prefix: What every key of this store begins with.
        allow_volatile: Whether a server that may lose what it has accepted is taken.
        connections: Connections at most.
    """

    shown: str
    hosts: tuple[tuple[str, int], ...]
    database: int = 0
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    tls: bool = False
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    sentinel: str = ""
    prefix: str = "lastword"
    allow_volatile: bool = False
    connections: int = 32


def parse(url: str, *, base: Path) -> Address:
    """Read `redis://[user:password@]host[:port][/database][?option=value&…]`.

    Args:
        url: The line; `rediss:` speaks TLS, and `valkey:` and `valkeys:` mean the same two.
        base: The folder that relative paths start from.

    Raises:
        StoreError: It is no such address; credentials are not repeated.
    """
    try:
        parts = urlsplit(url)
    except ValueError as exc:
        told = f"store {url.partition(':')[0] + ':'!r} is no address; write it like redis://127.0.0.1:6379/0"
        raise StoreError(told) from exc
    credentials, _, hosts = parts.netloc.rpartition("@")
    shown = f"{parts.scheme}://{hosts}{parts.path}"
    options = _options(parts, shown)
    username, _, password = credentials.partition(":")
    sentinel = options.get("sentinel", "")
    found = tuple(_host(one, shown, _SENTINEL_PORT if sentinel else _PORT) for one in hosts.split(","))
    if len(found) > 1 and not sentinel:
        raise StoreError(f"store {shown!r} names several hosts; say sentinel=NAME, or name one server")
    return Address(
        shown,
        found,
        database=_number("database", parts.path.strip("/") or "0", shown, least=0),
        username=unquote(username),
        password=unquote(password),
        tls=_SCHEMES[parts.scheme],
        sentinel=sentinel,
        prefix=_prefix(options.get("prefix", "lastword"), shown),
        allow_volatile=_switch("allow_volatile", options.get("allow_volatile", "no"), shown),
        connections=_number("connections", options.get("connections", "32"), shown, least=4),
        **{name: (base / options[name]).absolute() for name in _TLS if name in options},
    )


def _options(parts: SplitResult, shown: str) -> Mapping[str, str]:
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name in options:
        if name not in _OPTIONS:
            raise StoreError(
                f"store {shown!r} has an unknown option {name!r}; there are {', '.join(_OPTIONS)}"
            )
        if name in _TLS and not _SCHEMES[parts.scheme]:
            raise StoreError(f"store {shown!r} has the option {name!r}, which is for rediss://")
    if ("cert" in options) != ("key" in options):
        raise StoreError(f"store {shown!r} needs both cert=FILE and key=FILE, or neither")
    return options


def _host(text: str, shown: str, port: int) -> tuple[str, int]:
    """A name or an address, IPv6 in brackets."""
    name, colon, number = text.rpartition(":")
    if not colon or text.endswith("]"):
        name, number = text, str(port)
    if not name.strip("[]"):
        raise StoreError(f"store {shown!r} names no host; write it like redis://127.0.0.1:6379/0")
    return name.strip("[]"), _number("port", number, shown, least=1)


def _number(what: str, text: str, shown: str, *, least: int) -> int:
    if not (text.isascii() and text.isdecimal() and least <= int(text) <= 65_535):
        raise StoreError(f"store {shown!r} has no number of {least} or more for its {what}")
    return int(text)


def _switch(what: str, text: str, shown: str) -> bool:
    if text not in ("yes", "no"):
        raise StoreError(f"store {shown!r} says neither yes nor no for {what}")
    return text == "yes"


def _prefix(text: str, shown: str) -> str:
    if not text or set(text) & set("{}"):
        raise StoreError(f"store {shown!r} has a prefix that is empty or holds braces")
    return text
