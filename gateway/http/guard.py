"""What every request passes first: a known host, a bounded body; and what every response carries."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.binding import host_name, is_loopback
from gateway.http.faults import fault

__all__ = ["Guard"]

_BODY = 1024 * 1024  # bytes
_BODY_SECONDS = 30.0
_DRAINED = 8 * _BODY  # bytes of a refused body that are still read, so that the sender gets to hear why
_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """Refuses unknown hosts and oversized bodies, and adds the security headers.

    Args:
        app: What is guarded.
        hosts: Names allowed beside the loopback's own; `None` allows any.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str] | None) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = Headers(scope=scope)
        armoured = _armoured(send)
        if not self._knows(headers.get("host", "")):
            why = "This server answers to localhost only; set public_url to the name it is reached by."
            await fault(scope, 421, why)(scope, receive, armoured)
        elif _declared(headers) > _BODY:
            await _drain(receive, asyncio.get_running_loop().time() + _BODY_SECONDS)
            await fault(scope, 413, close=True)(scope, receive, armoured)
        else:
            await self._app(scope, _bounded(receive), armoured)

    def _knows(self, header: str) -> bool:
        if self._hosts is None:
            return True
        name = host_name(header)
        return is_loopback(name) or name in self._hosts


def _declared(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() else 0


def _bounded(receive: Receive) -> Receive:
    """Read at most the allowed size in the allowed time; what comes after the body passes untouched."""
    size = 0
    done = False
    until = asyncio.get_running_loop().time() + _BODY_SECONDS

    async def bounded() -> Message:
        nonlocal size, done
        if done:
            return await receive()
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError as exc:
            raise HTTPException(408) from exc
        size += len(message.get("body", b""))
        done = not message.get("more_body", False)
        if size > _BODY:
            await _drain(receive, until)
            raise HTTPException(413)
        return message

    return bounded


async def _drain(receive: Receive, until: float) -> None:
    """Read on and forget; a connection closed over unread bytes would take the answer with it."""
    left = _DRAINED
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _armoured(send: Send, added: Iterable[tuple[str, str]] = tuple(_HEADERS.items())) -> Send:
    async def armoured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added:
                headers.setdefault(name, value)
        await send(message)

    return armoured
