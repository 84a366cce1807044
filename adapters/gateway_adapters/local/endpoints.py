"""What the page asks of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from gateway.abc.adapter import AdapterContext
from gateway.errors import StoreError
from gateway.messages import Event
from gateway_adapters.local import visitors
from gateway_adapters.local.inbound import (
    TEXT_LIMIT,
    Unacceptable,
    echo,
    read_action,
    read_message,
    read_stop,
)
from gateway_adapters.local.pages import Pages
from gateway_adapters.local.stream import events
from gateway_adapters.local.transcript import LineKind

if TYPE_CHECKING:
    from gateway_adapters.local.adapter import LocalAdapter

__all__ = ["routes"]

_WHY = {"too_long": 413, "empty": 422, "malformed": 400}
_BUSY = {"retry-after": "1"}
_SECONDS = 20.0  # one commit
_DIGITS = 16

_Read = Callable[..., Event]


def routes(adapter: LocalAdapter) -> Sequence[BaseRoute]:
    """Absolute routes of one web chat."""
    base, endpoints, pages = adapter.base, _Endpoints(adapter), Pages(adapter.base, adapter.title)
    return [
        Route(base or "/", pages.page),
        Route(f"{base}/session", endpoints.session, methods=["POST"]),
        Route(f"{base}/events", endpoints.events),
        Route(f"{base}/message", endpoints.message, methods=["POST"]),
        Route(f"{base}/action", endpoints.action, methods=["POST"]),
        Route(f"{base}/stop", endpoints.stop, methods=["POST"]),
        *(Route(f"{base}/{name}", pages.asset) for name in pages.names),
    ]


class _Endpoints:
    def __init__(self, adapter: LocalAdapter) -> None:
        self._adapter = adapter

    async def session(self, request: Request) -> Response:
        """Give a browser its identity, or recognise it."""
        refused = _refused(request)
        if refused is not None:
            return refused
        secret = request.cookies.get(visitors.COOKIE)
        if secret is None or not visitors.person_of(secret):
            secret = visitors.new_secret()
        response = JSONResponse(
            {"chat": visitors.person_of(secret), "title": self._adapter.title, "limit": TEXT_LIMIT}
        )
        response.set_cookie(
            visitors.COOKIE,
            secret,
            max_age=visitors.SECONDS,
            path=self._adapter.base or "/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def events(self, request: Request) -> Response:
        """The stream of what happens, resumed where the page left off."""
        person = _visitor(request)
        if not person:
            return _error(401, "no_session")
        context = self._adapter.receiving
        if context is None:
            return _error(503, "starting", headers=_BUSY)
        after = _after(request)
        return StreamingResponse(
            self._listen(context, person, after),
            media_type="text/event-stream",
            headers={"cache-control": "no-store", "x-accel-buffering": "no"},
        )

    async def _listen(self, context: AdapterContext, person: str, after: int) -> AsyncIterator[bytes]:
        async with self._adapter.chats.use(context, person) as chat:
            chat.listeners += 1
            try:
                await chat.transcript.load(anew=context.shared)
                async for event in events(
                    chat, self._adapter.chats, context.clock, chat_id=person, after=after
                ):
                    yield event
            except StoreError:
                return
            finally:
                chat.listeners -= 1

    async def message(self, request: Request) -> Response:
        """Take a typed message."""
        return await self._take(request, read_message, "message")

    async def action(self, request: Request) -> Response:
        """Take a pressed button."""
        return await self._take(request, read_action, "pressed")

    async def stop(self, request: Request) -> Response:
        """Take the wish to stop."""
        return await self._take(request, read_stop, None)

    async def _take(self, request: Request, read: _Read, kind: LineKind | None) -> Response:
        """Answer 202 once what was posted is durable, and 503 when it is not."""
        refused = _refused(request)
        if refused is not None:
            return refused
        person = _visitor(request)
        if not person:
            return _error(401, "no_session")
        context = self._adapter.receiving
        if context is None:
            return _error(503, "starting", headers=_BUSY)
        try:
            event = read(await request.body(), person=person, at=context.clock.time())
            await self._keep(context, event, kind)
        except Unacceptable as exc:
            return _error(_WHY[exc.why], exc.why)
        except (StoreError, TimeoutError) as exc:
            context.log.warning("adapter.message_not_kept", error=type(exc).__name__)
            return _error(503, "busy", headers=_BUSY)
        return JSONResponse({"chat": person}, 202)

    async def _keep(self, context: AdapterContext, event: Event, kind: LineKind | None) -> None:
        """Commit an event, and then its line, before anything that answers it can be written."""
        inbound = event.inbound
        if inbound is None or kind is None:
            async with asyncio.timeout(_SECONDS):
                await context.accept([event])
            return
        async with self._adapter.chats.use(context, inbound.place.chat) as chat:
            await chat.transcript.append(
                kind, inbound.message_id, echo(inbound), first=lambda: context.accept([event])
            )
            chat.notify()
            await self._adapter.told(inbound.place.chat, chat)


def _refused(request: Request) -> Response | None:
    """Refuse what another site's page could have made the browser post."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _error(415, "json_only")
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        same = site == "same-origin"
    else:
        same = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    return None if same else _error(403, "other_site")


def _visitor(request: Request) -> str:
    return visitors.person_of(request.cookies.get(visitors.COOKIE))


def _after(request: Request) -> int:
    """The last line the page has; the browser's own word for it is newer than the address."""
    said = request.headers.get("last-event-id") or request.query_params.get("after", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) <= _DIGITS else 0


def _error(status: int, why: str, *, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": why}, status, headers)
