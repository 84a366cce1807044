"""Run a gateway in this process, with its control socket and its signals."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import click
from starlette.routing import BaseRoute

from gateway.admin.control import ControlServer, socket_path
from gateway.cli.loading import store_file
from gateway.errors import LastwordError
from gateway.runtime import Runtime, handle_signals
from gateway.settings import Settings

__all__ = ["serve"]


def serve(
    settings: Settings,
    *,
    sockets: Sequence[socket.socket] | None = None,
    routes: Sequence[BaseRoute] = (),
    ready: Callable[[str], None] | None = None,
) -> None:
    """Run until stopped; returns after a clean stop."""
    runtime = Runtime(settings, sockets=sockets, routes=routes, ready=ready or _ready(settings))
    with contextlib.suppress(asyncio.CancelledError):
        _runner()(_serve(runtime))


def _ready(settings: Settings) -> Callable[[str], None]:
    """Tell where the gateway answers, and where its web chats are."""

    def say(base: str) -> None:
        for bot in settings.bots.values():
            if bot.platform == "local":
                path = getattr(bot.options, "path", "") or f"/chat/{bot.name}"
                click.echo(f"Chat with {bot.name!r} at {base}{path}", err=True)
        click.echo(f"Lastword is running; {base} answers. Stop with Ctrl+C.", err=True)

    return say


def _runner() -> Callable[[Coroutine[Any, Any, None]], None]:
    if sys.platform == "win32":
        return asyncio.run
    try:
        import uvloop
    except ImportError:
        return asyncio.run
    return uvloop.run


async def _serve(runtime: Runtime) -> None:
    handle_signals(runtime)
    path = store_file(runtime.settings)
    if path is None:
        await runtime.run()
        return

    async def pair(request: Mapping[str, object]) -> dict[str, object]:
        return await _pair(runtime, str(request.get("code", "")), str(request.get("bot", "")))

    runtime.beside = ControlServer(socket_path(path), {"pair": pair})
    await runtime.run()


async def _pair(runtime: Runtime, code: str, only: str) -> dict[str, object]:
    for bot in runtime.bots.values():
        if only and bot.name != only:
            continue
        person = await bot.door.approve(code)
        if person is not None:
            return {"bot": bot.name, "person": person.id, "name": person.name}
    raise LastwordError(f"No open pairing request has the code {code!r}; codes work for one hour.")
