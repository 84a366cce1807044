"""The shared server: Starlette on uvicorn, started and stopped by the gateway alone."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Sequence
from types import TracebackType
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute

from gateway.http.binding import address_of, bind, known_hosts
from gateway.http.faults import Faults, on_http_exception
from gateway.http.guard import Guard
from gateway.http.streams import Streams

__all__ = ["Server"]

_GRACE = 5  # seconds a request under way gets at a stop


class _Uvicorn(uvicorn.Server):
    """Uvicorn without its signal handlers, which would end the process before turns are drained."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]  # any context manager will do
        return contextlib.nullcontext()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()


class Server:
    """One HTTP server for every route of this process; use as an async context manager, or `serve`.

    Args:
        host: Where to listen.
        port: Where to listen; 0 takes a free one.
        routes: What to answer, absolute paths.
        trusted_proxies: Addresses or networks whose `X-Forwarded-*` headers are believed.
        sockets: Listening sockets to serve on instead of binding the address.
        public_url: The address people reach the server by; its host is accepted beside the loopback's.

    Raises:
        ConfigError: On entering, when the address cannot be taken.
    """

    def __init__(
        self,
        host: str,
        port: int,
        routes: Sequence[BaseRoute],
        *,
        trusted_proxies: Sequence[str] = (),
        sockets: Sequence[socket.socket] | None = None,
        public_url: str = "",
    ) -> None:
        self._host = host
        self._port = port
        self._routes = tuple(routes)
        self._trusted = tuple(trusted_proxies)
        self._given = sockets
        self._public_url = public_url
        self._bound: tuple[str, int] = (host, port)
        self._running: contextlib.AbstractAsyncContextManager[None] | None = None
        self._stopped = asyncio.Event()

    @property
    def port(self) -> int:
        """The port it listens on; while stopped, the one it was asked for."""
        return self._bound[1]

    @property
    def address(self) -> str:
        """The base address for a browser on this machine, without a trailing slash."""
        host, port = self._bound
        if host in ("", "0.0.0.0", "::"):  # noqa: S104  # recognised, not bound
            host = "127.0.0.1"
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def __aenter__(self) -> Self:
        self._running = self._run()
        await self._running.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._running is not None:
            await self._running.__aexit__(kind, error, trace)

    async def serve(self) -> None:
        """Serve until `stop` is called."""
        async with self:
            await self._stopped.wait()

    def stop(self) -> None:
        """Let `serve` return, after requests under way had their grace."""
        self._stopped.set()

    @contextlib.asynccontextmanager
    async def _run(self) -> AsyncGenerator[None, None]:
        sockets = [bind(self._host, self._port)] if self._given is None else list(self._given)
        self._bound = address_of(sockets[0])
        handlers = {HTTPException: on_http_exception, Exception: on_http_exception}
        app = Starlette(routes=self._routes, exception_handlers=handlers)
        streams = Streams(Faults(app))
        hosts = known_hosts([address_of(listener)[0] for listener in sockets], self._public_url)
        server = _Uvicorn(self._config(Guard(streams, hosts=hosts)))
        task = asyncio.create_task(server.serve(sockets), name="http server")
        up = asyncio.create_task(server.up.wait())
        try:
            await asyncio.wait({task, up}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
            yield
        finally:
            up.cancel()
            server.should_exit = True
            streams.close()
            await _ended(task)

    def _config(self, app: Guard) -> uvicorn.Config:
        return uvicorn.Config(
            app,
            lifespan="off",
            ws="none",
            interface="asgi3",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=bool(self._trusted),
            forwarded_allow_ips=list(self._trusted),
            timeout_graceful_shutdown=_GRACE,
        )


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait for the server's end, and cut it short when it takes too long or we are cancelled."""
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE + 2):
                await asyncio.shield(task)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
