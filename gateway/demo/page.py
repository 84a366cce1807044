"""The demo's page, and the button that kills the gateway it talks to."""

from __future__ import annotations

import asyncio
import os
import signal
from importlib import resources

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

__all__ = ["routes"]

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_BREATH = 0.05  # seconds for the answer to leave before we die


def routes() -> list[BaseRoute]:
    """The page at `/`, its files, and `/demo/kill`."""
    files = {
        entry.name: entry.read_bytes()
        for entry in resources.files("gateway.demo").joinpath("static").iterdir()
        if entry.name.rpartition(".")[2] in _TYPES
    }

    async def page(_: Request) -> Response:
        return Response(files["index.html"], media_type="text/html; charset=utf-8")

    async def asset(request: Request) -> Response:
        name = str(request.path_params["name"])
        if name not in files:
            return PlainTextResponse("not found\n", status_code=404)
        kind = _TYPES[name.rpartition(".")[2]]
        headers = {"cache-control": "no-cache"}
        return Response(files[name], media_type=f"{kind}; charset=utf-8", headers=headers)

    return [
        Route("/", page),
        Route("/demo/kill", _kill, methods=["POST"]),
        Route("/demo/{name}", asset),
    ]


async def _kill(request: Request) -> Response:
    """End this very process with SIGKILL; nothing of it gets to clean up."""
    if request.headers.get("x-lastword") != "demo":  # a form on another site cannot send this
        return PlainTextResponse("send the header x-lastword: demo\n", status_code=403)
    asyncio.get_running_loop().call_later(_BREATH, os.kill, os.getpid(), signal.SIGKILL)
    return PlainTextResponse("killing\n", status_code=202)
