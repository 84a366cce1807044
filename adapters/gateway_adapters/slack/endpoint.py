"""Where Slack posts events, presses and slash commands: 200 once they are kept, never for what is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gateway.abc.clock import Clock
from gateway.errors import StoreError
from gateway_adapters.slack.reception import Delivery, Reception
from gateway_adapters.slack.shapes import mapping, whole
from gateway_adapters.slack.signature import signed
from gateway_adapters.slack.standing import Standing

__all__ = ["Endpoint", "path_of"]

_BODY = 768 * 1024  # bytes; the longest message with all its blocks is a tenth of it
_FIELDS = 64  # of a form; Slack sends a dozen
_SECONDS = 20.0  # one commit
_BUSY = {"retry-after": "2"}
_NO_MORE = {"x-slack-no-retry": "1"}


def path_of(bot: str) -> str:
    """Where a bot's requests are posted; Slack proves itself by its signature, so nothing in it is secret."""
    return f"/slack/{bot}/events"


class Endpoint:
    """One bot's address on the shared server, for all three kinds of request."""

    def __init__(self, path: str, *, secret: str, clock: Clock) -> None:
        self.path = path
        self._secret = secret
        self._clock = clock
        self._reception: Reception | None = None
        self._standing: Standing | None = None

    def routes(self) -> Sequence[BaseRoute]:
        """The one route."""
        return (Route(self.path, self.post, methods=["POST"]),)

    def open(self, reception: Reception, standing: Standing) -> None:
        """Take requests from now on."""
        self._reception, self._standing = reception, standing

    def close(self) -> None:
        """Take none; Slack sends events again, for some minutes."""
        self._reception = None

    async def post(self, request: Request) -> Response:
        """Take one request.

        What cannot be read is kept as it came and answered 200: Slack would send it three times more, and
        stop sending anything to an address that fails often.
        """
        raw = await _read(request)
        if raw is None:
            return Response(status_code=413, headers=_NO_MORE)
        if not self._is_slacks(request, raw):
            return Response(status_code=401)
        delivery = _delivery(request, raw)
        if isinstance(delivery, Response):
            return delivery
        return await self._taken(delivery, again=request.headers.get("x-slack-retry-num", ""))

    async def _taken(self, delivery: Delivery, *, again: str) -> Response:
        reception, standing = self._reception, self._standing
        if reception is None or standing is None:
            return Response(status_code=503, headers=_BUSY)
        try:
            async with asyncio.timeout(_SECONDS):
                await reception.take(delivery, again=again)
        except (StoreError, TimeoutError) as exc:
            standing.ill(exc if isinstance(exc, StoreError) else StoreError("the store takes too long"))
            return Response(status_code=503, headers=_BUSY)
        standing.well()
        return Response()

    def _is_slacks(self, request: Request, raw: bytes) -> bool:
        return signed(
            self._secret,
            timestamp=request.headers.get("x-slack-request-timestamp", ""),
            given=request.headers.get("x-slack-signature", ""),
            body=raw,
            now=self._clock.time(),
        )


async def _read(request: Request) -> bytes | None:
    """The whole body, which the signature is over; `None` for one beyond all measure."""
    kept = bytearray()
    async for chunk in request.stream():
        if len(kept) <= _BODY:
            kept += chunk
    return bytes(kept) if len(kept) <= _BODY else None


def _delivery(request: Request, raw: bytes) -> Delivery | Response:
    """What was posted, or what it is answered with when there is nothing to keep of it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _form(raw)
    payload = _decoded(raw)
    challenge = _challenge(payload)
    return (
        Delivery("events_api", payload, raw) if challenge is None else JSONResponse({"challenge": challenge})
    )


def _challenge(payload: object) -> str | None:
    """What Slack wants repeated when it gets to know the address; `None` for anything else."""
    try:
        told = mapping(payload)
    except TypeError:
        return None
    return whole(told.get("challenge"))[:1000] if told.get("type") == "url_verification" else None


def _form(raw: bytes) -> Delivery | Response:
    try:
        fields = dict(parse_qsl(raw.decode(), keep_blank_values=True, max_num_fields=_FIELDS))
    except ValueError:
        fields = dict[str, str]()
    if "payload" in fields:
        return Delivery("interactive", _decoded(fields["payload"].encode()), raw)
    if "ssl_check" in fields and "command" not in fields:
        return Response()
    return Delivery("slash_commands", fields, raw)


def _decoded(raw: bytes) -> object:
    """The payload; `None` for what is no JSON, which nothing can be read from."""
    try:
        found: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found
