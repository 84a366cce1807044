"""Where Slack posts events, presses and slash commands: 200 once they are kept, never for what is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from urllib.parse import parse_qsl

from slack_bolt.adapter.starlette.async_handler import to_starlette_response
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.errors import StoreError
from gateway_adapters.slack.bolt import BUSY, Bolt
from gateway_adapters.slack.reception import Delivery
from gateway_adapters.slack.standing import Standing

__all__ = ["Endpoint", "path_of"]

_BODY = 768 * 1024  # bytes; the longest message with all its blocks is a tenth of it
_FIELDS = 64  # of a form; Slack sends a dozen
_SECONDS = 20.0  # one commit
_NO_MORE = {"x-slack-no-retry": "1"}


def path_of(bot: str) -> str:
    """Where a bot's requests are posted; Slack proves itself by its signature, so nothing in it is secret."""
    return f"/slack/{bot}/events"


class Endpoint:
    """One bot's address on the shared server, for all three kinds of request."""

    def __init__(self, path: str, bolt: Bolt) -> None:
        self.path = path
        self._bolt = bolt
        self._standing: Standing | None = None

    def routes(self) -> Sequence[BaseRoute]:
        """The one route."""
        return (Route(self.path, self.post, methods=["POST"]),)

    def open(self, standing: Standing) -> None:
        """Tell from now on how it goes."""
        self._standing = standing

    def close(self) -> None:
        """Tell no more."""
        self._standing = None

    async def post(self, request: Request) -> Response:
        """Take one request.

        What cannot be read is kept as it came and answered 200: Slack would send it three times more, and
        stop sending anything to an address that fails often.
        """
        raw = await _read(request)
        if raw is None:
            return Response(status_code=413, headers=_NO_MORE)
        try:
            async with asyncio.timeout(_SECONDS):
                answer, kept = await self._bolt.posted(_delivery(request, raw), request.headers)
        except (StoreError, TimeoutError) as exc:
            self._failed(exc if isinstance(exc, StoreError) else StoreError("the store takes too long"))
            return Response(status_code=503, headers=BUSY)
        if kept and self._standing is not None:
            self._standing.well()
        return to_starlette_response(answer)

    def _failed(self, exc: StoreError) -> None:
        if self._standing is not None:
            self._standing.ill(exc)


async def _read(request: Request) -> bytes | None:
    """The whole body, which the signature is over; `None` for one beyond all measure."""
    kept = bytearray()
    async for chunk in request.stream():
        if len(kept) <= _BODY:
            kept += chunk
    return bytes(kept) if len(kept) <= _BODY else None


def _delivery(request: Request, raw: bytes) -> Delivery:
    """What was posted."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _form(raw)
    return Delivery("events_api", _decoded(raw), raw)


def _form(raw: bytes) -> Delivery:
    try:
        fields = dict(parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=_FIELDS))
    except ValueError:
        fields = dict[str, str]()
    if "payload" in fields:
        return Delivery("interactive", _decoded(fields["payload"].encode()), raw)
    return Delivery("slash_commands", fields, raw)


def _decoded(raw: bytes) -> object:
    """The payload; `None` for what is no JSON, which nothing can be read from."""
    try:
        found: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found
