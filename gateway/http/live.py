"""Routes that may change while the server runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.datastructures import URLPath
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

__all__ = ["LiveRoutes"]

_CHOSEN = "gateway.route"


class LiveRoutes(BaseRoute):
    """Whatever routes there are at the moment of a request.

    Args:
        routes: The routes now, in order.
    """

    def __init__(self, routes: Callable[[], Sequence[BaseRoute]]) -> None:
        self._routes = routes

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The first route that fits, else the first that fits but for its method."""
        partly: tuple[Match, Scope] = (Match.NONE, {})
        for route in self._routes():
            match, child = route.matches(scope)
            if match is Match.FULL:
                return match, {**child, _CHOSEN: route}
            if match is Match.PARTIAL and partly[0] is Match.NONE:
                partly = match, {**child, _CHOSEN: route}
        return partly

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route that was found answer."""
        route: BaseRoute = scope[_CHOSEN]
        await route.handle(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: object) -> URLPath:
        """Nothing here has a name."""
        raise NoMatchFound(name, path_params)
