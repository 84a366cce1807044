"""Plain answers to what goes wrong; nothing internal leaves."""

from __future__ import annotations

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.observability import get_logger

__all__ = ["Faults", "fault", "on_http_exception"]

_log = get_logger("http")


def fault(scope: Scope, status: int, why: str = "", *, close: bool = False) -> Response:
    """A clean error: plain text for a person's browser, JSON for everything else."""
    text = why or HTTPStatus(status).phrase
    headers = {"connection": "close"} if close else None
    accepts = next((value for name, value in scope["headers"] if name == b"accept"), b"")
    if b"text/html" in accepts:
        return PlainTextResponse(f"{text}\n", status, headers)
    return JSONResponse({"error": text}, status, headers)


async def on_http_exception(request: Request, exc: Exception) -> Response:
    """Answer what a route or the router refused."""
    status = exc.status_code if isinstance(exc, HTTPException) else 500
    response = fault(request.scope, status, close=status in (408, 413))
    if isinstance(exc, HTTPException) and exc.headers:
        response.headers.update(exc.headers)
    return response


class Faults:
    """Turns an exception no route handled into a bare 500 and a log line."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            return
        except Exception:  # noqa: BLE001  # the edge of a request
            _log.exception("http.request_broke", method=scope["method"])
            if not started:
                await fault(scope, 500)(scope, receive, send)
