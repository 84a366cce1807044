"""Responses that stay open, so that a stop need not wait for them."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Streams"]


class Streams:
    """Knows the event streams that are open, and ends them at a stop."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: set[asyncio.Task[object]] = set()
        self._ended: set[asyncio.Task[object]] = set()
        self._closing = False

    def close(self) -> None:
        """End every open stream, and each one that still begins."""
        self._closing = True
        for task in tuple(self._open):
            self._end(task)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        task = asyncio.current_task()
        if task is None:  # pragma: no cover  # an ASGI server always runs us in a task
            raise RuntimeError("not in a task")

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_stream(message):
                self._open.add(task)
                if self._closing:
                    self._end(task)
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except asyncio.CancelledError:
            if task not in self._ended or task.uncancel() > 0:
                raise
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._open.discard(task)
            self._ended.discard(task)

    def _end(self, task: asyncio.Task[object]) -> None:
        if task not in self._ended:
            self._ended.add(task)
            task.cancel()


def _is_stream(message: Message) -> bool:
    return any(
        name.lower() == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in message["headers"]
    )
