"""Where Telegram posts updates: 200 once an update is kept, never for one that is not."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.errors import StoreError
from gateway_adapters.telegram.reception import Reception
from gateway_adapters.telegram.standing import Standing

__all__ = ["Endpoint"]

_BODY = 512 * 1024  # bytes of an update; the longest that Telegram makes is a tenth of it
_SECONDS = 20.0  # one commit
_BUSY = {"retry-after": "2"}


class Endpoint:
    """One bot's address on the shared server.

    Attributes:
        path: Absolute; holds no secret.
        heard: How many updates were kept.
        failing: Whether the last one could not be kept.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.heard = 0
        self.failing = False
        self._secret = b""
        self._reception: Reception | None = None
        self._standing: Standing | None = None

    def routes(self) -> Sequence[BaseRoute]:
        """The one route."""
        return (Route(self.path, self.post, methods=["POST"]),)

    def open(self, secret: str, reception: Reception, standing: Standing) -> None:
        """Take updates from now on."""
        self._secret, self._reception, self._standing = secret.encode(), reception, standing

    def close(self) -> None:
        """Take none; Telegram keeps them."""
        self._reception = None

    async def post(self, request: Request) -> Response:
        """Take one update.

        One that cannot be read is kept as it came and answered 200, since Telegram would send it again for a
        day; so is the beginning of one beyond all measure.
        """
        reception, standing = self._reception, self._standing
        if reception is None or standing is None:
            return Response(status_code=503, headers=_BUSY)
        given = request.headers.get("x-telegram-bot-api-secret-token", "")
        if not hmac.compare_digest(given.encode("latin-1", "replace"), self._secret):
            return Response(status_code=403)
        if _kind(request) != "application/json":
            return Response(status_code=415)
        raw = await _read(request)
        try:
            async with asyncio.timeout(_SECONDS):
                await reception.take([(_decoded(raw), raw)])
        except (StoreError, TimeoutError) as exc:
            self.failing = True
            standing.ill(exc if isinstance(exc, StoreError) else StoreError("the store takes too long"))
            return Response(status_code=503, headers=_BUSY)
        self.failing = False
        self.heard += 1
        standing.well()
        return Response()


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def _read(request: Request) -> bytes:
    """The body, read to its end and kept up to a bound."""
    kept = bytearray()
    async for chunk in request.stream():
        kept += chunk[: max(0, _BODY - len(kept))]
    return bytes(kept)


def _decoded(raw: bytes) -> object:
    """The update; `None` for what is no JSON, which nothing can be read from."""
    try:
        found: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found
