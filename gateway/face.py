"""What one gateway process answers over HTTP beside its bots: health, readiness, numbers."""

from __future__ import annotations

import contextlib
import socket
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gateway.fleet import Fleet
from gateway.http import LiveRoutes, Server
from gateway.observability import Metrics
from gateway.ownership import bot_of
from gateway.readiness import Readiness
from gateway.settings import Settings

__all__ = ["Face"]


@dataclass(frozen=True, slots=True)
class Face:
    """The shared server of a process.

    Args:
        fleet: What its bots are asked of.
        abandoned: How many calls of agents run on for nobody.
        routes: More routes, such as the demo's page.
        sockets: Listening sockets to serve on instead of binding the configured address.
    """

    fleet: Fleet
    metrics: Metrics
    abandoned: Callable[[], int]
    routes: Sequence[BaseRoute] = ()
    sockets: Sequence[socket.socket] | None = None

    @contextlib.asynccontextmanager
    async def served(self, settings: Settings) -> AsyncGenerator[str]:
        """Serve; gives the base address."""
        ready = Readiness(lambda: self.fleet.store, self.fleet.states)
        routes: list[BaseRoute] = [
            *self.routes,
            LiveRoutes(self.fleet.routes),
            Route("/healthz", _alive),
            Route("/readyz", ready.answer),
            Route("/metrics", self._exposed),
        ]
        chosen = settings.server
        server = Server(
            chosen.host,
            chosen.port,
            routes,
            trusted_proxies=chosen.trusted_proxies,
            sockets=self.sockets,
            public_url=settings.public_url,
        )
        async with server:
            yield server.address

    async def _exposed(self, _: Request) -> Response:
        bots = self.fleet.bots
        for name, agent in {bot.agent_name: bot.agent for bot in bots.values()}.items():
            stuck = getattr(agent, "abandoned", 0)
            self.metrics.threads(agent=name, abandoned=stuck + self.abandoned())
        self.metrics.held(Counter(bot_of(queue) for queue in self.fleet.ownership.held()))
        return PlainTextResponse(self.metrics.render(), media_type="text/plain; version=0.0.4")


async def _alive(_: Request) -> Response:
    return PlainTextResponse("ok\n")
